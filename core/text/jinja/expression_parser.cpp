#include "core/text/jinja/expression_parser.h"

#include <algorithm>

namespace tunebench::jinja {

namespace {

constexpr size_t maxLevel = 200; ///< of brackets, operators and blocks inside each other

} // namespace

ExpressionParser::ExpressionParser(std::vector<Token> tokens)
    : m_tokens(std::move(tokens))
{
}

ExpressionParser::Level::Level(ExpressionParser& parser)
    : m_parser(parser)
{
    if (m_parser.m_level >= maxLevel)
        m_parser.fail("the template is nested too deep");
    ++m_parser.m_level;
}

Token ExpressionParser::next()
{
    Token token = current();
    if (token.kind != Token::Kind::end)
        ++m_at;
    return token;
}

bool ExpressionParser::isSymbol(std::string_view symbol) const
{
    return current().kind == Token::Kind::symbol && current().text == symbol;
}

bool ExpressionParser::isName(std::string_view name) const
{
    return current().kind == Token::Kind::name && current().text == name;
}

bool ExpressionParser::skipSymbol(std::string_view symbol)
{
    const bool found = isSymbol(symbol);
    if (found)
        ++m_at;
    return found;
}

bool ExpressionParser::skipName(std::string_view name)
{
    const bool found = isName(name);
    if (found)
        ++m_at;
    return found;
}

void ExpressionParser::failUnexpected() const
{
    switch (current().kind) {
    case Token::Kind::end:
        fail("unexpected end of the template");
    case Token::Kind::blockEnd:
        fail("unexpected end of the tag");
    case Token::Kind::variableEnd:
        fail("unexpected end of the expression");
    default:
        fail("unexpected '" + current().text + "'");
    }
}

void ExpressionParser::expectSymbol(std::string_view symbol)
{
    if (!skipSymbol(symbol))
        failUnexpected();
}

std::string ExpressionParser::expectName()
{
    if (!is(Token::Kind::name))
        failUnexpected();
    return next().text;
}

void ExpressionParser::expectKind(Token::Kind kind, std::string_view what)
{
    if (!is(kind))
        fail("expected " + std::string(what));
    next();
}

NameId ExpressionParser::idOf(const std::string& name)
{
    const auto [entry, added] = m_ids.emplace(name, static_cast<NameId>(m_names.size()));
    if (added)
        m_names.push_back(name);
    return entry->second;
}

void ExpressionParser::measure(Expression& expression) const
{
    const auto deepen = [&](const ExpressionPtr& part) {
        if (part)
            expression.depth = std::max(expression.depth, part->depth + 1);
    };
    std::for_each(expression.children.begin(), expression.children.end(), deepen);
    std::for_each(expression.arguments.positional.begin(), expression.arguments.positional.end(), deepen);
    for (const auto& [name, value] : expression.arguments.keywords)
        deepen(value);
    deepen(expression.arguments.morePositional);
    deepen(expression.arguments.moreKeywords);
    if (expression.depth > maxLevel)
        failAt(expression.line, "the expression is nested too deep");
}

ExpressionPtr ExpressionParser::make(Expression::Kind kind, int line, std::vector<ExpressionPtr> parts) const
{
    auto expression = std::make_unique<Expression>();
    expression->kind = kind;
    expression->line = line;
    expression->children = std::move(parts);
    measure(*expression);
    return expression;
}

ExpressionPtr ExpressionParser::makeName(const std::string& name, int line)
{
    auto expression = make(Expression::Kind::name, line);
    expression->name = idOf(name);
    expression->text = name;
    return expression;
}

void ExpressionParser::noteLoaded(const std::string& name)
{
    for (MacroUse& use : m_macros) {
        use.caller |= name == "caller" && !use.callerSet;
        use.varargs |= name == "varargs" && !use.varargsSet;
        use.kwargs |= name == "kwargs" && !use.kwargsSet;
    }
}

void ExpressionParser::noteStored(const std::string& name)
{
    for (MacroUse& use : m_macros) {
        use.callerSet |= name == "caller";
        use.varargsSet |= name == "varargs";
        use.kwargsSet |= name == "kwargs";
    }
}

ExpressionPtr ExpressionParser::parseExpression(bool withConditional)
{
    return withConditional ? parseConditional() : parseOr();
}

ExpressionPtr ExpressionParser::parseConditional()
{
    int line = current().line;
    auto result = parseOr();
    while (skipName("if")) {
        auto condition = parseOr();
        const Level level(*this);
        auto other = skipName("else") ? parseConditional() : nullptr;
        result = make(
            Expression::Kind::conditional, line, children(std::move(condition), std::move(result), std::move(other)));
        line = current().line;
    }
    return result;
}

ExpressionPtr ExpressionParser::parseOr()
{
    auto left = parseAnd();
    while (isName("or")) {
        const int line = next().line;
        left = make(Expression::Kind::either, line, children(std::move(left), parseAnd()));
    }
    return left;
}

ExpressionPtr ExpressionParser::parseAnd()
{
    auto left = parseNot();
    while (isName("and")) {
        const int line = next().line;
        left = make(Expression::Kind::both, line, children(std::move(left), parseNot()));
    }
    return left;
}

ExpressionPtr ExpressionParser::parseNot()
{
    if (!isName("not"))
        return parseCompare();
    const Level level(*this);
    const int line = next().line;
    return make(Expression::Kind::notTrue, line, children(parseNot()));
}

std::optional<Operator> ExpressionParser::nextComparison()
{
    static constexpr std::pair<std::string_view, Operator> symbols[]
        = { { "==", Operator::equal }, { "!=", Operator::notEqual }, { "<", Operator::less },
              { "<=", Operator::lessEqual }, { ">", Operator::greater }, { ">=", Operator::greaterEqual } };
    for (const auto& [symbol, meaning] : symbols) {
        if (skipSymbol(symbol))
            return meaning;
    }
    if (skipName("in"))
        return Operator::in;
    if (isName("not") && ahead().kind == Token::Kind::name && ahead().text == "in") {
        m_at += 2;
        return Operator::notIn;
    }
    return {};
}

ExpressionPtr ExpressionParser::parseCompare()
{
    const int line = current().line;
    auto first = parseSum();
    std::vector<Operator> operators;
    std::vector<ExpressionPtr> operands;
    while (const auto found = nextComparison()) {
        operators.push_back(*found);
        operands.push_back(parseSum());
    }
    if (operators.empty())
        return first;
    operands.insert(operands.begin(), std::move(first));
    auto result = make(Expression::Kind::compare, line, std::move(operands));
    result->operators = std::move(operators);
    return result;
}

ExpressionPtr ExpressionParser::parseLeft(
    Rule operand, std::initializer_list<std::pair<std::string_view, Operator>> operators)
{
    auto left = (this->*operand)();
    while (true) {
        const int line = current().line;
        const auto* found = std::find_if(
            operators.begin(), operators.end(), [&](const auto& entry) { return skipSymbol(entry.first); });
        if (found == operators.end())
            return left;
        auto right = (this->*operand)();
        left = make(Expression::Kind::binary, line, children(std::move(left), std::move(right)));
        left->operators = { found->second };
    }
}

ExpressionPtr ExpressionParser::parseSum()
{
    return parseLeft(&ExpressionParser::parseConcat, { { "+", Operator::add }, { "-", Operator::subtract } });
}

ExpressionPtr ExpressionParser::parseConcat()
{
    const int line = current().line;
    auto first = parseProduct();
    if (!isSymbol("~"))
        return first;
    auto parts = children(std::move(first));
    while (skipSymbol("~"))
        parts.push_back(parseProduct());
    return make(Expression::Kind::concat, line, std::move(parts));
}

ExpressionPtr ExpressionParser::parseProduct()
{
    return parseLeft(&ExpressionParser::parsePower,
        { { "*", Operator::multiply }, { "/", Operator::divide }, { "//", Operator::floorDivide },
            { "%", Operator::modulo } });
}

ExpressionPtr ExpressionParser::parsePower()
{
    auto left = parseUnary(true);
    while (isSymbol("**")) {
        const int line = next().line;
        left = make(Expression::Kind::binary, line, children(std::move(left), parseUnary(true)));
        left->operators = { Operator::power };
    }
    return left;
}

ExpressionPtr ExpressionParser::parseUnary(bool withFilter)
{
    const Level level(*this);
    ExpressionPtr result;
    if (isSymbol("-") || isSymbol("+")) {
        const Token sign = next();
        result = make(sign.text == "-" ? Expression::Kind::negate : Expression::Kind::positive, sign.line,
            children(parseUnary(false)));
    } else {
        result = parsePrimary();
    }
    result = parsePostfix(std::move(result));
    return withFilter ? parseFiltersAndTests(std::move(result)) : std::move(result);
}

ExpressionPtr ExpressionParser::parsePrimary()
{
    const Token token = current();
    const auto constant = [&](Value value) {
        auto result = make(Expression::Kind::constant, token.line);
        result->constant = std::move(value);
        return result;
    };
    if (token.kind == Token::Kind::name) {
        next();
        if (token.text == "true" || token.text == "True" || token.text == "false" || token.text == "False")
            return constant(token.text[0] == 't' || token.text[0] == 'T');
        if (token.text == "none" || token.text == "None")
            return constant(None {});
        noteLoaded(token.text);
        return makeName(token.text, token.line);
    }
    if (token.kind == Token::Kind::text) {
        std::string text;
        while (is(Token::Kind::text))
            text += next().text;
        return constant(std::move(text));
    }
    if (token.kind == Token::Kind::integer || token.kind == Token::Kind::real) {
        next();
        return token.kind == Token::Kind::integer ? constant(token.integer) : constant(token.real);
    }
    if (skipSymbol("(")) {
        auto result = parseTuple(true, {}, true);
        expectSymbol(")");
        return result;
    }
    if (isSymbol("["))
        return parseList();
    if (isSymbol("{"))
        return parseDict();
    failUnexpected();
}

ExpressionPtr ExpressionParser::parseTuple(bool withConditional, std::string_view end, bool parenthesized)
{
    const int line = current().line;
    std::vector<ExpressionPtr> items;
    bool isTuple = false;
    while (true) {
        if (!items.empty())
            expectSymbol(",");
        if (is(Token::Kind::variableEnd) || is(Token::Kind::blockEnd) || isSymbol(")") || (!end.empty() && isName(end)))
            break;
        items.push_back(parseExpression(withConditional));
        if (!isSymbol(","))
            break;
        isTuple = true;
    }
    if (!isTuple && !items.empty())
        return std::move(items.front());
    if (!isTuple && !parenthesized)
        failUnexpected();
    return make(Expression::Kind::tuple, line, std::move(items));
}

void ExpressionParser::makeStored(Expression& target)
{
    if (target.kind == Expression::Kind::name)
        noteStored(target.text);
    else if (target.kind == Expression::Kind::tuple)
        std::for_each(target.children.begin(), target.children.end(), [&](auto& item) { makeStored(*item); });
    else if (target.kind != Expression::Kind::namespaceAttribute)
        failAt(target.line, "only names and tuples of names can be assigned to");
}

ExpressionPtr ExpressionParser::parseTargetItem(bool withNamespace)
{
    if (withNamespace && is(Token::Kind::name) && ahead().kind == Token::Kind::symbol && ahead().text == ".") {
        const Token name = next();
        next();
        auto result = makeName(name.text, name.line);
        result->kind = Expression::Kind::namespaceAttribute;
        result->text = expectName();
        return result;
    }
    if (is(Token::Kind::name)) {
        const Token name = current();
        static constexpr std::string_view constants[] = { "true", "false", "none", "True", "False", "None" };
        if (std::find(std::begin(constants), std::end(constants), name.text) != std::end(constants))
            fail("'" + name.text + "' cannot be assigned to");
        next();
        return makeName(name.text, name.line);
    }
    return parsePrimary();
}

ExpressionPtr ExpressionParser::parseTarget(std::string_view end, bool withNamespace)
{
    const int line = current().line;
    std::vector<ExpressionPtr> items;
    bool isTuple = false;
    while (true) {
        if (!items.empty())
            expectSymbol(",");
        if (is(Token::Kind::blockEnd) || isSymbol(")") || (!end.empty() && isName(end)))
            break;
        items.push_back(parseTargetItem(withNamespace));
        if (!isSymbol(","))
            break;
        isTuple = true;
    }
    if (items.empty())
        failUnexpected();
    auto target = isTuple ? make(Expression::Kind::tuple, line, std::move(items)) : std::move(items.front());
    makeStored(*target);
    return target;
}

ExpressionPtr ExpressionParser::parseList()
{
    const int line = next().line;
    std::vector<ExpressionPtr> items;
    while (!isSymbol("]")) {
        if (!items.empty())
            expectSymbol(",");
        if (isSymbol("]"))
            break;
        items.push_back(parseExpression());
    }
    expectSymbol("]");
    return make(Expression::Kind::list, line, std::move(items));
}

ExpressionPtr ExpressionParser::parseDict()
{
    const int line = next().line;
    std::vector<ExpressionPtr> items;
    while (!isSymbol("}")) {
        if (!items.empty())
            expectSymbol(",");
        if (isSymbol("}"))
            break;
        items.push_back(parseExpression());
        expectSymbol(":");
        items.push_back(parseExpression());
    }
    expectSymbol("}");
    return make(Expression::Kind::dict, line, std::move(items));
}

} // namespace tunebench::jinja
