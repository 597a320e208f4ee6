#pragma once

#include "ui/data/data_analysis.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace tunebench {

/// What the dataset is and how many of its rows can be used; how far reading has come while it is read.
class DataHeadline : public QWidget {
    Q_OBJECT
public:
    DataHeadline(DataAnalysis& analysis, QWidget* parent);

    /// The options that decide what truncation leaves nothing of.
    void setConfig(const RunConfig& config);

    QString text() const;

protected:
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void showProgress(qint64 done, qint64 all);
    QString summary() const;
    QString details() const;
    QString about(
        const std::string& why, const std::vector<std::string>& columns, const std::vector<std::string>& notices) const;

    DataAnalysis& m_analysis;
    RunConfig m_config;
    int64_t m_leftOut = 0; ///< rows that truncation leaves nothing of
    QLabel *m_summary, *m_details;
    QProgressBar* m_progress;
    QPushButton* m_button; ///< stops the reading, or starts it again
    LatestTask<int64_t> m_counting;
};

} // namespace tunebench
