#include "core/text/jinja/interpreter.h"
#include "core/text/jinja/lexer.h"
#include "core/text/jinja/methods.h"
#include "core/text/jinja/operators.h"

#include <algorithm>

/// The expressions of the interpreter.
namespace tunebench::jinja {

namespace {

constexpr size_t maxEvaluationDepth = 1000;

/// Made of literals alone, so that jinja2 computes it before it renders.
bool isLiteral(const Expression& expression)
{
    using Kind = Expression::Kind;
    const bool holdsParts
        = expression.kind == Kind::tuple || expression.kind == Kind::list || expression.kind == Kind::dict;
    return expression.kind == Kind::constant
        || (holdsParts
            && std::all_of(expression.children.begin(), expression.children.end(),
                [](const ExpressionPtr& part) { return isLiteral(*part); }));
}

} // namespace

Value Interpreter::evaluate(const Expression& expression)
{
    m_budget.charge(1);
    if (expression.kind == Expression::Kind::constant)
        return expression.constant;
    if (expression.kind == Expression::Kind::name)
        return lookUp(expression.name);
    if (m_depth >= maxEvaluationDepth)
        throw TemplateFailure("the template calls itself too deep");
    ++m_depth;
    Value result = evaluateNode(expression);
    --m_depth;
    return result;
}

Value Interpreter::evaluateNode(const Expression& expression)
{
    using Kind = Expression::Kind;
    const auto child = [&](size_t i) { return evaluate(*expression.children[i]); };
    switch (expression.kind) {
    case Kind::tuple:
        return Value::tuple(evaluateAll(expression.children));
    case Kind::list:
        return Value::list(evaluateAll(expression.children));
    case Kind::dict:
        return makeDictLiteral(expression);
    case Kind::notTrue:
        return !child(0).truthy();
    case Kind::negate:
        return negate(child(0));
    case Kind::positive:
        return positive(child(0));
    case Kind::binary: {
        const Value left = child(0);
        const Value right = child(1);
        m_budget.charge((left.weight() + right.weight()) / 16);
        return apply(expression.operators[0], left, right);
    }
    case Kind::both: {
        Value left = child(0);
        return left.truthy() ? child(1) : left;
    }
    case Kind::either: {
        Value left = child(0);
        return left.truthy() ? left : child(1);
    }
    case Kind::compare:
        return compare(expression);
    case Kind::concat:
        return concatenate(expression);
    case Kind::conditional:
        if (child(0).truthy())
            return child(1);
        return expression.children[2]
            ? child(2)
            : Value::missing("the inline if-expression evaluated to false and no else section was defined.");
    case Kind::attribute:
        return attributeOf(child(0), expression.text);
    case Kind::subscript:
        return subscript(expression);
    case Kind::call:
        return call(expression);
    case Kind::filter:
        return applyFilter(expression, child(0));
    case Kind::test:
        return applyTest(expression);
    case Kind::constant:
    case Kind::name:
    case Kind::namespaceAttribute:
    case Kind::slice:
        break;
    }
    failAt(expression.line, "an expression cannot be used here");
}

std::vector<Value> Interpreter::evaluateAll(const std::vector<ExpressionPtr>& expressions)
{
    std::vector<Value> values;
    values.reserve(expressions.size());
    for (const auto& expression : expressions)
        values.push_back(evaluate(*expression));
    return values;
}

Value Interpreter::makeDictLiteral(const Expression& expression)
{
    auto dict = std::make_shared<Dict>();
    for (size_t i = 0; i < expression.children.size(); i += 2) {
        Value key = evaluate(*expression.children[i]);
        dict->set(std::move(key), evaluate(*expression.children[i + 1]));
    }
    return std::shared_ptr<const Dict>(std::move(dict));
}

Value Interpreter::compare(const Expression& expression)
{
    Value left = evaluate(*expression.children[0]);
    for (size_t i = 0; i < expression.operators.size(); ++i) {
        Value right = evaluate(*expression.children[i + 1]);
        m_budget.charge((left.weight() + right.weight()) / 16);
        if (!apply(expression.operators[i], left, right).truthy())
            return false;
        left = std::move(right);
    }
    return true;
}

Value Interpreter::concatenate(const Expression& expression)
{
    std::string text;
    for (const auto& part : expression.children) {
        const Value value = evaluate(*part);
        m_budget.charge(value.weight() / 16);
        text += toText(value);
        checkTextSize(text.size());
    }
    return Value(std::move(text));
}

Value Interpreter::subscript(const Expression& expression)
{
    const Value base = evaluate(*expression.children[0]);
    const Expression& index = *expression.children[1];
    if (index.kind != Expression::Kind::slice)
        return subscriptOf(base, evaluate(index));
    const auto bound = [&](size_t i) { return index.children[i] ? evaluate(*index.children[i]) : Value(None {}); };
    const Value begin = bound(0);
    const Value end = bound(1);
    const Value step = bound(2);
    m_budget.charge(base.weight() / 16);
    try {
        return sliceOf(base, begin, end, step);
    } catch (const TypeFailure& error) {
        if (isLiteral(*expression.children[0])) // jinja2 slices literals by other means than it slices values
            return Value::missing(error.what());
        throw;
    }
}

Arguments Interpreter::evaluateArguments(const CallArguments& arguments)
{
    Arguments result;
    result.positional = evaluateAll(arguments.positional);
    for (const auto& [name, value] : arguments.keywords)
        result.keywords.emplace_back(name, evaluate(*value));
    if (arguments.morePositional) {
        for (Value& value : iterate(evaluate(*arguments.morePositional)))
            result.positional.push_back(std::move(value));
    }
    if (arguments.moreKeywords) {
        const Value more = evaluate(*arguments.moreKeywords);
        if (!more.dict())
            throw TypeFailure("the argument behind '**' must be a dict");
        for (const auto& [name, value] : more.dict()->entries) {
            const std::string& text = textOf(name, "the name of an argument");
            const auto sameName = [&](const auto& keyword) { return keyword.first == text; };
            if (std::any_of(result.keywords.begin(), result.keywords.end(), sameName))
                throw TypeFailure("the argument '" + text + "' is given twice");
            result.keywords.emplace_back(text, value);
        }
    }
    return result;
}

Value Interpreter::call(const Expression& expression, const Value* caller)
{
    const Expression& callee = *expression.children[0];
    if (callee.kind == Expression::Kind::attribute) {
        const Value base = evaluate(*callee.children[0]);
        if (const MethodFunction method = findMethod(base, callee.text)) {
            Arguments arguments = evaluateArguments(expression.arguments);
            if (caller)
                arguments.keywords.emplace_back("caller", *caller);
            size_t weight = base.weight();
            for (const Value& argument : arguments.positional)
                weight += argument.weight();
            m_budget.charge(weight / 16);
            return method(base, arguments);
        }
        const Value function = attributeOf(base, callee.text);
        Arguments arguments = evaluateArguments(expression.arguments);
        if (caller)
            arguments.keywords.emplace_back("caller", *caller);
        return callValue(function, arguments);
    }
    const Value function = evaluate(callee);
    Arguments arguments = evaluateArguments(expression.arguments);
    if (caller)
        arguments.keywords.emplace_back("caller", *caller);
    return callValue(function, arguments);
}

Value Interpreter::callValue(const Value& callee, Arguments& arguments)
{
    if (callee.isUndefined())
        failUndefined(callee);
    if (const Callable* function = callee.callable()) {
        Value result = function->call(arguments);
        m_budget.charge(result.weight() / 16);
        return result;
    }
    if (LoopState* loop = callee.loop()) {
        if (!loop->recurse)
            throw TypeFailure("The loop must have the 'recursive' marker to be called recursively.");
        const auto given = bind("loop", arguments, { "iterable" });
        if (!given[0])
            throw TypeFailure("loop needs what to go over");
        return loop->recurse(*given[0]);
    }
    throw TypeFailure("'" + std::string(callee.typeName()) + "' object is not callable");
}

Value Interpreter::applyFilter(const Expression& expression, const Value& input)
{
    const Arguments arguments = evaluateArguments(expression.arguments);
    m_budget.charge(input.weight() / 16);
    Value result = expression.filter(input, arguments, m_budget);
    m_budget.charge(result.weight() / 16);
    return result;
}

bool Interpreter::applyTest(const Expression& expression)
{
    const Value subject = evaluate(*expression.children[0]);
    const Arguments arguments = evaluateArguments(expression.arguments);
    m_budget.charge(subject.weight() / 16);
    return expression.test(subject, arguments);
}

} // namespace tunebench::jinja
