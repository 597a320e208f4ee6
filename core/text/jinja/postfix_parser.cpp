#include "core/text/jinja/expression_parser.h"

#include <algorithm>

/// What stands behind an operand: attributes, subscripts, calls, filters and tests.
namespace tunebench::jinja {

ExpressionPtr ExpressionParser::parsePostfix(ExpressionPtr base)
{
    while (true) {
        if (isSymbol("."))
            base = parseAttribute(std::move(base));
        else if (isSymbol("["))
            base = parseSubscript(std::move(base));
        else if (isSymbol("("))
            base = parseCall(std::move(base));
        else
            return base;
    }
}

ExpressionPtr ExpressionParser::parseFiltersAndTests(ExpressionPtr base)
{
    while (true) {
        if (isSymbol("|"))
            base = parseFilters(std::move(base));
        else if (isName("is"))
            base = parseTest(std::move(base));
        else if (isSymbol("("))
            base = parseCall(std::move(base));
        else
            return base;
    }
}

ExpressionPtr ExpressionParser::parseAttribute(ExpressionPtr base)
{
    const int line = next().line;
    const Token token = next();
    if (token.kind == Token::Kind::name) {
        auto result = make(Expression::Kind::attribute, line, children(std::move(base)));
        result->text = token.text;
        return result;
    }
    if (token.kind != Token::Kind::integer)
        failAt(line, "expected a name or a number behind '.'");
    auto position = make(Expression::Kind::constant, line);
    position->constant = token.integer;
    return make(Expression::Kind::subscript, line, children(std::move(base), std::move(position)));
}

ExpressionPtr ExpressionParser::parseSubscript(ExpressionPtr base)
{
    const int line = next().line;
    std::vector<ExpressionPtr> items;
    while (!isSymbol("]")) {
        if (!items.empty())
            expectSymbol(",");
        items.push_back(parseSubscriptItem());
    }
    expectSymbol("]");
    const auto isSlice = [](const ExpressionPtr& item) { return item->kind == Expression::Kind::slice; };
    if (items.size() != 1 && std::any_of(items.begin(), items.end(), isSlice))
        failAt(line, "several slices in one subscript are not supported");
    auto index = items.size() == 1 ? std::move(items.front()) : make(Expression::Kind::tuple, line, std::move(items));
    return make(Expression::Kind::subscript, line, children(std::move(base), std::move(index)));
}

ExpressionPtr ExpressionParser::parseSubscriptItem()
{
    const int line = current().line;
    const auto bound = [&]() -> ExpressionPtr {
        return isSymbol(":") || isSymbol("]") || isSymbol(",") ? nullptr : parseExpression();
    };
    ExpressionPtr begin;
    if (!isSymbol(":")) {
        begin = parseExpression();
        if (!isSymbol(":"))
            return begin;
    }
    expectSymbol(":");
    auto end = bound();
    auto step = skipSymbol(":") && !isSymbol("]") && !isSymbol(",") ? parseExpression() : nullptr;
    return make(Expression::Kind::slice, line, children(std::move(begin), std::move(end), std::move(step)));
}

CallArguments ExpressionParser::parseArguments()
{
    CallArguments arguments;
    expectSymbol("(");
    bool first = true;
    const auto ensure = [&](bool allowed) {
        if (!allowed)
            fail("the arguments of the call are in a wrong order");
    };
    while (!isSymbol(")")) {
        if (!first)
            expectSymbol(",");
        if (isSymbol(")"))
            break;
        first = false;
        if (skipSymbol("*")) {
            ensure(!arguments.morePositional && !arguments.moreKeywords);
            arguments.morePositional = parseExpression();
        } else if (skipSymbol("**")) {
            ensure(!arguments.moreKeywords);
            arguments.moreKeywords = parseExpression();
        } else if (is(Token::Kind::name) && ahead().kind == Token::Kind::symbol && ahead().text == "=") {
            ensure(!arguments.moreKeywords);
            std::string name = next().text;
            const auto sameName = [&](const auto& keyword) { return keyword.first == name; };
            if (std::any_of(arguments.keywords.begin(), arguments.keywords.end(), sameName))
                fail("the argument '" + name + "' is given twice");
            next();
            arguments.keywords.emplace_back(std::move(name), parseExpression());
        } else {
            ensure(!arguments.morePositional && !arguments.moreKeywords && arguments.keywords.empty());
            arguments.positional.push_back(parseExpression());
        }
    }
    expectSymbol(")");
    return arguments;
}

ExpressionPtr ExpressionParser::parseCall(ExpressionPtr callee)
{
    auto call = make(Expression::Kind::call, current().line, children(std::move(callee)));
    call->arguments = parseArguments();
    measure(*call);
    return call;
}

std::string ExpressionParser::parseDottedName()
{
    std::string name = expectName();
    while (skipSymbol("."))
        name += "." + expectName();
    return name;
}

ExpressionPtr ExpressionParser::parseFilters(ExpressionPtr input)
{
    while (skipSymbol("|"))
        input = parseFilter(std::move(input));
    return input;
}

ExpressionPtr ExpressionParser::parseFilter(ExpressionPtr input)
{
    const int line = current().line;
    const std::string name = parseDottedName();
    auto result = make(Expression::Kind::filter, line, children(std::move(input)));
    result->text = name;
    result->filter = findFilter(name);
    if (!result->filter)
        failAt(line, "the filter '" + name + "' is not supported");
    if (isSymbol("("))
        result->arguments = parseArguments();
    measure(*result);
    return result;
}

ExpressionPtr ExpressionParser::parseTest(ExpressionPtr subject)
{
    const int line = next().line;
    const bool negated = skipName("not");
    const std::string name = parseDottedName();
    auto result = make(Expression::Kind::test, line, children(std::move(subject)));
    result->text = name;
    result->test = findTest(name);
    if (!result->test)
        failAt(line, "the test '" + name + "' is not supported");
    const bool operand = is(Token::Kind::name) || is(Token::Kind::text) || is(Token::Kind::integer)
        || is(Token::Kind::real) || isSymbol("[") || isSymbol("{");
    if (isSymbol("(")) {
        result->arguments = parseArguments();
    } else if (operand && !isName("else") && !isName("or") && !isName("and")) {
        if (isName("is"))
            fail("tests cannot be chained with 'is'");
        result->arguments.positional.push_back(parsePostfix(parsePrimary()));
    }
    measure(*result);
    return negated ? make(Expression::Kind::notTrue, line, children(std::move(result))) : std::move(result);
}

} // namespace tunebench::jinja
