#include "core/data/row_view.h"

#include "core/data/find_format.h"
#include "core/data/iso_date.h"
#include "core/data/row_encoder.h"
#include "core/data/truncation.h"
#include "core/text/tokenizer/stream_decoder.h"

namespace tunebench {

struct RowViewer::State {
    RunConfig config;
    EncodingSetup setup;
    RowSource source;
    DatasetFormat format;
    RowEncoder encoder;

    State(const RunConfig& options, const EncodingSetup& given, RowSource opened, DatasetFormat found)
        : config(options)
        , setup(given)
        , source(std::move(opened))
        , format(found)
        , encoder(config.lossOn, setup, isoToday())
    {
    }

    Read<EncodedRow> encode(size_t index) const
    {
        auto object = source.read(index);
        if (!object)
            return tl::unexpected(std::move(object.error()));
        auto record = readRecord(std::move(*object), format, config.datasetColumns);
        if (!record)
            return tl::unexpected(std::move(record.error()));
        return encoder.encode(std::move(*record));
    }

    std::vector<TokenView> tokensOf(const TokenRow& row) const;
    void markCut(std::vector<TokenView>& tokens) const;
};

std::vector<TokenView> RowViewer::State::tokensOf(const TokenRow& row) const
{
    std::vector<TokenView> tokens;
    tokens.reserve(row.ids.size());
    std::optional<StreamDecoder> decoder;
    if (setup.text)
        decoder.emplace(setup.text->tokenizer);
    for (size_t i = 0; i < row.ids.size(); ++i) {
        const bool supervised = i > 0 && row.labels[i] != ignoredLabel;
        tokens.push_back(
            { row.ids[i], decoder ? decoder->push(row.ids[i]) : std::to_string(row.ids[i]) + ' ', supervised, false });
    }
    if (decoder && !tokens.empty())
        tokens.back().text += decoder->finish();
    return tokens;
}

void RowViewer::State::markCut(std::vector<TokenView>& tokens) const
{
    const auto limit = static_cast<size_t>(config.maxLength);
    if (tokens.size() <= limit || config.truncation == Truncation::drop)
        return;
    const size_t excess = tokens.size() - limit;
    const size_t first = config.truncation == Truncation::left ? 0 : limit;
    for (size_t i = first; i < first + excess; ++i)
        tokens[i].cut = true;
    if (config.truncation == Truncation::left)
        tokens[excess].supervised = false; // the first token that is left is nobody's target
}

RowViewer::RowViewer(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}
RowViewer::RowViewer(RowViewer&&) noexcept = default;
RowViewer& RowViewer::operator=(RowViewer&&) noexcept = default;
RowViewer::~RowViewer() = default;

Result<RowViewer> RowViewer::open(
    std::span<const std::string> files, const RunConfig& config, const EncodingSetup& setup)
{
    auto source = RowSource::open(files);
    if (!source)
        return tl::unexpected(source.error());
    const auto found = findFormat(*source, config);
    if (!found)
        return tl::unexpected(found.error());
    return RowViewer(std::make_unique<State>(config, setup, std::move(*source), found->format));
}

size_t RowViewer::count() const
{
    return m_state->source.count();
}

RowView RowViewer::row(size_t index) const
{
    RowView view { m_state->source.pathOf(index), m_state->source.lineOf(index), {}, {} };
    auto encoded = m_state->encode(index);
    if (!encoded) {
        view.refusal = std::move(encoded.error());
        return view;
    }
    view.tokens = m_state->tokensOf(encoded->row);
    m_state->markCut(view.tokens);
    if (const auto kept = truncateRow(encoded->row, m_state->config.maxLength, m_state->config.truncation); !kept)
        view.refusal = kept.error();
    return view;
}

} // namespace tunebench
