#include "core/text/jinja/interpreter.h"

#include "core/text/jinja/json.h"
#include "core/text/jinja/lexer.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/operators.h"

#include <algorithm>

namespace tunebench::jinja {

namespace {

constexpr size_t maxDepth = 1000; ///< of statements, expressions and macro calls inside each other

} // namespace

class Interpreter::ScopeGuard {
public:
    ScopeGuard(Interpreter& interpreter, Scope* parent)
        : m_interpreter(interpreter)
        , m_before(interpreter.m_scope)
    {
        m_interpreter.m_scope = &m_interpreter.m_scopes.emplace_back();
        m_interpreter.m_scope->parent = parent;
    }
    ~ScopeGuard()
    {
        const bool isLast = &m_interpreter.m_scopes.back() == m_interpreter.m_scope;
        if (isLast && !m_interpreter.m_scope->captured)
            m_interpreter.m_scopes.pop_back();
        m_interpreter.m_scope = m_before;
    }
    ScopeGuard(const ScopeGuard&) = delete;
    ScopeGuard& operator=(const ScopeGuard&) = delete;

private:
    Interpreter& m_interpreter;
    Scope* m_before;
};

class Interpreter::DepthGuard {
public:
    explicit DepthGuard(Interpreter& interpreter)
        : m_interpreter(interpreter)
    {
        if (m_interpreter.m_depth >= maxDepth)
            throw TemplateFailure("the template calls itself too deep");
        ++m_interpreter.m_depth;
    }
    ~DepthGuard() { --m_interpreter.m_depth; }
    DepthGuard(const DepthGuard&) = delete;
    DepthGuard& operator=(const DepthGuard&) = delete;

private:
    Interpreter& m_interpreter;
};

Interpreter::Interpreter(const Program& program, const nlohmann::ordered_json& variables, const DateTime& now)
    : m_program(program)
    , m_now(now)
{
    m_scope = &m_scopes.emplace_back();
    for (NameId id = 0; id < program.names.size(); ++id) {
        const auto found = variables.find(program.names[id]);
        if (found != variables.end())
            m_scope->variables.emplace_back(id, fromJson(*found));
    }
    m_scope = &m_scopes.emplace_back();
    m_scope->parent = &m_scopes.front();
}

Rendering Interpreter::run()
{
    execute(m_program.body);
    return { std::move(m_output), std::move(m_spans) };
}

void Interpreter::write(std::string_view text)
{
    checkTextSize(m_out->size() + text.size());
    m_budget.charge(text.size() / 64);
    *m_out += text;
}

void Interpreter::writeResult(const Value& value)
{
    write(textOf(value, "the result of a filter or call block"));
}

Interpreter::Flow Interpreter::execute(const Block& block)
{
    for (const Statement& statement : block) {
        const Flow flow = execute(statement);
        if (flow != Flow::normal)
            return flow;
    }
    return Flow::normal;
}

Interpreter::Flow Interpreter::execute(const Statement& statement)
{
    const DepthGuard guard(*this);
    m_budget.charge(1);
    switch (statement.kind) {
    case Statement::Kind::data:
        write(statement.text);
        break;
    case Statement::Kind::output:
        print(statement);
        break;
    case Statement::Kind::branch:
        return branch(statement);
    case Statement::Kind::loop:
        loop(statement);
        break;
    case Statement::Kind::set:
        assign(*statement.targets[0], evaluate(*statement.expressions[0]));
        break;
    case Statement::Kind::setBlock:
        setBlock(statement);
        break;
    case Statement::Kind::macro:
        set(statement.name, makeMacro(*statement.definition));
        break;
    case Statement::Kind::call:
        callBlock(statement);
        break;
    case Statement::Kind::filter:
        writeResult(filtered(statement.expressions[0].get(), capture(*statement.blocks[0])));
        break;
    case Statement::Kind::with:
        with(statement);
        break;
    case Statement::Kind::generation:
        generation(statement);
        break;
    case Statement::Kind::breakLoop:
        return Flow::breakLoop;
    case Statement::Kind::continueLoop:
        return Flow::continueLoop;
    }
    return Flow::normal;
}

void Interpreter::print(const Statement& statement)
{
    for (const auto& expression : statement.expressions) {
        const Value value = evaluate(*expression);
        if (value.isText()) {
            write(value.text());
            continue;
        }
        m_budget.charge(value.weight() / 16);
        write(toText(value));
    }
}

Interpreter::Flow Interpreter::branch(const Statement& statement)
{
    for (size_t i = 0; i < statement.expressions.size(); ++i) {
        if (evaluate(*statement.expressions[i]).truthy())
            return execute(*statement.blocks[i]);
    }
    const bool hasElse = statement.blocks.size() > statement.expressions.size();
    return hasElse ? execute(*statement.blocks.back()) : Flow::normal;
}

std::vector<Value> Interpreter::loopItems(const Statement& statement, const Value& iterable)
{
    auto items = iterate(iterable);
    m_budget.charge(items.size());
    const Expression* condition = statement.expressions[1].get();
    if (!condition)
        return items;
    std::vector<Value> kept;
    for (Value& item : items) {
        const ScopeGuard scope(*this, m_scope);
        assign(*statement.targets[0], item);
        if (evaluate(*condition).truthy())
            kept.push_back(std::move(item));
    }
    return kept;
}

void Interpreter::loop(const Statement& statement)
{
    runLoop(statement, loopItems(statement, evaluate(*statement.expressions[0])), 0);
}

void Interpreter::runLoop(const Statement& statement, std::vector<Value> items, size_t depth)
{
    m_budget.charge(8);
    LoopState& state = m_loops.emplace_back();
    state.items = std::move(items);
    state.depth0 = depth;
    if (statement.recursive) {
        Scope* home = m_scope;
        home->captured = true;
        state.recurse = [this, &statement, home, depth](const Value& iterable) {
            std::string text;
            std::string* before = std::exchange(m_out, &text);
            {
                const ScopeGuard scope(*this, home);
                runLoop(statement, loopItems(statement, iterable), depth + 1);
            }
            m_out = before;
            return Value(std::move(text));
        };
    }
    bool finishedOne = false; // as jinja2 has it: a body left by break or continue does not keep the else away
    for (; state.index0 < state.items.size(); ++state.index0) {
        const ScopeGuard scope(*this, m_scope);
        set(m_program.loopName, &state);
        assign(*statement.targets[0], state.items[state.index0]);
        const Flow flow = execute(*statement.blocks[0]);
        finishedOne |= flow == Flow::normal;
        if (flow == Flow::breakLoop)
            break;
    }
    if (!finishedOne && !statement.blocks[1]->empty()) {
        const ScopeGuard scope(*this, m_scope);
        execute(*statement.blocks[1]);
    }
}

std::string Interpreter::capture(const Block& block)
{
    std::string text;
    std::string* before = std::exchange(m_out, &text);
    const ScopeGuard scope(*this, m_scope);
    execute(block);
    m_out = before;
    return text;
}

Value Interpreter::filtered(const Expression* filter, std::string text)
{
    if (!filter)
        return Value(std::move(text));
    const Expression* input = filter->children[0].get();
    return applyFilter(*filter, filtered(input, std::move(text)));
}

void Interpreter::setBlock(const Statement& statement)
{
    assign(*statement.targets[0], filtered(statement.expressions[0].get(), capture(*statement.blocks[0])));
}

void Interpreter::callBlock(const Statement& statement)
{
    const Value caller = makeMacro(*statement.definition);
    writeResult(call(*statement.expressions[0], &caller));
}

void Interpreter::with(const Statement& statement)
{
    const auto values = evaluateAll(statement.expressions);
    const ScopeGuard scope(*this, m_scope);
    for (size_t i = 0; i < values.size(); ++i)
        assign(*statement.targets[i], values[i]);
    execute(*statement.blocks[0]);
}

void Interpreter::generation(const Statement& statement)
{
    const size_t begin = m_output.size();
    const std::string text = capture(*statement.blocks[0]);
    m_spans.push_back({ begin, begin + text.size() });
    write(text);
}

void Interpreter::set(NameId name, Value value)
{
    for (auto& [known, held] : m_scope->variables) {
        if (known == name) {
            held = std::move(value);
            return;
        }
    }
    m_scope->variables.emplace_back(name, std::move(value));
}

void Interpreter::assign(const Expression& target, const Value& value)
{
    if (target.kind == Expression::Kind::name) {
        set(target.name, value);
        return;
    }
    if (target.kind == Expression::Kind::namespaceAttribute) {
        Namespace* space = lookUp(target.name).space();
        if (!space)
            failAt(target.line, "cannot assign attribute on non-namespace object");
        checkNamespaceName(target.text);
        space->attributes.insert_or_assign(target.text, value);
        return;
    }
    if (value.isUndefined())
        failUndefined(value);
    const auto parts = iterate(value);
    if (parts.size() != target.children.size())
        failAt(target.line,
            "cannot unpack " + std::to_string(parts.size()) + " values into " + std::to_string(target.children.size())
                + " names");
    for (size_t i = 0; i < parts.size(); ++i)
        assign(*target.children[i], parts[i]);
}

Value Interpreter::lookUp(NameId name)
{
    for (const Scope* scope = m_scope; scope; scope = scope->parent) {
        for (const auto& [known, held] : scope->variables) {
            if (known == name)
                return held;
        }
    }
    return builtin(m_program.names[name]);
}

Value Interpreter::builtin(const std::string& name)
{
    using Function = std::function<Value(Arguments&)>;
    const auto callable = [&](Function function) {
        return Value(std::make_shared<const Callable>(Callable { name, std::move(function) }));
    };
    if (name == "range")
        return callable(makeRange);
    if (name == "dict")
        return callable(makeDict);
    if (name == "namespace")
        return callable([this](Arguments& arguments) {
            m_budget.charge(16);
            Namespace& space = m_namespaces.emplace_back();
            fillNamespace(space, arguments);
            return Value(&space);
        });
    if (name == "raise_exception")
        return callable([](Arguments& arguments) -> Value {
            const auto given = bind("raise_exception", arguments, { "message" });
            throw TemplateFailure(given[0] ? toText(*given[0]) : "raise_exception needs a message");
        });
    if (name == "strftime_now")
        return callable([this](Arguments& arguments) {
            const auto given = bind("strftime_now", arguments, { "format" });
            if (!given[0])
                throw TypeFailure("strftime_now needs a format");
            return Value(formatDateTime(m_now, textOf(*given[0], "the format of strftime_now")));
        });
    if (name == "cycler" || name == "joiner" || name == "lipsum")
        return callable(
            [name](Arguments&) -> Value { throw TemplateFailure("the function '" + name + "' is not supported"); });
    return Value::missing("'" + name + "' is undefined");
}

Value Interpreter::makeMacro(const MacroDefinition& definition)
{
    Scope* home = m_scope;
    for (Scope* scope = home; scope && !scope->captured; scope = scope->parent)
        scope->captured = true;
    return std::make_shared<const Callable>(Callable { definition.name,
        [this, &definition, home](Arguments& arguments) { return callMacro(definition, *home, arguments); } });
}

Value Interpreter::callMacro(const MacroDefinition& definition, Scope& home, Arguments& arguments)
{
    const DepthGuard guard(*this);
    m_budget.charge(8);
    std::string text;
    std::string* before = std::exchange(m_out, &text);
    const ScopeGuard scope(*this, &home);
    bindParameters(definition, arguments);
    execute(*definition.body);
    m_out = before;
    return Value(std::move(text));
}

void Interpreter::bindParameters(const MacroDefinition& definition, Arguments& arguments)
{
    auto& positional = arguments.positional;
    auto& keywords = arguments.keywords;
    const size_t count = definition.parameters.size();
    for (size_t i = 0; i < count; ++i) {
        const Parameter& parameter = definition.parameters[i];
        if (i < positional.size()) {
            set(parameter.name, positional[i]);
            continue;
        }
        const auto keyword = std::find_if(
            keywords.begin(), keywords.end(), [&](const auto& entry) { return entry.first == parameter.text; });
        if (keyword != keywords.end()) {
            set(parameter.name, std::move(keyword->second));
            keywords.erase(keyword);
        } else if (parameter.fallback) {
            set(parameter.name, evaluate(*parameter.fallback));
        } else {
            set(parameter.name, Value::missing("parameter '" + parameter.text + "' was not provided"));
        }
    }
    positional.erase(
        positional.begin(), positional.begin() + static_cast<std::ptrdiff_t>(std::min(count, positional.size())));
    bindSpecials(definition, arguments);
}

void Interpreter::bindSpecials(const MacroDefinition& definition, Arguments& arguments)
{
    auto& keywords = arguments.keywords;
    if (definition.usesCaller) {
        const auto given
            = std::find_if(keywords.begin(), keywords.end(), [](const auto& entry) { return entry.first == "caller"; });
        const bool none = given == keywords.end() || given->second.isNone();
        set(m_program.callerName, none ? Value::missing("No caller defined") : given->second);
        if (given != keywords.end())
            keywords.erase(given);
    }
    if (definition.usesKwargs)
        set(m_program.kwargsName, makeDict({ {}, keywords }));
    else if (!keywords.empty())
        throw TypeFailure("macro '" + definition.name + "' takes no keyword argument '" + keywords[0].first + "'");
    if (definition.usesVarargs)
        set(m_program.varargsName, Value::tuple(arguments.positional));
    else if (!arguments.positional.empty())
        throw TypeFailure("macro '" + definition.name + "' takes not more than "
            + std::to_string(definition.parameters.size()) + " argument(s)");
}

} // namespace tunebench::jinja
