#include "core/text/tokenizer/byte_level.h"

#include <array>

namespace tunebench {

namespace {

struct ByteLevelTable {
    std::array<std::array<char, 2>, 256> spellings {};
    std::array<unsigned char, 256> lengths {};
    std::array<int, 0x144> bytes {}; ///< by character; -1: stands for no byte
};

constexpr ByteLevelTable table = [] {
    ByteLevelTable result;
    result.bytes.fill(-1);
    unsigned nextCharacter = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte != 0xAD);
        const unsigned character = printable ? byte : nextCharacter++;
        result.bytes[character] = static_cast<int>(byte);
        result.lengths[byte] = character < 0x80 ? 1 : 2;
        if (character < 0x80) {
            result.spellings[byte][0] = static_cast<char>(character);
        } else {
            result.spellings[byte]
                = { static_cast<char>(0xC0U | character >> 6U), static_cast<char>(0x80U | (character & 0x3FU)) };
        }
    }
    return result;
}();

} // namespace

std::string_view byteLevelCharacter(unsigned char byte)
{
    return { table.spellings[byte].data(), table.lengths[byte] };
}

std::optional<unsigned char> byteOfCharacter(char32_t character)
{
    if (character >= table.bytes.size() || table.bytes[character] < 0) {
        return std::nullopt;
    }
    return static_cast<unsigned char>(table.bytes[character]);
}

} // namespace tunebench
