#include "core/text/jinja/parser.h"

#include "core/text/jinja/expression_parser.h"

#include <algorithm>
#include <initializer_list>

namespace tunebench::jinja {

namespace {

constexpr size_t maxSourceBytes = size_t { 4 } << 20;

class TemplateParser : public ExpressionParser {
public:
    using ExpressionParser::ExpressionParser;

    Program run()
    {
        Program program;
        program.body = parseBlock({});
        program.loopName = idOf("loop");
        program.callerName = idOf("caller");
        program.varargsName = idOf("varargs");
        program.kwargsName = idOf("kwargs");
        program.hasGeneration = m_hasGeneration;
        program.names = std::move(m_names);
        return program;
    }

private:
    using EndTags = std::initializer_list<std::string_view>;

    /// Statements up to one of the end tags, which is then the current token; without any, up to the end.
    Block parseBlock(EndTags endTags)
    {
        const Level level(*this);
        Block block;
        while (!is(Token::Kind::end)) {
            const Token token = next();
            if (token.kind == Token::Kind::data) {
                block.push_back({ Statement::Kind::data, token.line, token.text, {}, {}, {}, {}, {}, {} });
            } else if (token.kind == Token::Kind::variableBegin) {
                Statement& output = block.emplace_back();
                output.kind = Statement::Kind::output;
                output.line = token.line;
                output.expressions.push_back(parseTuple());
                expectKind(Token::Kind::variableEnd, "the end of the expression");
            } else {
                if (std::any_of(endTags.begin(), endTags.end(), [&](auto tag) { return isName(tag); }))
                    return block;
                block.push_back(parseStatement());
                expectKind(Token::Kind::blockEnd, "the end of the tag");
            }
        }
        if (endTags.size() > 0)
            fail("the template ends where '" + std::string(*(endTags.end() - 1)) + "' was expected");
        return block;
    }

    /// The body behind a tag.
    std::shared_ptr<Block> parseBody(EndTags endTags)
    {
        skipSymbol(":");
        expectKind(Token::Kind::blockEnd, "the end of the tag");
        return std::make_shared<Block>(parseBlock(endTags));
    }

    std::shared_ptr<Block> parseWholeBody(std::string_view endTag)
    {
        auto body = parseBody({ endTag });
        next();
        return body;
    }

    Statement parseStatement()
    {
        using Rule = void (TemplateParser::*)(Statement&);
        static constexpr std::pair<std::string_view, Rule> rules[] = {
            { "for", &TemplateParser::parseFor },
            { "if", &TemplateParser::parseIf },
            { "set", &TemplateParser::parseSet },
            { "macro", &TemplateParser::parseMacro },
            { "call", &TemplateParser::parseCallBlock },
            { "filter", &TemplateParser::parseFilterBlock },
            { "with", &TemplateParser::parseWith },
            { "print", &TemplateParser::parsePrint },
            { "generation", &TemplateParser::parseGeneration },
            { "break", &TemplateParser::parseBreak },
            { "continue", &TemplateParser::parseContinue },
        };
        if (!is(Token::Kind::name))
            fail("expected the name of a tag");
        const auto* rule
            = std::find_if(std::begin(rules), std::end(rules), [&](const auto& entry) { return isName(entry.first); });
        if (rule == std::end(rules))
            fail("the tag '" + current().text + "' is not supported here");
        Statement statement;
        statement.line = next().line;
        (this->*rule->second)(statement);
        return statement;
    }

    void parseFor(Statement& statement)
    {
        statement.kind = Statement::Kind::loop;
        statement.targets.push_back(parseTarget("in", false));
        refuseLoopTarget(*statement.targets.front());
        if (!skipName("in"))
            failUnexpected();
        statement.expressions.push_back(parseTuple(false, "recursive"));
        statement.expressions.push_back(skipName("if") ? parseExpression() : nullptr);
        statement.recursive = skipName("recursive");
        ++m_loops;
        statement.blocks.push_back(parseBody({ "endfor", "else" }));
        --m_loops;
        const bool hasElse = next().text == "else";
        statement.blocks.push_back(hasElse ? parseWholeBody("endfor") : std::make_shared<Block>());
    }

    void refuseLoopTarget(const Expression& target) const
    {
        if (target.kind == Expression::Kind::name && target.text == "loop")
            failAt(target.line, "the name 'loop' cannot be assigned to by a for loop");
        for (const auto& item : target.children)
            refuseLoopTarget(*item);
    }

    void parseIf(Statement& statement)
    {
        statement.kind = Statement::Kind::branch;
        while (true) {
            statement.expressions.push_back(parseTuple(false));
            statement.blocks.push_back(parseBody({ "elif", "else", "endif" }));
            const std::string tag = next().text;
            if (tag == "else")
                statement.blocks.push_back(parseWholeBody("endif"));
            if (tag != "elif")
                return;
        }
    }

    void parseSet(Statement& statement)
    {
        statement.targets.push_back(parseTarget({}, true));
        if (skipSymbol("=")) {
            statement.kind = Statement::Kind::set;
            statement.expressions.push_back(parseTuple());
            return;
        }
        statement.kind = Statement::Kind::setBlock;
        statement.expressions.push_back(parseFilters(nullptr));
        statement.blocks.push_back(parseScopedBody("endset"));
    }

    /// A body that jinja2 compiles inside the surrounding loop.
    std::shared_ptr<Block> parseScopedBody(std::string_view endTag) { return parseWholeBody(endTag); }

    /// A body that jinja2 compiles to a function of its own: no loop of the outside can be left from there.
    std::shared_ptr<Block> parseFunctionBody(std::string_view endTag)
    {
        const size_t loops = std::exchange(m_loops, 0);
        auto body = parseWholeBody(endTag);
        m_loops = loops;
        return body;
    }

    void parseSignature(MacroDefinition& definition)
    {
        expectSymbol("(");
        while (!isSymbol(")")) {
            if (!definition.parameters.empty())
                expectSymbol(",");
            Parameter parameter;
            parameter.text = expectName();
            parameter.name = idOf(parameter.text);
            if (parameter.text == "caller")
                fail("a macro parameter named 'caller' is not supported");
            for (const Parameter& other : definition.parameters) {
                if (other.name == parameter.name)
                    fail("the parameter '" + parameter.text + "' is there twice");
            }
            if (skipSymbol("="))
                parameter.fallback = parseExpression();
            else if (!definition.parameters.empty() && definition.parameters.back().fallback)
                fail("a parameter without a default follows one with a default");
            definition.parameters.push_back(std::move(parameter));
        }
        expectSymbol(")");
    }

    void parseDefinition(MacroDefinition& definition, std::string_view endTag)
    {
        m_macros.emplace_back();
        for (const Parameter& parameter : definition.parameters)
            noteParameter(parameter.text);
        definition.body = parseFunctionBody(endTag);
        const MacroUse use = m_macros.back();
        m_macros.pop_back();
        definition.usesCaller = use.caller;
        definition.usesVarargs = use.varargs;
        definition.usesKwargs = use.kwargs;
    }

    /// A parameter of that name takes the place of the special one.
    void noteParameter(const std::string& name)
    {
        m_macros.back().varargsSet |= name == "varargs";
        m_macros.back().kwargsSet |= name == "kwargs";
    }

    void parseMacro(Statement& statement)
    {
        statement.kind = Statement::Kind::macro;
        statement.definition = std::make_shared<MacroDefinition>();
        statement.definition->name = expectName();
        noteStored(statement.definition->name);
        statement.name = idOf(statement.definition->name);
        parseSignature(*statement.definition);
        parseDefinition(*statement.definition, "endmacro");
    }

    void parseCallBlock(Statement& statement)
    {
        statement.kind = Statement::Kind::call;
        statement.definition = std::make_shared<MacroDefinition>();
        statement.definition->name = "caller";
        if (isSymbol("("))
            parseSignature(*statement.definition);
        statement.expressions.push_back(parseExpression());
        if (statement.expressions.front()->kind != Expression::Kind::call)
            failAt(statement.line, "expected a call behind 'call'");
        parseDefinition(*statement.definition, "endcall");
    }

    void parseFilterBlock(Statement& statement)
    {
        statement.kind = Statement::Kind::filter;
        statement.expressions.push_back(parseFilters(parseFilter(nullptr)));
        statement.blocks.push_back(parseScopedBody("endfilter"));
    }

    void parseWith(Statement& statement)
    {
        statement.kind = Statement::Kind::with;
        while (!is(Token::Kind::blockEnd)) {
            if (!statement.targets.empty())
                expectSymbol(",");
            statement.targets.push_back(parseTarget({}, false));
            expectSymbol("=");
            statement.expressions.push_back(parseExpression());
        }
        statement.blocks.push_back(parseWholeBody("endwith"));
    }

    void parsePrint(Statement& statement)
    {
        statement.kind = Statement::Kind::output;
        while (!is(Token::Kind::blockEnd)) {
            if (!statement.expressions.empty())
                expectSymbol(",");
            statement.expressions.push_back(parseExpression());
        }
    }

    void parseGeneration(Statement& statement)
    {
        statement.kind = Statement::Kind::generation;
        m_hasGeneration = true;
        statement.blocks.push_back(parseFunctionBody("endgeneration"));
    }

    void parseBreak(Statement& statement) { parseJump(statement, Statement::Kind::breakLoop, "break"); }
    void parseContinue(Statement& statement) { parseJump(statement, Statement::Kind::continueLoop, "continue"); }

    void parseJump(Statement& statement, Statement::Kind kind, const std::string& tag)
    {
        statement.kind = kind;
        if (m_loops == 0)
            failAt(statement.line, "'" + tag + "' outside a loop");
    }

    size_t m_loops = 0; ///< around the current place, inside the same function
    bool m_hasGeneration = false;
};

} // namespace

Program parseTemplate(std::string_view source)
{
    if (source.size() > maxSourceBytes)
        throw TemplateFailure("the template is over " + std::to_string(maxSourceBytes >> 20) + " MiB");
    return TemplateParser(tokenize(source)).run();
}

} // namespace tunebench::jinja
