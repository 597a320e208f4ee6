#pragma once

#include "core/text/jinja/ast.h"
#include "core/text/jinja/lexer.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace tunebench::jinja {

/// The parts of an expression, in order.
template <class... Children> std::vector<ExpressionPtr> children(Children... child)
{
    std::vector<ExpressionPtr> all;
    (all.push_back(std::move(child)), ...);
    return all;
}

/// The tokens and the grammar of expressions; the grammar of statements builds on it.
class ExpressionParser {
public:
    explicit ExpressionParser(std::vector<Token> tokens);

protected:
    /// Which of the special names of a macro its body reads.
    struct MacroUse {
        bool caller = false, varargs = false, kwargs = false;
        bool callerSet = false, varargsSet = false, kwargsSet = false;
    };

    /// Counts how deep the parser is inside itself.
    class Level {
    public:
        Level(ExpressionParser& parser);
        ~Level() { --m_parser.m_level; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

    private:
        ExpressionParser& m_parser;
    };

    const Token& current() const { return m_tokens[m_at]; }
    const Token& ahead() const { return m_tokens[std::min(m_at + 1, m_tokens.size() - 1)]; }
    Token next();
    bool isSymbol(std::string_view symbol) const;
    bool isName(std::string_view name) const;
    bool is(Token::Kind kind) const { return current().kind == kind; }
    bool skipSymbol(std::string_view symbol);
    bool skipName(std::string_view name);
    void expectSymbol(std::string_view symbol);
    std::string expectName();
    void expectKind(Token::Kind kind, std::string_view what);
    [[noreturn]] void fail(const std::string& message) const { failAt(current().line, message); }
    [[noreturn]] void failUnexpected() const;

    NameId idOf(const std::string& name);

    ExpressionPtr parseExpression(bool withConditional = true);
    /// One expression, or a tuple without parentheses; a name in `end` closes it too.
    ExpressionPtr parseTuple(bool withConditional = true, std::string_view end = {}, bool parenthesized = false);
    /// What `for` and `set` assign to.
    ExpressionPtr parseTarget(std::string_view end, bool withNamespace);
    /// Filters from here on: applied to `input`, or to the text of a block where that is null.
    ExpressionPtr parseFilters(ExpressionPtr input);
    ExpressionPtr parseFilter(ExpressionPtr input);
    void noteStored(const std::string& name);

    std::vector<std::string> m_names;
    std::vector<MacroUse> m_macros; ///< those around the current place

private:
    using Rule = ExpressionPtr (ExpressionParser::*)();

    ExpressionPtr make(Expression::Kind kind, int line, std::vector<ExpressionPtr> children = {}) const;
    ExpressionPtr makeName(const std::string& name, int line);
    void noteLoaded(const std::string& name);
    void measure(Expression& expression) const;

    ExpressionPtr parseConditional();
    ExpressionPtr parseOr();
    ExpressionPtr parseAnd();
    ExpressionPtr parseNot();
    ExpressionPtr parseCompare();
    ExpressionPtr parseSum();
    ExpressionPtr parseConcat();
    ExpressionPtr parseProduct();
    ExpressionPtr parsePower();
    ExpressionPtr parseUnary(bool withFilter);
    ExpressionPtr parsePrimary();
    ExpressionPtr parseTargetItem(bool withNamespace);
    ExpressionPtr parseList();
    ExpressionPtr parseDict();
    ExpressionPtr parsePostfix(ExpressionPtr base);
    ExpressionPtr parseFiltersAndTests(ExpressionPtr base);
    ExpressionPtr parseAttribute(ExpressionPtr base);
    ExpressionPtr parseSubscript(ExpressionPtr base);
    ExpressionPtr parseSubscriptItem();
    ExpressionPtr parseCall(ExpressionPtr callee);
    CallArguments parseArguments();
    ExpressionPtr parseTest(ExpressionPtr subject);
    std::string parseDottedName();
    ExpressionPtr parseLeft(Rule operand, std::initializer_list<std::pair<std::string_view, Operator>> operators);
    std::optional<Operator> nextComparison();
    void makeStored(Expression& target);

    std::vector<Token> m_tokens;
    size_t m_at = 0;
    size_t m_level = 0;
    std::unordered_map<std::string, NameId> m_ids;
};

} // namespace tunebench::jinja
