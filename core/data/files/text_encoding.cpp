#include "core/data/files/text_encoding.h"

#include "core/base/temporary_file.h"
#include "core/data/files/parallel.h"
#include "core/data/files/text_checks.h"
#include "core/text/utf8.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <iconv.h>
#include <memory>
#include <optional>
#include <vector>

namespace tunebench {
namespace {

constexpr size_t npos = std::string_view::npos;
constexpr size_t chunkBytes = size_t { 16 } << 20;
constexpr size_t sampleBytes = size_t { 256 } << 10; // to judge an encoding by

/// The first byte of a text that is not UTF-8, looked for on all cores.
size_t firstInvalid(const MappedFile& content, size_t lookAt, const std::stop_token& stop)
{
    const std::string_view text = content.text();
    const size_t size = std::min(text.size(), lookAt);
    const auto border = [&](size_t at) { // never inside a character, where the text is UTF-8
        at = std::min(at, text.size());
        for (int i = 0; i < 3 && at < text.size() && isUtf8Continuation(text[at]); ++i)
            ++at;
        return at;
    };
    std::atomic<size_t> first = npos;
    parallelFor((size + chunkBytes - 1) / chunkBytes, 0, [&](size_t i) {
        const size_t begin = i == 0 ? 0 : border(i * chunkBytes);
        const size_t end = border((i + 1) * chunkBytes);
        if (begin >= end || begin >= first || stop.stop_requested())
            return;
        if (const size_t bad = firstInvalidUtf8(text.substr(begin, end - begin)); bad != npos) {
            size_t known = first;
            while (begin + bad < known && !first.compare_exchange_weak(known, begin + bad)) { }
        }
        content.release(begin, end);
    });
    return first;
}

/// UTF-16 without a mark: text has ASCII characters, whose other byte is zero.
std::optional<Encoding> utf16Of(std::string_view text)
{
    const std::string_view sample = text.substr(0, sampleBytes);
    size_t zeros[2] = {};
    for (size_t i = 0; i < sample.size(); ++i)
        zeros[i % 2] += sample[i] == '\0';
    const size_t several = sample.size() / 20 + 2; // a tenth of the characters
    if (zeros[1] >= several && zeros[0] == 0)
        return Encoding::utf16LittleEndian;
    if (zeros[0] >= several && zeros[1] == 0)
        return Encoding::utf16BigEndian;
    return {};
}

/// Whether bytes that are not UTF-8 are Korean in CP949: nearly each pair is one of its characters, and most are of the
/// 2,350 Hangul of KS X 1001 (B0A1 to C8FE), which other encodings that fit in form (GBK, Shift JIS) do not show.
bool looksKorean(std::string_view sample)
{
    const auto at = [&](size_t i) { return static_cast<unsigned char>(sample[i]); };
    size_t pairs = 0;
    size_t hangul = 0;
    size_t damaged = 0;
    for (size_t i = 0; i < sample.size(); ++i) {
        if (at(i) < 0x80)
            continue;
        if (i + 1 == sample.size())
            break; // the sample may end inside a character
        const unsigned char lead = at(i);
        const unsigned char trail = at(i + 1);
        const bool isOfKs = trail >= 0xa1 && trail <= 0xfe;
        const bool isExtended = lead <= 0xc6
            && ((trail >= 0x41 && trail <= 0x5a) || (trail >= 0x61 && trail <= 0x7a)
                || (trail >= 0x81 && trail <= 0xa0));
        if (lead < 0x81 || lead > 0xfd || (!isOfKs && !isExtended)) {
            ++damaged;
            continue;
        }
        ++i;
        ++pairs;
        hangul += isOfKs && lead >= 0xb0 && lead <= 0xc8;
    }
    return pairs > 0 && damaged * 100 <= pairs && hangul * 10 >= pairs * 7;
}

/// An open converter of the system.
class Converter {
public:
    explicit Converter(const char* from)
        : m_handle(iconv_open("UTF-8", from))
    {
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;
    ~Converter()
    {
        if (isOpen())
            iconv_close(m_handle);
    }
    bool isOpen() const { return reinterpret_cast<std::intptr_t>(m_handle) != -1; }

    enum class State { going, done, invalid };

    /// Converts what fits into `block`, which becomes as long as what was made.
    State step(std::string_view& rest, std::string& block)
    {
        block.resize(blockBytes);
        char* in = const_cast<char*>(rest.data());
        size_t left = rest.size();
        char* out = block.data();
        size_t space = block.size();
        const size_t result = iconv(m_handle, &in, &left, &out, &space);
        const int problem = errno;
        rest.remove_prefix(rest.size() - left);
        block.resize(blockBytes - space);
        if (result != static_cast<size_t>(-1))
            return State::done;
        return problem == E2BIG ? State::going : State::invalid;
    }

private:
    static constexpr size_t blockBytes = size_t { 1 } << 20;
    iconv_t m_handle;
};

const char* systemName(Encoding encoding)
{
    if (encoding == Encoding::cp949)
        return "CP949";
    return encoding == Encoding::utf16BigEndian ? "UTF-16BE" : "UTF-16LE";
}

bool isUtf16(Encoding encoding)
{
    return encoding == Encoding::utf16BigEndian || encoding == Encoding::utf16LittleEndian;
}

/// The place in the original file, where lines are told by what was converted.
tl::unexpected<Error> invalidAt(
    std::string_view text, size_t at, std::string_view converted, Encoding encoding, const std::string& path)
{
    const auto line = static_cast<size_t>(std::count(converted.begin(), converted.end(), '\n')) + 1;
    const size_t lastLine = converted.rfind('\n');
    const std::string_view before = converted.substr(lastLine == npos ? 0 : lastLine + 1);
    const auto column = std::count_if(before.begin(), before.end(), [](char c) { return !isUtf8Continuation(c); }) + 1;
    const bool isCut = text.size() - at < 2;
    return failure("Cannot read " + path + " as " + std::string(nameOf(encoding)) + ": at line " + std::to_string(line)
        + ", character " + std::to_string(column) + " (byte " + std::to_string(at + 1) + " of the file) "
        + (isCut ? "it ends inside a character" : "the bytes are no character") + "; save it as UTF-8.");
}

} // namespace

Encoding encodingOf(const MappedFile& content, size_t lookAt, const std::stop_token& stop)
{
    const std::string_view text = content.text();
    using namespace std::string_view_literals;
    if (text.starts_with("\xff\xfe\0\0"sv) || text.starts_with("\0\0\xfe\xff"sv))
        return Encoding::utf32;
    if (text.starts_with("\xff\xfe"))
        return Encoding::utf16LittleEndian;
    if (text.starts_with("\xfe\xff"))
        return Encoding::utf16BigEndian;
    if (const auto unmarked = utf16Of(text))
        return *unmarked;
    const size_t bad = firstInvalid(content, lookAt, stop);
    if (bad == npos)
        return Encoding::utf8;
    const size_t line = bad == 0 ? npos : text.rfind('\n', bad - 1);
    const size_t begin = line == npos || bad - line > sampleBytes ? bad : line + 1;
    return looksKorean(text.substr(begin, sampleBytes)) ? Encoding::cp949 : Encoding::utf8;
}

Result<ConvertedContent> convertToUtf8(
    std::string_view text, Encoding encoding, const std::string& path, size_t maxBytes, const std::stop_token& stop)
{
    auto file = TemporaryFile::create();
    if (!file)
        return tl::unexpected(file.error());
    Converter converter(systemName(encoding));
    if (!converter.isOpen())
        return failure("Cannot read " + path + ": this system has no converter for " + std::string(nameOf(encoding))
            + "; save the file as UTF-8.");
    const bool hasMark = isUtf16(encoding) && (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"));
    std::string_view rest = text.substr(hasMark ? 2 : 0);
    std::string block;
    auto state = Converter::State::going;
    while (state == Converter::State::going && file->size() < maxBytes) {
        state = converter.step(rest, block);
        if (stop.stop_requested())
            return stopped();
        if (auto written = file->write(block, path); !written)
            return tl::unexpected(written.error());
    }
    auto content = file->map();
    if (!content)
        return tl::unexpected(content.error());
    if (state == Converter::State::invalid)
        return invalidAt(text, text.size() - rest.size(), content->text(), encoding, path);
    return ConvertedContent { std::move(*content), state == Converter::State::going };
}

std::string_view nameOf(Encoding encoding)
{
    switch (encoding) {
    case Encoding::utf16LittleEndian:
    case Encoding::utf16BigEndian:
        return "UTF-16";
    case Encoding::cp949:
        return "CP949";
    case Encoding::utf32:
        return "UTF-32";
    case Encoding::utf8:
        break;
    }
    return "UTF-8";
}

} // namespace tunebench
