#include "tests/fuzz/fuzz_targets.h"

#include "core/data/files/delimited_rows.h"
#include "core/data/files/json_rows.h"
#include "core/model/gguf.h"
#include "core/model/safetensors.h"
#include "core/text/chat_template.h"
#include "core/text/tokenizer/tokenizer.h"

#include <array>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using namespace tunebench;

namespace {

/// A file that lives in memory, for readers that want a path.
class MemoryFile {
public:
    explicit MemoryFile(std::string_view content)
        : m_file(memfd_create("fuzz", 0))
    {
        while (!content.empty()) {
            const ssize_t written = write(m_file, content.data(), content.size());
            content.remove_prefix(written > 0 ? static_cast<size_t>(written) : content.size());
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(m_file); }

    std::string path() const { return "/proc/self/fd/" + std::to_string(m_file); }

private:
    int m_file;
};

void useTokenizer(const Result<Tokenizer>& tokenizer)
{
    if (!tokenizer) {
        return;
    }
    for (const std::string_view text :
        { "", "Hello  wor\xEF\xAC\x81ld 12", "\xE2\x96\x81\xEA\xB9\xB0\n\n<s>a\x80<0x0A>" }) {
        const Encoding encoding = tokenizer->encodeWithSpans(text, true);
        tokenizer->decode(encoding.ids);
        for (const ByteSpan& span : encoding.spans) {
            if (span.begin > span.end || span.end > text.size()) {
                std::abort();
            }
        }
    }
}

void fuzzTemplate(std::string_view input)
{
    static const auto variables = nlohmann::ordered_json::parse(R"({"messages": [{"role": "system", "content": " s "},
        {"role": "user", "content": "\u00fc x"}, {"role": "assistant", "content": null, "tool_calls": [{"a": [1, 2.5]}]}],
        "tools": [{"name": "f", "parameters": {"k": [true, null]}}], "bos_token": "<s>", "n": -7, "f": 1.5, "l": [3, 1, 2]})");
    if (const auto chat = ChatTemplate::parse(input)) {
        chat->render(variables, "2026-01-05");
    }
}

void fuzzTokenizer(std::string_view input)
{
    useTokenizer(Tokenizer::fromJson(input, ""));
}

void fuzzSentencePiece(std::string_view input)
{
    useTokenizer(Tokenizer::fromSentencePiece(input, ""));
}

void fuzzTekken(std::string_view input)
{
    useTokenizer(Tokenizer::fromTekken(input, ""));
}

void fuzzJsonRows(std::string_view input)
{
    for (const bool oneRowALine : { false, true }) {
        const RowIndex rows = splitRowsOfJson(input, oneRowALine);
        for (size_t row = 0; row < rows.count(); ++row) {
            parseJsonRow(rows.row(input, row));
        }
    }
}

void fuzzTable(std::string_view input)
{
    const auto table = splitDelimited(input, ',', "");
    for (size_t row = 0; table && row < table->rows.count(); ++row) {
        parseDelimitedRow(table->rows.row(input, row), table->separator, table->columns);
    }
}

void fuzzSafetensors(std::string_view input)
{
    const MemoryFile file(input);
    if (const auto opened = SafetensorsFile::open(file.path())) {
        for (size_t tensor = 0; tensor < opened->tensors().size(); ++tensor) {
            opened->bytes(tensor);
        }
    }
}

void fuzzGguf(std::string_view input)
{
    const MemoryFile file(input);
    if (const auto opened = GgufFile::open(file.path())) {
        for (size_t tensor = 0; tensor < opened->tensors().size(); ++tensor) {
            opened->bytes(tensor);
        }
        useTokenizer(Tokenizer::fromGguf(*opened));
    }
}

constexpr std::array targets = { FuzzTarget { "template", fuzzTemplate }, FuzzTarget { "tokenizer", fuzzTokenizer },
    FuzzTarget { "sentencepiece", fuzzSentencePiece }, FuzzTarget { "tekken", fuzzTekken },
    FuzzTarget { "json_rows", fuzzJsonRows }, FuzzTarget { "table", fuzzTable },
    FuzzTarget { "safetensors", fuzzSafetensors }, FuzzTarget { "gguf", fuzzGguf } };

} // namespace

std::span<const FuzzTarget> fuzzTargets()
{
    return targets;
}
