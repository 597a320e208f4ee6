#pragma once

#include <QTableWidget>

namespace tunebench {

/// A table of things to take: a click on a cell, or Return, takes one.
class ChoiceTable : public QTableWidget {
    Q_OBJECT
public:
    explicit ChoiceTable(QWidget* parent);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void chosen(int row, int column);

protected:
    /// All rows stand there at any time; the page around it scrolls.
    void showAllRows();
    void keyPressEvent(QKeyEvent* event) override;

private:
    bool m_showsAllRows = false;
};

} // namespace tunebench
