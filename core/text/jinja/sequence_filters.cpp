#include "core/text/jinja/filters.h"
#include "core/text/jinja/operators.h"
#include "core/text/jinja/text.h"

#include <algorithm>
#include <charconv>

/// The filters that work on lists, dicts and whatever else a for loop can go over.
namespace tunebench::jinja {

namespace {

using Kind = Sequence::Kind;

/// A generator of Python's: an error on the way comes up when the reader gets there.
template <class Fill> Value generate(Fill fill)
{
    std::vector<Value> items;
    std::optional<std::string> failure;
    try {
        fill(items);
    } catch (const TemplateFailure& error) {
        failure = error.what();
    }
    auto iterator = std::make_shared<Sequence>(Kind::iterator, std::move(items));
    iterator->failure = std::move(failure);
    return std::shared_ptr<const Sequence>(std::move(iterator));
}

/// jinja2's make_attrgetter: a key, a position, or several with dots between them.
class AttributeGetter {
public:
    explicit AttributeGetter(const Value& attribute, std::optional<Value> fallback = {})
        : m_fallback(std::move(fallback))
    {
        if (!attribute.isText()) {
            if (!attribute.isNone())
                m_path.push_back(attribute);
            return;
        }
        for (const std::string_view part : split(attribute.text(), ".", -1)) {
            int64_t position = 0;
            const auto* end = part.data() + part.size();
            const bool digits = !part.empty()
                && std::all_of(part.begin(), part.end(), [](char byte) { return byte >= '0' && byte <= '9'; })
                && std::from_chars(part.data(), end, position).ec == std::errc();
            m_path.push_back(digits ? Value(position) : Value(part));
        }
    }

    Value operator()(Value item) const
    {
        for (const Value& part : m_path) {
            item = subscriptOf(item, part);
            if (m_fallback && item.isUndefined())
                item = *m_fallback;
        }
        return item;
    }

private:
    std::vector<Value> m_path;
    std::optional<Value> m_fallback;
};

Value withoutCase(const Value& value)
{
    return value.isText() ? Value(toLower(value.text())) : value;
}

std::vector<std::string_view> attributeList(const std::optional<Value>& attribute)
{
    if (attribute && attribute->isText())
        return split(attribute->text(), ",", -1);
    return {};
}

/// What a sort compares: the item, one attribute, or a list of attributes.
Value sortKey(const Value& item, const std::optional<Value>& attribute, bool caseSensitive)
{
    const auto part = [&](const Value& name) {
        const Value value = AttributeGetter(name)(item);
        return caseSensitive ? value : withoutCase(value);
    };
    const auto names = attributeList(attribute);
    if (names.size() < 2)
        return Value::list({ part(attribute ? *attribute : Value(None {})) });
    std::vector<Value> parts;
    for (const std::string_view name : names)
        parts.push_back(part(Value(name)));
    return Value::list(std::move(parts));
}

std::vector<Value> sortedByKey(std::vector<std::pair<Value, Value>> keyed, bool reverse, Budget& budget)
{
    std::stable_sort(keyed.begin(), keyed.end(), [&](const auto& left, const auto& right) {
        budget.charge(1 + (left.first.weight() + right.first.weight()) / 16);
        return reverse ? less(right.first, left.first) : less(left.first, right.first);
    });
    std::vector<Value> items;
    items.reserve(keyed.size());
    for (auto& entry : keyed)
        items.push_back(std::move(entry.second));
    return items;
}

Value lengthFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("length", arguments, {});
    return lengthOf(input);
}

Value listFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("list", arguments, {});
    return Value::list(iterate(input));
}

Value firstFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("first", arguments, {});
    const Sequence* sequence = input.sequence();
    if (sequence && sequence->kind == Kind::iterator && sequence->consumed < sequence->items.size())
        return sequence->items[sequence->consumed++];
    const auto items = iterate(input);
    return items.empty() ? Value::missing("No first item, sequence was empty.") : items.front();
}

bool isReversible(const Value& input)
{
    return isIterable(input) && !(input.sequence() && input.sequence()->kind == Kind::iterator);
}

Value lastFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("last", arguments, {});
    if (!isReversible(input))
        throw TypeFailure("'" + std::string(input.typeName()) + "' object is not reversible");
    const auto items = iterate(input);
    return items.empty() ? Value::missing("No last item, sequence was empty.") : items.back();
}

Value reverseFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("reverse", arguments, {});
    if (input.isText())
        return sliceOf(input, None {}, None {}, int64_t { -1 });
    auto items = iterate(input);
    std::reverse(items.begin(), items.end());
    return makeSequence(isReversible(input) ? Kind::iterator : Kind::list, std::move(items));
}

Value joinFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("join", arguments, { "d", "attribute" });
    const std::string separator = given[0] ? toText(*given[0]) : std::string();
    const bool hasAttribute = given[1] && !given[1]->isNone();
    const AttributeGetter getter(hasAttribute ? *given[1] : Value(None {}));
    std::string out;
    bool first = true;
    for (const Value& item : iterate(input)) {
        if (!first)
            out += separator;
        first = false;
        out += toText(getter(item));
        checkTextSize(out.size());
    }
    return Value(std::move(out));
}

Value itemsFilter(const Value& input, const Arguments& arguments, Budget&)
{
    bind("items", arguments, {});
    return generate([&](std::vector<Value>& items) {
        if (input.isUndefined())
            return;
        if (!input.dict())
            throw TypeFailure("Can only get item pairs from a mapping.");
        for (const auto& [key, value] : input.dict()->entries)
            items.push_back(Value::tuple({ key, value }));
    });
}

Value dictsortFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    const auto given = bind("dictsort", arguments, { "case_sensitive", "by", "reverse" });
    const std::string by = given[1] ? toText(*given[1]) : "key";
    if (by != "key" && by != "value")
        throw TemplateFailure("You can only sort by either \"key\" or \"value\"");
    if (input.isUndefined())
        failUndefined(input);
    if (!input.dict())
        throw TypeFailure("dictsort needs a dict, not '" + std::string(input.typeName()) + "'");
    std::vector<std::pair<Value, Value>> keyed;
    for (const auto& [key, value] : input.dict()->entries) {
        const Value& compared = by == "key" ? key : value;
        keyed.emplace_back(truthOr(given[0], false) ? compared : withoutCase(compared), Value::tuple({ key, value }));
    }
    return Value::list(sortedByKey(std::move(keyed), truthOr(given[2], false), budget));
}

Value sortFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    const auto given = bind("sort", arguments, { "reverse", "case_sensitive", "attribute" });
    std::vector<std::pair<Value, Value>> keyed;
    for (const Value& item : iterate(input))
        keyed.emplace_back(sortKey(item, given[2], truthOr(given[1], false)), item);
    return Value::list(sortedByKey(std::move(keyed), truthOr(given[0], false), budget));
}

Value uniqueFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("unique", arguments, { "case_sensitive", "attribute" });
    return generate([&](std::vector<Value>& items) {
        Dict seen;
        const AttributeGetter getter(given[1] ? *given[1] : Value(None {}));
        for (const Value& item : iterate(input)) {
            const Value value = getter(item);
            const Value key = truthOr(given[0], false) ? value : withoutCase(value);
            if (!seen.find(key)) {
                seen.set(key, None {});
                items.push_back(item);
            }
        }
    });
}

Value extreme(const Value& input, const Arguments& arguments, bool largest)
{
    const auto given = bind(largest ? "max" : "min", arguments, { "case_sensitive", "attribute" });
    const auto items = iterate(input);
    if (items.empty())
        return Value::missing("No aggregated item, sequence was empty.");
    const AttributeGetter getter(given[1] ? *given[1] : Value(None {}));
    const auto keyOf = [&](const Value& item) {
        const Value value = getter(item);
        return truthOr(given[0], false) ? value : withoutCase(value);
    };
    size_t best = 0;
    for (size_t i = 1; i < items.size(); ++i) {
        const Value left = keyOf(items[i]);
        const Value right = keyOf(items[best]);
        if (largest ? less(right, left) : less(left, right))
            best = i;
    }
    return items[best];
}

Value minFilter(const Value& input, const Arguments& arguments, Budget&)
{
    return extreme(input, arguments, false);
}

Value maxFilter(const Value& input, const Arguments& arguments, Budget&)
{
    return extreme(input, arguments, true);
}

Value sumFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("sum", arguments, { "attribute", "start" });
    Value total = given[1] ? *given[1] : Value(int64_t { 0 });
    if (total.isText())
        throw TypeFailure("sum cannot add texts; use join");
    const bool hasAttribute = given[0] && !given[0]->isNone();
    const AttributeGetter getter(hasAttribute ? *given[0] : Value(None {}));
    for (const Value& item : iterate(input))
        total = apply(Operator::add, total, getter(item));
    return total;
}

Value batchFilter(const Value& input, const Arguments& arguments, Budget&)
{
    const auto given = bind("batch", arguments, { "linecount", "fill_with" });
    const int64_t size = integerOr(given[0], 0);
    return generate([&](std::vector<Value>& batches) {
        std::vector<Value> batch;
        for (const Value& item : iterate(input)) {
            if (static_cast<int64_t>(batch.size()) == size)
                batches.push_back(Value::list(std::exchange(batch, {})));
            batch.push_back(item);
        }
        if (batch.empty())
            return;
        if (given[1] && !given[1]->isNone() && size > 0) {
            if (static_cast<size_t>(size) > maxWeight)
                throw TemplateFailure("the batches are too large");
            batch.resize(std::max(batch.size(), static_cast<size_t>(size)), *given[1]);
        }
        batches.push_back(Value::list(std::move(batch)));
    });
}

Value mapFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    return generate([&](std::vector<Value>& items) {
        if (!input.truthy())
            return;
        if (arguments.positional.empty() && !arguments.keywords.empty()) {
            const auto given = bind("map", arguments, { "attribute", "default" });
            if (!given[0])
                throw TemplateFailure("map requires a filter argument");
            const bool hasDefault = given[1] && !given[1]->isNone();
            const AttributeGetter getter(*given[0], hasDefault ? given[1] : std::nullopt);
            for (const Value& item : iterate(input))
                items.push_back(getter(item));
            return;
        }
        if (arguments.positional.empty())
            throw TemplateFailure("map requires a filter argument");
        const std::string& name = textOf(arguments.positional[0], "the filter of map");
        const FilterFunction filter = findFilter(name);
        if (!filter)
            throw TemplateFailure("the filter '" + name + "' is not supported");
        Arguments rest = arguments;
        rest.positional.erase(rest.positional.begin());
        for (const Value& item : iterate(input)) {
            budget.charge(1 + item.weight() / 16);
            items.push_back(filter(item, rest, budget));
        }
    });
}

Value choose(const Value& input, const Arguments& arguments, Budget& budget, bool byAttribute, bool wanted)
{
    return generate([&](std::vector<Value>& items) {
        if (!input.truthy())
            return;
        const size_t offset = byAttribute ? 1 : 0;
        if (arguments.positional.size() < offset)
            throw TemplateFailure("Missing parameter for attribute name");
        const AttributeGetter getter(byAttribute ? arguments.positional[0] : Value(None {}));
        TestFunction test = nullptr;
        Arguments rest = arguments;
        if (arguments.positional.size() > offset) {
            const std::string& name = textOf(arguments.positional[offset], "the name of the test");
            test = findTest(name);
            if (!test)
                throw TemplateFailure("the test '" + name + "' is not supported");
            rest.positional.erase(
                rest.positional.begin(), rest.positional.begin() + static_cast<std::ptrdiff_t>(offset + 1));
        }
        for (const Value& item : iterate(input)) {
            const Value value = getter(item);
            budget.charge(1 + value.weight() / 16);
            if ((test ? test(value, rest) : value.truthy()) == wanted)
                items.push_back(item);
        }
    });
}

Value selectFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    return choose(input, arguments, budget, false, true);
}
Value rejectFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    return choose(input, arguments, budget, false, false);
}
Value selectattrFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    return choose(input, arguments, budget, true, true);
}
Value rejectattrFilter(const Value& input, const Arguments& arguments, Budget& budget)
{
    return choose(input, arguments, budget, true, false);
}

constexpr NamedFilter filters[] = { { "batch", batchFilter }, { "count", lengthFilter }, { "dictsort", dictsortFilter },
    { "first", firstFilter }, { "items", itemsFilter }, { "join", joinFilter }, { "last", lastFilter },
    { "length", lengthFilter }, { "list", listFilter }, { "map", mapFilter }, { "max", maxFilter },
    { "min", minFilter }, { "reject", rejectFilter }, { "rejectattr", rejectattrFilter }, { "reverse", reverseFilter },
    { "select", selectFilter }, { "selectattr", selectattrFilter }, { "sort", sortFilter }, { "sum", sumFilter },
    { "unique", uniqueFilter } };

} // namespace

FilterFunction findSequenceFilter(std::string_view name)
{
    const auto* found
        = std::find_if(std::begin(filters), std::end(filters), [&](const auto& entry) { return entry.name == name; });
    return found == std::end(filters) ? nullptr : found->function;
}

} // namespace tunebench::jinja
