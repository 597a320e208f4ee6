#pragma once

#include "core/data/row_view.h"
#include "ui/data/data_analysis.h"

#include <QWidget>

#include <optional>

class QCheckBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QToolButton;

namespace tunebench {

class RowText;

/// Single rows as they will be trained, by number or the next that needs a look. Rows are read and encoded on another
/// thread.
class RowPanel : public QWidget {
    Q_OBJECT
public:
    explicit RowPanel(QWidget* parent);

    void setData(const SharedData& data);
    void setConfig(const RunConfig& config);

    void showRow(size_t row); ///< from 0
    void showFirstLosing();
    void showNextLosing();
    void showNextRefused();

    RowText* text() const { return m_text; }

protected:
    void changeEvent(QEvent* event) override;

private:
    struct OpenRows;
    struct Shown {
        std::optional<size_t> row; ///< nothing: no row of the kind wanted
        RowView view;
        QString problem; ///< why no row can be shown
    };
    using SharedShown = std::shared_ptr<const Shown>;
    using Choose = std::function<std::optional<size_t>(const AnalysedData&, const RunConfig&)>;

    void showLosing(size_t after);
    QWidget* makeButtons();
    QWidget* makeLegend();
    void look(Choose choose);
    void show(const SharedShown& shown);
    void describe();
    void restyleLegend();

    SharedData m_data;
    RunConfig m_config;
    std::shared_ptr<OpenRows> m_rows;
    QSpinBox* m_number;
    QToolButton *m_previous, *m_next;
    QLabel* m_count;
    QPushButton *m_nextLosing, *m_nextRefused;
    QCheckBox* m_boundaries;
    QLabel* m_facts;
    RowText* m_text;
    std::vector<QLabel*> m_legend; ///< by look
    SharedShown m_shown;
    LatestTask<SharedShown> m_task;
};

} // namespace tunebench
