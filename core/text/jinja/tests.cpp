#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/text.h"

#include <algorithm>

/// What stands behind `is`.
namespace tunebench::jinja {

namespace {

struct NamedTest {
    std::string_view name;
    TestFunction function;
};

const Value& onlyArgument(const Arguments& arguments)
{
    if (arguments.positional.size() != 1 || !arguments.keywords.empty())
        throw TypeFailure("the test takes one argument");
    return arguments.positional[0];
}

template <class Predicate> bool plain(const Arguments& arguments, Predicate predicate)
{
    if (!arguments.positional.empty() || !arguments.keywords.empty())
        throw TypeFailure("the test takes no arguments");
    return predicate();
}

template <Operator operation> bool comparison(const Value& input, const Arguments& arguments)
{
    return apply(operation, input, onlyArgument(arguments)).truthy();
}

template <bool (Value::*property)() const> bool hasProperty(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return (input.*property)(); });
}

bool isDivisible(const Value& input, const Value& divisor)
{
    return equal(apply(Operator::modulo, input, divisor), Value(int64_t { 0 }));
}

bool isOdd(const Value& input, const Arguments& arguments)
{
    return plain(
        arguments, [&] { return equal(apply(Operator::modulo, input, Value(int64_t { 2 })), Value(int64_t { 1 })); });
}

bool isEven(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return isDivisible(input, Value(int64_t { 2 })); });
}

bool isDivisibleBy(const Value& input, const Arguments& arguments)
{
    return isDivisible(input, onlyArgument(arguments));
}

bool isDefined(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return !input.isUndefined(); });
}

bool isTrue(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return input.isBool() && input.truthy(); });
}

bool isFalse(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return input.isBool() && !input.truthy(); });
}

bool isMapping(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return input.dict() != nullptr; });
}

bool isSequence(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] {
        const Sequence* sequence = input.sequence();
        return input.isText() || input.dict() || input.isUndefined() || (sequence && sequence->isSubscriptable());
    });
}

bool isIterableTest(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return isIterable(input); });
}

bool isCallable(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return input.callable() || input.loop() || input.isUndefined(); });
}

bool isSameAs(const Value& input, const Arguments& arguments)
{
    return input.same(onlyArgument(arguments));
}

bool isIn(const Value& input, const Arguments& arguments)
{
    return contains(onlyArgument(arguments), input);
}

/// str.islower and str.isupper: some letter has the case and none has the other.
bool hasOnlyCase(const Value& input, bool (*wanted)(char32_t), bool (*other)(char32_t))
{
    const std::string text = toText(input);
    bool found = false;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at)) {
        const char32_t code = codeAt(text, at);
        if (other(code))
            return false;
        found |= wanted(code);
    }
    return found;
}

bool isLowerTest(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return hasOnlyCase(input, isLower, isUpper); });
}

bool isUpperTest(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] { return hasOnlyCase(input, isUpper, isLower); });
}

bool isFilter(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] {
        hashKey(input); // a list is no name, and an error
        return input.isText() && findFilter(input.text());
    });
}

bool isTest(const Value& input, const Arguments& arguments)
{
    return plain(arguments, [&] {
        hashKey(input); // a list is no name, and an error
        return input.isText() && findTest(input.text());
    });
}

constexpr NamedTest tests[] = { { "odd", isOdd }, { "even", isEven }, { "divisibleby", isDivisibleBy },
    { "defined", isDefined }, { "undefined", hasProperty<&Value::isUndefined> }, { "filter", isFilter },
    { "test", isTest }, { "none", hasProperty<&Value::isNone> }, { "boolean", hasProperty<&Value::isBool> },
    { "false", isFalse }, { "true", isTrue }, { "integer", hasProperty<&Value::isInteger> },
    { "float", hasProperty<&Value::isFloat> }, { "lower", isLowerTest }, { "upper", isUpperTest },
    { "string", hasProperty<&Value::isText> }, { "mapping", isMapping }, { "number", hasProperty<&Value::isNumber> },
    { "sequence", isSequence }, { "iterable", isIterableTest }, { "callable", isCallable }, { "sameas", isSameAs },
    { "escaped", hasProperty<&Value::isSafeText> }, { "in", isIn }, { "==", comparison<Operator::equal> },
    { "eq", comparison<Operator::equal> }, { "equalto", comparison<Operator::equal> },
    { "!=", comparison<Operator::notEqual> }, { "ne", comparison<Operator::notEqual> },
    { ">", comparison<Operator::greater> }, { "gt", comparison<Operator::greater> },
    { "greaterthan", comparison<Operator::greater> }, { "ge", comparison<Operator::greaterEqual> },
    { ">=", comparison<Operator::greaterEqual> }, { "<", comparison<Operator::less> },
    { "lt", comparison<Operator::less> }, { "lessthan", comparison<Operator::less> },
    { "<=", comparison<Operator::lessEqual> }, { "le", comparison<Operator::lessEqual> } };

} // namespace

TestFunction findTest(std::string_view name)
{
    const auto* found
        = std::find_if(std::begin(tests), std::end(tests), [&](const auto& entry) { return entry.name == name; });
    return found == std::end(tests) ? nullptr : found->function;
}

} // namespace tunebench::jinja
