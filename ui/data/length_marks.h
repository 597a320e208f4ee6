#pragma once

#include "core/data/length_statistics.h"

#include <qcustomplot.h>

#include <vector>

namespace tunebench {

/// Named lines across a plot at mean, percentiles and the longest row. The names stand above the plot's area, in as
/// many rows as it takes for none to lie over another.
class LengthMarks {
public:
    explicit LengthMarks(QCustomPlot& plot);

    void setLengths(const LengthSummary& lengths);
    void restyle(const QPalette& palette, const QFont& font);

    /// Moves the names to their rows and makes room for them; called before each drawing.
    void arrange();

private:
    struct Mark {
        double place = 0; ///< tokens
        QCPItemLine* line = nullptr;
        QCPItemText* name = nullptr;
    };
    void add(double place, const QString& name);

    QCustomPlot& m_plot;
    std::vector<Mark> m_marks; ///< by place
};

} // namespace tunebench
