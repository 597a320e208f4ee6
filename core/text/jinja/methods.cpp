#include "core/text/jinja/methods.h"

#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"

#include <algorithm>
#include <array>

/// Methods of dicts and lists, and how attributes are found.
namespace tunebench::jinja {

namespace {

struct NamedMethod {
    std::string_view name;
    MethodFunction function;
};

Value view(const Value& self, Sequence::Kind kind)
{
    std::vector<Value> items;
    items.reserve(self.dict()->entries.size());
    for (const auto& [key, value] : self.dict()->entries) {
        if (kind == Sequence::Kind::items)
            items.push_back(Value::tuple({ key, value }));
        else
            items.push_back(kind == Sequence::Kind::keys ? key : value);
    }
    return makeSequence(kind, std::move(items));
}

Value itemsMethod(const Value& self, const Arguments& arguments)
{
    bind("items", arguments, {});
    return view(self, Sequence::Kind::items);
}

Value keysMethod(const Value& self, const Arguments& arguments)
{
    bind("keys", arguments, {});
    return view(self, Sequence::Kind::keys);
}

Value valuesMethod(const Value& self, const Arguments& arguments)
{
    bind("values", arguments, {});
    return view(self, Sequence::Kind::values);
}

Value getMethod(const Value& self, const Arguments& arguments)
{
    const size_t count = arguments.positional.size();
    if (!arguments.keywords.empty() || count < 1 || count > 2)
        throw TypeFailure("get takes a key and a default");
    if (const Value* found = self.dict()->find(arguments.positional[0]))
        return *found;
    return count == 2 ? arguments.positional[1] : Value(None {});
}

Value copyMethod(const Value& self, const Arguments& arguments)
{
    bind("copy", arguments, {});
    return self.dict() ? self : Value::list(self.sequence()->items);
}

Value countMethod(const Value& self, const Arguments& arguments)
{
    const auto given = bind("count", arguments, { "" });
    if (!given[0])
        throw TypeFailure("count takes a value");
    const auto& items = self.sequence()->items;
    return static_cast<int64_t>(std::count_if(
        items.begin(), items.end(), [&](const Value& item) { return item.same(*given[0]) || equal(item, *given[0]); }));
}

Value indexMethod(const Value& self, const Arguments& arguments)
{
    if (arguments.positional.size() != 1 || !arguments.keywords.empty())
        throw TemplateFailure("index with a range is not supported");
    const auto& items = self.sequence()->items;
    const auto found = std::find_if(items.begin(), items.end(),
        [&](const Value& item) { return item.same(arguments.positional[0]) || equal(item, arguments.positional[0]); });
    if (found == items.end())
        throw ValueFailure("the value is not in the list");
    return static_cast<int64_t>(found - items.begin());
}

Value unsupportedMethod(const Value&, const Arguments&)
{
    throw TemplateFailure("this method of a dict is not supported");
}

constexpr NamedMethod dictMethods[] = { { "items", itemsMethod }, { "keys", keysMethod }, { "values", valuesMethod },
    { "get", getMethod }, { "copy", copyMethod }, { "fromkeys", unsupportedMethod } };
constexpr NamedMethod sequenceMethods[] = { { "count", countMethod }, { "index", indexMethod } };
constexpr std::string_view dictChanges[] = { "clear", "pop", "popitem", "setdefault", "update" };
constexpr std::string_view listChanges[]
    = { "append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort" };

template <class Table> MethodFunction findIn(const Table& table, std::string_view name)
{
    const auto* found
        = std::find_if(std::begin(table), std::end(table), [&](const auto& entry) { return entry.name == name; });
    return found == std::end(table) ? nullptr : found->function;
}

template <class Table> bool isIn(const Table& table, std::string_view name)
{
    return std::find(std::begin(table), std::end(table), name) != std::end(table);
}

} // namespace

MethodFunction findMethod(const Value& self, std::string_view name)
{
    if (self.isText())
        return findTextMethod(name);
    if (self.dict())
        return findIn(dictMethods, name);
    const Sequence* sequence = self.sequence();
    if (!sequence || !sequence->isSubscriptable())
        return nullptr;
    if (sequence->kind == Sequence::Kind::list && name == "copy")
        return copyMethod;
    return findIn(sequenceMethods, name);
}

bool isHiddenMethod(const Value& self, std::string_view name)
{
    const Sequence* sequence = self.sequence();
    const bool isList = sequence && sequence->kind == Sequence::Kind::list;
    return (self.dict() && isIn(dictChanges, name)) || (isList && isIn(listChanges, name))
        || (name.size() > 4 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) == "__");
}

namespace {

std::optional<Value> loopAttribute(const LoopState& loop, std::string_view name)
{
    const auto length = static_cast<int64_t>(loop.items.size());
    const auto index0 = static_cast<int64_t>(loop.index0);
    const auto depth0 = static_cast<int64_t>(loop.depth0);
    const std::pair<std::string_view, int64_t> numbers[] = { { "index", index0 + 1 }, { "index0", index0 },
        { "revindex", length - index0 }, { "revindex0", length - index0 - 1 }, { "length", length },
        { "depth", depth0 + 1 }, { "depth0", depth0 } };
    for (const auto& [known, number] : numbers) {
        if (known == name)
            return Value(number);
    }
    if (name == "first")
        return Value(index0 == 0);
    if (name == "last")
        return Value(index0 + 1 == length);
    if (name == "previtem")
        return index0 > 0 ? loop.items[loop.index0 - 1] : Value::missing("there is no previous item");
    if (name == "nextitem")
        return index0 + 1 < length ? loop.items[loop.index0 + 1] : Value::missing("there is no next item");
    return {};
}

Value cycle(const LoopState& loop, const Arguments& arguments)
{
    if (arguments.positional.empty() || !arguments.keywords.empty())
        throw TypeFailure("no items for cycling given");
    return arguments.positional[loop.index0 % arguments.positional.size()];
}

Value changed(LoopState& loop, const Arguments& arguments)
{
    const Value now = Value::tuple(arguments.positional);
    const bool differs = !loop.lastChanged || !equal(*loop.lastChanged, now);
    loop.lastChanged = now;
    return differs;
}

Value callable(std::string name, std::function<Value(Arguments&)> call)
{
    return std::make_shared<const Callable>(Callable { std::move(name), std::move(call) });
}

/// The attributes of Python's numbers; its methods on them are not supported, and never taken for missing.
std::optional<Value> numberAttribute(const Value& number, std::string_view name)
{
    constexpr std::array<std::string_view, 9> methods = { "as_integer_ratio", "bit_count", "bit_length", "conjugate",
        "from_bytes", "fromhex", "hex", "is_integer", "to_bytes" };
    const bool real = number.isFloat();
    if (name == "real")
        return number.isBool() ? Value(static_cast<int64_t>(number.truthy())) : number;
    if (name == "imag")
        return real ? Value(0.0) : Value(int64_t { 0 });
    if (name == "numerator" && !real)
        return number.isBool() ? Value(static_cast<int64_t>(number.truthy())) : number;
    if (name == "denominator" && !real)
        return Value(int64_t { 1 });
    if (std::find(methods.begin(), methods.end(), name) != methods.end())
        throw TypeFailure("the method '" + std::string(name) + "' of a number is not supported in a template");
    return {};
}

/// What Python's getattr finds, methods included.
std::optional<Value> ownAttribute(const Value& base, const std::string& name)
{
    if (const MethodFunction method = findMethod(base, name))
        return callable(name, [base, method](Arguments& arguments) { return method(base, arguments); });
    if (isHiddenMethod(base, name))
        return Value::missing(
            "access to attribute '" + name + "' of '" + std::string(base.typeName()) + "' object is unsafe.");
    if (base.isNumber())
        return numberAttribute(base, name);
    if (const Namespace* space = base.space()) {
        const auto found = space->attributes.find(name);
        return found == space->attributes.end() ? std::nullopt : std::optional(found->second);
    }
    LoopState* loop = base.loop();
    if (!loop)
        return {};
    if (name == "cycle")
        return callable(name, [loop](Arguments& arguments) { return cycle(*loop, arguments); });
    if (name == "changed")
        return callable(name, [loop](Arguments& arguments) { return changed(*loop, arguments); });
    return loopAttribute(*loop, name);
}

Value missingAttribute(const Value& base, const std::string& name)
{
    return Value::missing("'" + std::string(base.typeName()) + " object' has no attribute '" + name + "'");
}

} // namespace

Value attributeOf(const Value& base, const std::string& name)
{
    if (base.isUndefined())
        failUndefined(base);
    if (auto own = ownAttribute(base, name))
        return *std::move(own);
    if (const Dict* dict = base.dict()) {
        if (const Value* found = dict->find(std::string_view(name)))
            return *found;
    }
    return missingAttribute(base, name);
}

Value subscriptOf(const Value& base, const Value& index)
{
    Value item = itemOf(base, index);
    if (!item.isUndefined() || !index.isText())
        return item;
    if (const Dict* dict = base.dict(); dict && dict->find(index))
        return item;
    if (auto own = ownAttribute(base, index.text()))
        return *std::move(own);
    return item;
}

} // namespace tunebench::jinja
