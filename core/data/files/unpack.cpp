#include "core/data/files/unpack.h"

#include "core/base/temporary_file.h"

#include <algorithm>
#include <memory>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace tunebench {
namespace {

constexpr size_t blockBytes = size_t { 1 } << 20;
constexpr int maxWindow = 27; // log2 of bytes: what zstd itself unpacks without being asked (128 MB)

/// Where unpacked bytes go, and when it is enough.
struct Target {
    TemporaryFile file;
    const std::string& path;
    size_t maxBytes;
    const std::stop_token& stop;
    size_t junk = 0; ///< bytes after the packed data that are none

    bool isFull() const { return file.size() >= maxBytes; }
    Result<void> write(std::string_view bytes)
    {
        if (stop.stop_requested())
            return stopped();
        return file.write(bytes, path);
    }
};

tl::unexpected<Error> damaged(const std::string& path, const char* kind, const std::string& reason)
{
    return failure("Cannot unpack " + path + ": its " + kind + " data " + reason + "; get the file again.");
}

constexpr const char* cutReason = "ends too early: the file is cut";

struct InflateEnd {
    void operator()(z_stream* stream) const
    {
        inflateEnd(stream);
        delete stream;
    }
};

/// Unpacks until the stream's input or output is used up.
Result<void> inflateBlocks(z_stream& stream, std::string_view& rest, std::vector<char>& block, Target& target)
{
    bool ended = false;
    while (!target.isFull()) {
        if (ended && !rest.starts_with("\x1f\x8b")) { // gzip itself lets fill after the last member pass
            const size_t data = rest.find_first_not_of('\0');
            target.junk = data == std::string_view::npos ? 0 : rest.size() - data;
            return {};
        }
        if (ended)
            inflateReset(&stream);
        const auto given = static_cast<uInt>(std::min(rest.size(), blockBytes));
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
        stream.avail_in = given;
        stream.next_out = reinterpret_cast<Bytef*>(block.data());
        stream.avail_out = static_cast<uInt>(block.size());
        const int state = inflate(&stream, Z_NO_FLUSH);
        rest.remove_prefix(given - stream.avail_in);
        const size_t made = block.size() - stream.avail_out;
        if (auto written = target.write({ block.data(), made }); !written)
            return written;
        ended = state == Z_STREAM_END;
        if (state == Z_BUF_ERROR || (state == Z_OK && rest.empty() && made < block.size()))
            return damaged(target.path, "gzip", cutReason);
        if (state != Z_OK && state != Z_STREAM_END)
            return damaged(
                target.path, "gzip", std::string("is damaged (") + (stream.msg ? stream.msg : "unknown") + ")");
    }
    return {};
}

Result<void> unpackGzip(std::string_view packed, Target& target)
{
    std::unique_ptr<z_stream, InflateEnd> stream(new z_stream {});
    constexpr int gzipWindow = 15 + 16; // the largest window, with a gzip header
    if (inflateInit2(stream.get(), gzipWindow) != Z_OK)
        return failure("There is not enough memory to unpack " + target.path + "; close other programs.", Fault::work);
    std::vector<char> block(blockBytes);
    return inflateBlocks(*stream, packed, block, target);
}

Result<void> unpackZstd(std::string_view packed, Target& target)
{
    const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
    ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, maxWindow);
    std::vector<char> block(blockBytes);
    ZSTD_inBuffer in { packed.data(), packed.size(), 0 };
    size_t wanted = 1; // 0 where a frame is complete
    while (!target.isFull()) {
        if (in.pos == in.size && wanted == 0)
            return {};
        ZSTD_outBuffer out { block.data(), block.size(), 0 };
        wanted = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(wanted))
            return damaged(target.path, "zstd", std::string("is damaged (") + ZSTD_getErrorName(wanted) + ")");
        if (auto written = target.write({ block.data(), out.pos }); !written)
            return written;
        if (in.pos == in.size && out.pos < out.size && wanted > 0)
            return damaged(target.path, "zstd", cutReason);
    }
    return {};
}

} // namespace

Packing packingOf(std::string_view content)
{
    if (content.starts_with("\x1f\x8b"))
        return Packing::gzip;
    // A frame, or one of those that tools put before it and decoders skip.
    const bool isZstd = content.starts_with("\x28\xb5\x2f\xfd")
        || (content.size() > 4 && (content[0] & 0xf0) == 0x50 && content.substr(1, 3) == "\x2a\x4d\x18");
    return isZstd ? Packing::zstd : Packing::none;
}

Result<ConvertedContent> unpack(
    std::string_view packed, Packing packing, const std::string& path, size_t maxBytes, const std::stop_token& stop)
{
    auto file = TemporaryFile::create();
    if (!file)
        return tl::unexpected(file.error());
    Target target { std::move(*file), path, maxBytes, stop, 0 };
    auto unpacked = packing == Packing::gzip ? unpackGzip(packed, target) : unpackZstd(packed, target);
    if (!unpacked)
        return tl::unexpected(unpacked.error());
    auto content = target.file.map();
    if (!content)
        return tl::unexpected(content.error());
    return ConvertedContent { std::move(*content), target.isFull(), target.junk };
}

tl::unexpected<Error> stopped()
{
    return failure("Loading the dataset was stopped.", Fault::work);
}

} // namespace tunebench
