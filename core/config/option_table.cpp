#include "core/config/option_rows.h"

namespace tunebench {

namespace {

std::vector<OptionRow> allRows()
{
    std::vector<OptionRow> rows;
    for (auto part :
        { modelRows, adapterRows, dataRows, memoryRows, deviceRows, lengthRows, rateRows, optimizerRows, outputRows }) {
        for (OptionRow& row : part()) {
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

} // namespace

std::span<const OptionRow> optionRows()
{
    static const std::vector<OptionRow> rows = allRows();
    return rows;
}

} // namespace tunebench
