#include "core/text/jinja/lexer.h"

#include "core/text/jinja/text.h"
#include "core/text/jinja/value.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tunebench::jinja {

void failAt(int line, const std::string& message)
{
    throw TemplateFailure("line " + std::to_string(line) + ": " + message);
}

namespace {

bool isDigit(char byte)
{
    return byte >= '0' && byte <= '9';
}

std::string normalizeNewlines(std::string_view source)
{
    std::string out;
    out.reserve(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
        if (source[i] == '\r' && i + 1 < source.size() && source[i + 1] == '\n')
            continue;
        out += source[i] == '\r' ? '\n' : source[i];
    }
    return out;
}

class Lexer {
public:
    explicit Lexer(std::string_view source)
        : m_source(normalizeNewlines(source))
    {
        if (!m_source.empty() && m_source.back() == '\n')
            m_source.pop_back();
    }

    std::vector<Token> run()
    {
        while (m_at < m_source.size())
            lexData();
        push(Token::Kind::end);
        return std::move(m_tokens);
    }

private:
    bool startsWith(std::string_view wanted, size_t at) const
    {
        return std::string_view(m_source).substr(at, wanted.size()) == wanted;
    }
    char byteAt(size_t at) const { return at < m_source.size() ? m_source[at] : '\0'; }

    Token& push(Token::Kind kind, std::string text = {})
    {
        m_tokens.push_back({ kind, std::move(text), 0, 0, m_line });
        return m_tokens.back();
    }

    void advance(size_t to)
    {
        const auto begin = m_source.begin();
        m_line += static_cast<int>(
            std::count(begin + static_cast<std::ptrdiff_t>(m_at), begin + static_cast<std::ptrdiff_t>(to), '\n'));
        if (to > m_at)
            m_lineStarting = m_source[to - 1] == '\n';
        m_at = to;
    }

    size_t skipSpace(size_t at) const
    {
        while (at < m_source.size() && isSpace(codeAt(m_source, at)))
            at += sequenceSize(m_source, at);
        return at;
    }

    /// The end of a closing mark at `at` (with its sign and the white space that it takes), or 0.
    size_t closingMark(std::string_view mark, size_t at, bool plusAllowed, bool trimsNewline) const
    {
        if (byteAt(at) == '-' && startsWith(mark, at + 1))
            return skipSpace(at + 1 + mark.size());
        if (plusAllowed && byteAt(at) == '+' && startsWith(mark, at + 1))
            return at + 1 + mark.size();
        if (!startsWith(mark, at))
            return 0;
        const size_t end = at + mark.size();
        return trimsNewline && byteAt(end) == '\n' ? end + 1 : end;
    }

    /// The sign behind an opening mark that ends at `at`, or '\0'.
    char signAt(size_t at) const { return byteAt(at) == '-' || byteAt(at) == '+' ? m_source[at] : '\0'; }

    void pushData(size_t end, char sign, bool isVariable)
    {
        std::string_view text = std::string_view(m_source).substr(m_at, end - m_at);
        if (sign == '-') {
            text = strip(text, Side::right);
        } else if (sign != '+' && !isVariable) {
            const size_t newline = text.rfind('\n');
            const size_t lineStart = newline == std::string_view::npos ? 0 : newline + 1;
            if ((lineStart > 0 || m_lineStarting) && strip(text.substr(lineStart), Side::left).empty())
                text = text.substr(0, lineStart);
        }
        if (!text.empty())
            push(Token::Kind::data, std::string(text));
    }

    size_t findOpening() const
    {
        for (size_t at = m_source.find('{', m_at); at != std::string::npos; at = m_source.find('{', at + 1)) {
            const char next = byteAt(at + 1);
            if (next == '{' || next == '%' || next == '#')
                return at;
        }
        return std::string::npos;
    }

    /// The end of `{% raw %}` at `at`, or 0.
    size_t rawOpening(size_t at) const
    {
        const size_t word = skipSpace(at + 2 + (signAt(at + 2) ? 1 : 0));
        return startsWith("raw", word) ? closingMark("%}", skipSpace(word + 3), false, false) : 0;
    }

    void lexData()
    {
        const size_t at = findOpening();
        if (at == std::string::npos) {
            push(Token::Kind::data, m_source.substr(m_at));
            advance(m_source.size());
            return;
        }
        const char kind = m_source[at + 1];
        const char sign = signAt(at + 2);
        pushData(at, sign, kind == '{');
        const size_t raw = kind == '%' ? rawOpening(at) : 0;
        if (raw) {
            advance(raw);
            lexRaw();
            return;
        }
        advance(at + 2 + (sign ? 1 : 0));
        if (kind == '#')
            lexComment();
        else
            lexTag(kind == '{');
    }

    void lexComment()
    {
        for (size_t at = m_at; at < m_source.size(); ++at) {
            if (const size_t end = closingMark("#}", at, true, true)) {
                advance(end);
                return;
            }
        }
        if (m_at < m_source.size())
            failAt(m_line, "the comment is not closed");
    }

    void lexRaw()
    {
        for (size_t at = m_source.find("{%", m_at); at != std::string::npos; at = m_source.find("{%", at + 1)) {
            const char sign = signAt(at + 2);
            const size_t word = skipSpace(at + 2 + (sign ? 1 : 0));
            if (!startsWith("endraw", word))
                continue;
            if (const size_t end = closingMark("%}", skipSpace(word + 6), true, true)) {
                pushData(at, sign, false);
                advance(end);
                return;
            }
        }
        if (m_at < m_source.size())
            failAt(m_line, "the raw block is not closed");
    }

    void lexTag(bool isVariable)
    {
        push(isVariable ? Token::Kind::variableBegin : Token::Kind::blockBegin);
        std::string open; // brackets that wait for their end
        while (m_at < m_source.size()) {
            const size_t end = open.empty() ? closingMark(isVariable ? "}}" : "%}", m_at, !isVariable, !isVariable) : 0;
            if (end) {
                push(isVariable ? Token::Kind::variableEnd : Token::Kind::blockEnd);
                advance(end);
                return;
            }
            if (const size_t next = skipSpace(m_at); next > m_at)
                advance(next);
            else
                lexToken(open);
        }
    }

    void lexToken(std::string& open)
    {
        const char byte = m_source[m_at];
        if (isDigit(byte))
            lexNumber();
        else if (isNamePart(codeAt(m_source, m_at)))
            lexName();
        else if (byte == '"' || byte == '\'')
            lexString(byte);
        else
            lexSymbol(open);
    }

    void lexName()
    {
        if (!isNameStart(codeAt(m_source, m_at)))
            failAt(m_line, "invalid character in a name");
        size_t end = m_at;
        while (end < m_source.size() && isNamePart(codeAt(m_source, end)))
            end += sequenceSize(m_source, end);
        push(Token::Kind::name, m_source.substr(m_at, end - m_at));
        advance(end);
    }

    /// The end of digits with single underscores between them, or `at` when there is no digit.
    template <class IsDigit> size_t digits(size_t at, IsDigit isOne, bool underscoreFirst = false) const
    {
        if (underscoreFirst && byteAt(at) == '_' && isOne(byteAt(at + 1)))
            ++at;
        while (isOne(byteAt(at)))
            at += byteAt(at + 1) == '_' && isOne(byteAt(at + 2)) ? 2 : 1;
        return at;
    }

    size_t realEnd() const
    {
        const bool afterDot = m_at > 0 && m_source[m_at - 1] == '.';
        const size_t whole = digits(m_at, isDigit);
        size_t end = whole;
        if (byteAt(end) == '.' && isDigit(byteAt(end + 1)))
            end = digits(end + 1, isDigit);
        if (byteAt(end) == 'e' || byteAt(end) == 'E') {
            const size_t exponent = end + (byteAt(end + 1) == '+' || byteAt(end + 1) == '-' ? 2 : 1);
            if (isDigit(byteAt(exponent)))
                end = digits(exponent, isDigit);
        }
        return afterDot || end == whole ? 0 : end;
    }

    void lexNumber()
    {
        if (const size_t end = realEnd()) {
            std::string spelled = m_source.substr(m_at, end - m_at);
            std::erase(spelled, '_');
            Token& token = push(Token::Kind::real);
            const auto result = std::from_chars(spelled.data(), spelled.data() + spelled.size(), token.real);
            if (result.ec != std::errc())
                failAt(m_line, "the number " + spelled + " is out of range");
            advance(end);
            return;
        }
        const auto [base, begin] = basePrefix();
        const auto isOne = [base = base](char byte) {
            const char lower = static_cast<char>(byte | 0x20);
            return base == 16 ? isDigit(byte) || (lower >= 'a' && lower <= 'f') : byte >= '0' && byte < '0' + base;
        };
        const bool onlyZeros = base == 10 && m_source[m_at] == '0';
        const size_t end
            = onlyZeros ? digits(begin, [](char byte) { return byte == '0'; }) : digits(begin, isOne, base != 10);
        std::string spelled = m_source.substr(begin, end - begin);
        std::erase(spelled, '_');
        Token& token = push(Token::Kind::integer);
        const auto result = std::from_chars(spelled.data(), spelled.data() + spelled.size(), token.integer, base);
        if (result.ec != std::errc())
            failAt(m_line, "the integer " + spelled + " has more than 64 bits, which is not supported");
        advance(end);
    }

    /// Base of the integer here and where its digits start.
    std::pair<int, size_t> basePrefix() const
    {
        if (m_source[m_at] != '0')
            return { 10, m_at };
        const size_t first = m_at + 2 + (byteAt(m_at + 2) == '_' ? 1 : 0);
        const char digit = byteAt(first);
        const char lower = static_cast<char>(digit | 0x20);
        switch (byteAt(m_at + 1) | 0x20) {
        case 'b':
            return digit == '0' || digit == '1' ? std::pair(2, m_at + 2) : std::pair(10, m_at);
        case 'o':
            return digit >= '0' && digit <= '7' ? std::pair(8, m_at + 2) : std::pair(10, m_at);
        case 'x':
            return isDigit(digit) || (lower >= 'a' && lower <= 'f') ? std::pair(16, m_at + 2) : std::pair(10, m_at);
        default:
            return { 10, m_at };
        }
    }

    void lexString(char quote)
    {
        size_t end = m_at + 1;
        while (end < m_source.size() && m_source[end] != quote)
            end += m_source[end] == '\\' ? 2 : 1;
        if (end >= m_source.size())
            failAt(m_line, "the string is not closed");
        push(Token::Kind::text, unescape(std::string_view(m_source).substr(m_at + 1, end - m_at - 1)));
        advance(end + 1);
    }

    void appendNumericEscape(std::string& out, std::string_view text, size_t& at, size_t width) const
    {
        uint32_t code = 0;
        const std::string_view spelled = text.substr(at + 1, width);
        const auto result = std::from_chars(spelled.data(), spelled.data() + spelled.size(), code, 16);
        if (spelled.size() < width || result.ptr != spelled.data() + spelled.size() || code > 0x10FFFF)
            failAt(m_line, "a string has a bad escape: \\" + std::string(text.substr(at, 1)));
        appendScalar(out, code);
        at += width;
    }

    void appendScalar(std::string& out, char32_t code) const
    {
        if (code >= 0xD800 && code < 0xE000)
            failAt(m_line, "a string has a lone surrogate, which UTF-8 cannot hold");
        appendCode(out, code);
    }

    /// The escapes of a Python string literal; an unknown one stays as it is.
    std::string unescape(std::string_view text) const
    {
        static constexpr std::string_view letters = "\\'\"abfnrtv";
        static constexpr std::string_view meanings = "\\'\"\a\b\f\n\r\t\v";
        std::string out;
        for (size_t at = 0; at < text.size(); ++at) {
            if (text[at] != '\\') {
                out += text[at];
                continue;
            }
            ++at;
            const char letter = text[at];
            if (const size_t known = letters.find(letter); known != std::string_view::npos) {
                out += meanings[known];
            } else if (letter == 'x' || letter == 'u' || letter == 'U') {
                appendNumericEscape(out, text, at, letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
            } else if (letter >= '0' && letter <= '7') {
                size_t end = at;
                uint32_t code = 0;
                for (; end < text.size() && end < at + 3 && text[end] >= '0' && text[end] <= '7'; ++end)
                    code = code * 8 + static_cast<uint32_t>(text[end] - '0');
                appendScalar(out, code);
                at = end - 1;
            } else if (letter == 'N') {
                failAt(m_line, "a string has a \\N escape, which is not supported");
            } else if (static_cast<unsigned char>(letter) >= 0x80) {
                // jinja2 turns the character into its own escape first, which the backslash then takes apart.
                const std::string repr = escapedCode(codeAt(text, at));
                out += repr;
                at += sequenceSize(text, at) - 1;
            } else if (letter != '\n') {
                out.append(1, '\\').append(1, letter);
            }
        }
        return out;
    }

    static std::string escapedCode(char32_t code)
    {
        char buffer[8];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<uint32_t>(code), 16).ptr;
        const std::string digits(buffer, end);
        const size_t width = code < 0x100 ? 2 : code < 0x10000 ? 4 : 8;
        return std::string(code < 0x100 ? "\\x"
                       : code < 0x10000 ? "\\u"
                                        : "\\U")
            + std::string(width - digits.size(), '0') + digits;
    }

    void lexSymbol(std::string& open)
    {
        static constexpr std::array<std::string_view, 6> doubles = { "**", "//", "==", "!=", ">=", "<=" };
        static constexpr std::string_view singles = "+-*/%~[](){}><=.:|,;";
        const std::string_view two = std::string_view(m_source).substr(m_at, 2);
        const bool isDouble = std::find(doubles.begin(), doubles.end(), two) != doubles.end();
        const char byte = two[0];
        if (!isDouble && singles.find(byte) == std::string_view::npos)
            failAt(m_line, "unexpected character '" + m_source.substr(m_at, sequenceSize(m_source, m_at)) + "'");
        if (byte == '{' || byte == '(' || byte == '[') {
            open += byte == '{' ? '}' : byte == '(' ? ')' : ']';
        } else if (byte == '}' || byte == ')' || byte == ']') {
            if (open.empty() || open.back() != byte)
                failAt(m_line, std::string("unexpected '") + byte + "'");
            open.pop_back();
        }
        const size_t size = isDouble ? 2 : 1;
        push(Token::Kind::symbol, m_source.substr(m_at, size));
        advance(m_at + size);
    }

    std::string m_source;
    size_t m_at = 0;
    int m_line = 1;
    bool m_lineStarting = true;
    std::vector<Token> m_tokens;
};

} // namespace

std::vector<Token> tokenize(std::string_view source)
{
    return Lexer(source).run();
}

} // namespace tunebench::jinja
