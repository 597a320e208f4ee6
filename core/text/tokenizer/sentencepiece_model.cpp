#include "core/text/tokenizer/sentencepiece_model.h"

#include <bit>
#include <cstring>
#include <functional>

namespace tunebench {

namespace {

static_assert(std::endian::native == std::endian::little, "protobuf's fixed32 is read as it lies in memory");

/// One field of a message: a number (varint, fixed32 or fixed64) or bytes, which are a view of the message.
struct Field {
    uint64_t number = 0;
    uint64_t value = 0;
    std::string_view bytes;

    bool flag() const { return value != 0; }
    int32_t integer() const { return static_cast<int32_t>(value); }
    float real() const { return std::bit_cast<float>(static_cast<uint32_t>(value)); }
};

/// Reads the fields of a message one after the other.
class FieldReader {
public:
    explicit FieldReader(std::string_view message)
        : m_rest(message)
    {
    }

    bool atEnd() const { return m_rest.empty(); }

    /// False where the message is cut or is no protobuf.
    bool read(Field& field)
    {
        uint64_t tag = 0;
        if (!varint(tag)) {
            return false;
        }
        field = { tag >> 3U, 0, {} };
        switch (tag & 7U) {
        case 0:
            return varint(field.value);
        case 1:
            return fixed(field.value, 8);
        case 2:
            return varint(field.value) && take(field.value, field.bytes);
        case 5:
            return fixed(field.value, 4);
        default:
            return false;
        }
    }

private:
    bool varint(uint64_t& value)
    {
        value = 0;
        for (unsigned shift = 0; shift < 64 && !m_rest.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(m_rest.front());
            m_rest.remove_prefix(1);
            value |= static_cast<uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80) {
                return true;
            }
        }
        return false;
    }

    bool fixed(uint64_t& value, size_t size)
    {
        std::string_view bytes;
        if (!take(size, bytes)) {
            return false;
        }
        std::memcpy(&value, bytes.data(), size);
        return true;
    }

    bool take(uint64_t size, std::string_view& bytes)
    {
        if (size > m_rest.size()) {
            return false;
        }
        bytes = m_rest.substr(0, size);
        m_rest.remove_prefix(size);
        return true;
    }

    std::string_view m_rest;
};

/// Hands each field to `use`; false where the message cannot be read to its end.
bool readFields(std::string_view message, const std::function<bool(const Field&)>& use)
{
    FieldReader reader(message);
    Field field;
    while (!reader.atEnd()) {
        if (!reader.read(field) || !use(field)) {
            return false;
        }
    }
    return true;
}

bool readPiece(std::string_view message, SentencePieceModel::Piece& piece)
{
    return readFields(message, [&](const Field& field) {
        if (field.number == 1) {
            piece.text = field.bytes;
        } else if (field.number == 2) {
            piece.score = field.real();
        } else if (field.number == 3) {
            piece.type = static_cast<SentencePieceModel::PieceType>(field.value);
        }
        return true;
    });
}

bool readTrainerSpec(std::string_view message, SentencePieceModel& model)
{
    return readFields(message, [&](const Field& field) {
        if (field.number == 3) {
            model.kind = static_cast<SentencePieceModel::Kind>(field.value);
        } else if (field.number == 24) {
            model.spaceBehindWords = field.flag();
        } else if (field.number == 35) {
            model.byteFallback = field.flag();
        } else if (field.number == 41) {
            model.bos = field.integer();
        } else if (field.number == 42) {
            model.eos = field.integer();
        }
        return true;
    });
}

bool readNormalizerSpec(std::string_view message, SentencePieceModel& model)
{
    return readFields(message, [&](const Field& field) {
        if (field.number == 2) {
            model.characterMap = field.bytes;
        } else if (field.number == 3) {
            model.prefixSpace = field.flag();
        } else if (field.number == 4) {
            model.dropsExtraSpaces = field.flag();
        } else if (field.number == 5) {
            model.marksSpaces = field.flag();
        }
        return true;
    });
}

} // namespace

Result<SentencePieceModel> readSentencePieceModel(std::string_view bytes)
{
    SentencePieceModel model;
    const bool readable = readFields(bytes, [&](const Field& field) {
        switch (field.number) {
        case 1:
            return readPiece(field.bytes, model.pieces.emplace_back());
        case 2:
            return readTrainerSpec(field.bytes, model);
        case 3:
            return readNormalizerSpec(field.bytes, model);
        default:
            return true;
        }
    });
    if (!readable) {
        return failure("is not a SentencePiece model; the file may be cut or damaged");
    }
    if (model.pieces.empty()) {
        return failure("has no pieces, so it is not a SentencePiece model");
    }
    return model;
}

} // namespace tunebench
