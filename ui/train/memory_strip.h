#pragma once

#include "core/memory/memory_ledger.h"

#include <QWidget>

namespace tunebench {

/// The categories of a planned peak, stacked, against what there is. Hovering tells of each what it is and which
/// options move it.
class MemoryStrip : public QWidget {
    Q_OBJECT
public:
    explicit MemoryStrip(QWidget* parent);

    /// `limit` in bytes; 0: not known.
    void show(const MemoryBreakdown& peak, int64_t limit);
    void clear();

    /// What hovering beside the categories tells, rich text.
    void setRoomHelp(const QString& text) { m_roomHelp = text; }

    /// The category under a place, if there is one.
    std::optional<MemoryCategory> categoryAt(const QPoint& place) const;

    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// From where to where a category reaches, pixels.
    std::pair<double, double> extentOf(size_t category) const;
    int64_t scale() const;

    MemoryBreakdown m_peak {};
    int64_t m_limit = 0;
    QString m_roomHelp;
};

/// What a category is and what moves it, in a sentence or two.
QString categoryHelp(MemoryCategory category);

} // namespace tunebench
