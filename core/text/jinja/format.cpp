#include "core/text/jinja/operators.h"
#include "core/text/jinja/text.h"

#include <charconv>
#include <cmath>

/// Python's printf-style formatting.
namespace tunebench::jinja {

namespace {

struct Specification {
    bool left = false, zero = false, plus = false, space = false;
    size_t width = 0;
    std::optional<int> precision;
    char type = 's';
};

class PercentFormatter {
public:
    PercentFormatter(const std::string& format, const Value& arguments)
        : m_format(format)
        , m_arguments(arguments)
    {
    }

    std::string run()
    {
        std::string out;
        while (m_at < m_format.size()) {
            const size_t mark = m_format.find('%', m_at);
            out += m_format.substr(m_at, mark == std::string::npos ? mark : mark - m_at);
            if (mark == std::string::npos)
                break;
            m_at = mark + 1;
            out += formatOne();
            checkTextSize(out.size());
        }
        const Sequence* tuple = asTuple();
        const bool allUsed = tuple ? m_used == tuple->items.size() : m_used == 1 || m_arguments.dict();
        // Python lets whatever has items stand unused.
        const bool hasItems = (m_arguments.sequence() && !tuple) || m_arguments.isUndefined();
        if (!allUsed && !(hasItems && m_used == 0))
            throw TypeFailure("not all arguments converted during string formatting");
        return out;
    }

private:
    const Sequence* asTuple() const
    {
        const Sequence* sequence = m_arguments.sequence();
        return sequence && sequence->kind == Sequence::Kind::tuple ? sequence : nullptr;
    }

    char peek() const
    {
        if (m_at >= m_format.size())
            throw ValueFailure("incomplete format");
        return m_format[m_at];
    }

    size_t readNumber()
    {
        size_t number = 0;
        for (; peek() >= '0' && peek() <= '9'; ++m_at) {
            number = number * 10 + static_cast<size_t>(peek() - '0');
            checkTextSize(number);
        }
        return number;
    }

    const Value& nextArgument()
    {
        const Sequence* tuple = asTuple();
        const size_t available = tuple ? tuple->items.size() : 1;
        if (m_used >= available)
            throw TypeFailure("not enough arguments for format string");
        ++m_used;
        return tuple ? tuple->items[m_used - 1] : m_arguments;
    }

    std::string formatOne()
    {
        std::optional<Value> named;
        if (peek() == '(') {
            const size_t close = m_format.find(')', m_at);
            const Dict* dict = m_arguments.dict();
            if (close == std::string::npos || !dict)
                throw TypeFailure("format requires a mapping");
            const Value* found = dict->find(std::string_view(m_format).substr(m_at + 1, close - m_at - 1));
            if (!found)
                throw TypeFailure("a key of the format string is missing");
            named = *found;
            m_at = close + 1;
        }
        const Specification specification = readSpecification();
        if (specification.type == '%')
            return "%";
        return convert(named ? *named : nextArgument(), specification);
    }

    Specification readSpecification()
    {
        Specification result;
        for (;; ++m_at) {
            const char flag = peek();
            if (flag == '-')
                result.left = true;
            else if (flag == '0')
                result.zero = true;
            else if (flag == '+')
                result.plus = true;
            else if (flag == ' ')
                result.space = true;
            else
                break;
        }
        result.width = readNumber();
        if (peek() == '.') {
            ++m_at;
            result.precision = static_cast<int>(std::min<size_t>(readNumber(), 1000));
        }
        result.type = peek();
        ++m_at;
        return result;
    }

    static std::string convert(const Value& value, const Specification& specification)
    {
        std::string text;
        bool numeric = true;
        switch (specification.type) {
        case 's':
        case 'r':
            text = specification.type == 's' ? toText(value) : toRepr(value);
            if (specification.precision)
                text.resize(byteOffset(text, static_cast<size_t>(*specification.precision)));
            numeric = false;
            break;
        case 'd':
        case 'i':
        case 'u':
            text = integerText(value);
            break;
        case 'f':
        case 'F':
            text = floatText(value, specification.precision.value_or(6));
            break;
        default:
            throw TemplateFailure(
                std::string("the format '%") + specification.type + "' is not supported in a template");
        }
        return pad(std::move(text), specification, numeric);
    }

    static std::string integerText(const Value& value)
    {
        if (value.isFloat()) {
            const double whole = std::trunc(value.real());
            if (!(std::fabs(whole) < 9.2e18))
                throw TemplateFailure("a number is too large for '%d'");
            return std::to_string(static_cast<int64_t>(whole));
        }
        if (!value.index())
            throw TypeFailure("'%d' needs a number, not '" + std::string(value.typeName()) + "'");
        return std::to_string(*value.index());
    }

    static std::string floatText(const Value& value, int precision)
    {
        if (value.isUndefined())
            failUndefined(value);
        if (!value.isNumber())
            throw TypeFailure("'%f' needs a number, not '" + std::string(value.typeName()) + "'");
        std::string buffer(400 + static_cast<size_t>(precision), '\0');
        const auto end = std::to_chars(
            buffer.data(), buffer.data() + buffer.size(), value.real(), std::chars_format::fixed, precision)
                             .ptr;
        buffer.resize(static_cast<size_t>(end - buffer.data()));
        return buffer;
    }

    static std::string pad(std::string text, const Specification& specification, bool numeric)
    {
        if (numeric && text[0] != '-' && (specification.plus || specification.space))
            text.insert(0, 1, specification.plus ? '+' : ' ');
        const size_t size = characterCount(text);
        if (size >= specification.width)
            return text;
        const size_t missing = specification.width - size;
        if (specification.left)
            return text + std::string(missing, ' ');
        if (!numeric || !specification.zero)
            return std::string(missing, ' ') + text;
        const size_t signs = text[0] == '-' || text[0] == '+' || text[0] == ' ' ? 1 : 0;
        return text.insert(signs, missing, '0');
    }

    const std::string& m_format;
    const Value& m_arguments;
    size_t m_at = 0;
    size_t m_used = 0;
};

} // namespace

std::string formatPercent(const std::string& format, const Value& arguments)
{
    return PercentFormatter(format, arguments).run();
}

} // namespace tunebench::jinja
