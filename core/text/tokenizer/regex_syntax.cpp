#include "core/text/tokenizer/regex_syntax.h"

#include <algorithm>
#include <array>

namespace tunebench {

namespace {

/// What Oniguruma's \w holds, measured over all code points: Alphabetic, marks, digits, connectors and six fractions
/// and superscripts of Latin-1.
constexpr std::string_view wordClass
    = R"(\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24B6}-\x{24E9}\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189})"
      R"(\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE})";

constexpr std::array<std::string_view, 8> groupStarts = { "?:", "?=", "?!", "?<=", "?<!", "?>", "?i:", "?-i:" };

constexpr std::array<std::string_view, 43> knownProperties = { "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me",
    "N", "Nd", "Nl", "No", "P", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S", "Sm", "Sc", "Sk", "So", "Z", "Zs", "Zl",
    "Zp", "C", "Cc", "Cf", "Co", "Han", "Hiragana", "Katakana", "Hangul", "Latin", "Greek", "Cyrillic", "Thai" };

template <size_t N> bool contains(const std::array<std::string_view, N>& list, std::string_view value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// Walks over an expression once; `m_error` holds the first construct that is not known.
class Translator {
public:
    explicit Translator(std::string_view source)
        : m_source(source)
    {
    }

    Result<std::string> run()
    {
        while (m_position < m_source.size() && m_unknown.empty()) {
            step();
        }
        if (!m_unknown.empty()) {
            return failure("the regular expression \"" + std::string(m_source) + "\" uses " + m_unknown
                + ", which Tunebench does not know");
        }
        return m_result;
    }

private:
    char next() const { return m_source[m_position]; }
    std::string_view rest() const { return m_source.substr(m_position); }

    void take(size_t count = 1)
    {
        m_result += m_source.substr(m_position, count);
        m_position += count;
    }

    void step()
    {
        if (next() == '\\') {
            escape();
        } else if (m_inClass) {
            classCharacter();
        } else if (next() == '[') {
            openClass();
        } else if (next() == '(') {
            group();
        } else if (next() == '{') {
            interval();
        } else {
            take();
        }
    }

    void openClass()
    {
        m_inClass = true;
        take();
        if (m_position < m_source.size() && next() == '^') {
            take();
        }
        if (m_position < m_source.size() && next() == ']') {
            m_unknown = "a character class that starts with ]";
        }
    }

    void classCharacter()
    {
        if (next() == '[') {
            m_unknown = "a character class inside another";
        } else if (rest().starts_with("&&")) {
            m_unknown = "the intersection && of character classes";
        } else {
            m_inClass = next() != ']';
            take();
        }
    }

    void group()
    {
        take();
        if (rest().starts_with('*')) {
            m_unknown = "the verb (*";
        }
        if (!rest().starts_with('?')) {
            return;
        }
        for (const std::string_view start : groupStarts) {
            if (rest().starts_with(start)) {
                take(start.size());
                return;
            }
        }
        m_unknown = "the group (" + std::string(rest().substr(0, 3));
    }

    /// {n}, {n,} and {n,m}; Ruby reads a + behind them and {,m} in ways of its own.
    void interval()
    {
        const size_t close = rest().find('}');
        const std::string_view inside = close == std::string_view::npos ? "" : rest().substr(1, close - 1);
        const bool plain = !inside.empty() && inside.find_first_not_of("0123456789,") == std::string_view::npos
            && inside[0] != ',' && std::count(inside.begin(), inside.end(), ',') <= 1;
        const bool possessive = close != std::string_view::npos && rest().substr(close + 1, 1) == "+";
        if (!plain || possessive) {
            m_unknown = "the interval " + std::string(rest().substr(0, 8));
            return;
        }
        take(close + 1);
    }

    void escape()
    {
        if (m_position + 1 >= m_source.size()) {
            m_unknown = "a \\ at its end";
            return;
        }
        constexpr std::string_view sameInBoth = "rntfaesSdDAz";
        const char letter = m_source[m_position + 1];
        const bool alphanumeric = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z')
            || (letter >= 'A' && letter <= 'Z') || static_cast<unsigned char>(letter) >= 0x80;
        if (letter == 'p' || letter == 'P') {
            property();
        } else if (letter == 'w' || (letter == 'W' && !m_inClass)) {
            wordCharacter(letter == 'w');
        } else if (letter == 'u') {
            codePoint(m_position + 2, 4);
        } else if (letter == 'x') {
            hexadecimal();
        } else if (letter == 'v') {
            verticalTab();
        } else if (!alphanumeric || sameInBoth.find(letter) != std::string_view::npos) {
            take(2);
        } else {
            m_unknown = "\\" + std::string(1, letter);
        }
    }

    /// PCRE2's \v is a class of its own, Ruby's the vertical tab.
    void verticalTab()
    {
        m_result += R"(\x0B)";
        m_position += 2;
    }

    void wordCharacter(bool positive)
    {
        if (m_inClass) {
            m_result += wordClass;
        } else {
            m_result += (positive ? "[" : "[^") + std::string(wordClass) + "]";
        }
        m_position += 2;
    }

    void property()
    {
        const size_t close = rest().find('}');
        if (rest().size() < 4 || rest()[2] != '{' || close == std::string_view::npos) {
            m_unknown = std::string(rest().substr(0, 3));
            return;
        }
        std::string_view name = rest().substr(3, close - 3);
        name.remove_prefix(name.starts_with('^') ? 1 : 0);
        if (!contains(knownProperties, name)) {
            m_unknown = std::string(rest().substr(0, close + 1));
            return;
        }
        take(close + 1);
    }

    void hexadecimal()
    {
        if (rest().substr(2, 1) == "{") {
            const size_t close = rest().find('}');
            codePoint(m_position + 3, close == std::string_view::npos ? 0 : close - 3);
            m_position += m_unknown.empty() ? 1 : 0;
        } else {
            codePoint(m_position + 2, 2);
            if (m_unknown.empty() && m_result[m_result.size() - 3] > '7') {
                m_unknown = "a byte that is no ASCII character";
            }
        }
    }

    void codePoint(size_t begin, size_t digits)
    {
        const std::string_view number = m_source.substr(std::min(begin, m_source.size()), digits);
        const bool hexadecimalDigits = number.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
        if (number.empty() || number.size() != digits || !hexadecimalDigits) {
            m_unknown = std::string(rest().substr(0, 4));
            return;
        }
        m_result += "\\x{" + std::string(number) + "}";
        m_position = begin + digits;
    }

    std::string_view m_source;
    size_t m_position = 0;
    bool m_inClass = false;
    std::string m_result;
    std::string m_unknown;
};

} // namespace

Result<std::string> toPcreSyntax(std::string_view expression)
{
    return Translator(expression).run();
}

} // namespace tunebench
