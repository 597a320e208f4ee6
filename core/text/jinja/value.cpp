#include "core/text/jinja/value.h"

#include "core/text/jinja/text.h"

#include <algorithm>
#include <cmath>

namespace tunebench::jinja {

namespace {

template <class... Cases> struct Overloaded : Cases... {
    using Cases::operator()...;
};
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

constexpr size_t indexedDictSize = 16;

void grow(size_t& weight, size_t& depth, const Value& part)
{
    weight += part.weight();
    depth = std::max(depth, part.depth() + 1);
    if (weight > maxWeight)
        throw TemplateFailure("the template builds a value that is too large");
    if (depth > maxValueDepth)
        throw TemplateFailure("the template builds lists or dicts nested too deep");
}

} // namespace

void checkTextSize(size_t bytes)
{
    if (bytes > maxTextBytes)
        throw TemplateFailure("the template builds a text over " + std::to_string(maxTextBytes >> 20) + " MiB");
}

Value::Value(std::string text, bool safe)
{
    checkTextSize(text.size());
    m_data = std::make_shared<const Text>(Text { std::move(text), safe });
}

Value Value::missing(std::string message)
{
    return Undefined { std::make_shared<const std::string>(std::move(message)) };
}

Value Value::list(std::vector<Value> items)
{
    return makeSequence(Sequence::Kind::list, std::move(items));
}
Value Value::tuple(std::vector<Value> items)
{
    return makeSequence(Sequence::Kind::tuple, std::move(items));
}

Value makeSequence(Sequence::Kind kind, std::vector<Value> items)
{
    return std::make_shared<const Sequence>(kind, std::move(items));
}

const Sequence* Value::sequence() const
{
    const auto* held = std::get_if<std::shared_ptr<const Sequence>>(&m_data);
    return held ? held->get() : nullptr;
}

const Dict* Value::dict() const
{
    const auto* held = std::get_if<std::shared_ptr<const Dict>>(&m_data);
    return held ? held->get() : nullptr;
}

const Callable* Value::callable() const
{
    const auto* held = std::get_if<std::shared_ptr<const Callable>>(&m_data);
    return held ? held->get() : nullptr;
}

Namespace* Value::space() const
{
    const auto* held = std::get_if<Namespace*>(&m_data);
    return held ? *held : nullptr;
}

LoopState* Value::loop() const
{
    const auto* held = std::get_if<LoopState*>(&m_data);
    return held ? *held : nullptr;
}

std::optional<int64_t> Value::index() const
{
    if (isInteger())
        return std::get<int64_t>(m_data);
    if (isBool())
        return std::get<bool>(m_data) ? 1 : 0;
    return {};
}

double Value::real() const
{
    return isFloat() ? std::get<double>(m_data) : static_cast<double>(index().value_or(0));
}

bool Value::truthy() const
{
    return std::visit(Overloaded { [](const Undefined&) { return false; }, [](None) { return false; },
                          [](bool value) { return value; }, [](int64_t value) { return value != 0; },
                          [](double value) { return value != 0; },
                          [](const std::shared_ptr<const Text>& value) { return !value->text.empty(); },
                          [](const std::shared_ptr<const Sequence>& value) {
                              return value->kind == Sequence::Kind::iterator || !value->items.empty();
                          },
                          [](const std::shared_ptr<const Dict>& value) { return !value->entries.empty(); },
                          [](const auto&) { return true; } },
        m_data);
}

bool Value::same(const Value& other) const
{
    if (m_data.index() != other.m_data.index())
        return false;
    return std::visit(
        Overloaded { [&](const Undefined& value) { return value.message == other.undefined().message; },
            [](None) { return true; },
            [&](const auto& value) { return value == std::get<std::decay_t<decltype(value)>>(other.m_data); } },
        m_data);
}

size_t Value::weight() const
{
    if (isText())
        return 1 + text().size() / 64;
    if (const auto* held = sequence())
        return held->weight;
    if (const auto* held = dict())
        return held->weight;
    return 1;
}

size_t Value::depth() const
{
    if (const auto* held = sequence())
        return held->depth;
    if (const auto* held = dict())
        return held->depth;
    return 0;
}

std::string_view Value::typeName() const
{
    if (const auto* held = sequence()) {
        static constexpr std::string_view names[]
            = { "list", "tuple", "range", "dict_keys", "dict_values", "dict_items", "generator" };
        return names[static_cast<size_t>(held->kind)];
    }
    static constexpr std::string_view names[] = { "Undefined", "NoneType", "bool", "int", "float", "str", "list",
        "dict", "function", "Namespace", "LoopContext" };
    return isSafeText() ? "Markup" : names[m_data.index()];
}

Sequence::Sequence(Kind which, std::vector<Value> content)
    : kind(which)
    , items(std::move(content))
{
    for (const Value& item : items)
        grow(weight, depth, item);
}

void Dict::set(Value key, Value value)
{
    if (const auto position = positionOf(key)) {
        grow(weight, depth, value);
        entries[*position].second = std::move(value);
        return;
    }
    grow(weight, depth, key);
    grow(weight, depth, value);
    entries.emplace_back(std::move(key), std::move(value));
    if (entries.size() == indexedDictSize) {
        for (size_t i = 0; i < entries.size(); ++i)
            m_positions.emplace(hashKey(entries[i].first), i);
    } else if (entries.size() > indexedDictSize) {
        m_positions.emplace(hashKey(entries.back().first), entries.size() - 1);
    }
}

std::optional<size_t> Dict::positionOf(const Value& key) const
{
    if (!m_positions.empty()) {
        const auto found = m_positions.find(hashKey(key));
        return found == m_positions.end() ? std::nullopt : std::optional(found->second);
    }
    if (!key.isText())
        hashKey(key);
    for (size_t i = 0; i < entries.size(); ++i) {
        if (equal(entries[i].first, key))
            return i;
    }
    return {};
}

const Value* Dict::find(const Value& key) const
{
    const auto position = positionOf(key);
    return position ? &entries[*position].second : nullptr;
}

const Value* Dict::find(std::string_view key) const
{
    if (!m_positions.empty())
        return find(Value(key));
    for (const auto& [name, value] : entries) {
        if (name.isText() && name.text() == key)
            return &value;
    }
    return nullptr;
}

void failUndefined(const Value& value)
{
    const auto& message = value.undefined().message;
    throw TemplateFailure(message ? *message : "an undefined value is used");
}

namespace {

bool equalItems(const std::vector<Value>& left, const std::vector<Value>& right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
        [](const Value& a, const Value& b) { return a.same(b) || equal(a, b); });
}

bool equalSequences(const Sequence& left, const Sequence& right)
{
    using Kind = Sequence::Kind;
    if (left.kind == Kind::keys || left.kind == Kind::items) {
        const auto holds = [&](const Value& wanted) {
            return std::any_of(
                right.items.begin(), right.items.end(), [&](const Value& item) { return equal(item, wanted); });
        };
        return left.kind == right.kind && left.items.size() == right.items.size()
            && std::all_of(left.items.begin(), left.items.end(), holds);
    }
    if (left.kind != right.kind || left.kind == Kind::iterator || left.kind == Kind::values)
        return &left == &right;
    return equalItems(left.items, right.items);
}

bool equalDicts(const Dict& left, const Dict& right)
{
    if (left.entries.size() != right.entries.size())
        return false;
    return std::all_of(left.entries.begin(), left.entries.end(), [&](const auto& entry) {
        const Value* other = right.find(entry.first);
        return other && (other->same(entry.second) || equal(entry.second, *other));
    });
}

[[noreturn]] void failOrder(const Value& left, const Value& right)
{
    throw TypeFailure("'<' is not defined between '" + std::string(left.typeName()) + "' and '"
        + std::string(right.typeName()) + "'");
}

} // namespace

bool equal(const Value& left, const Value& right)
{
    if (left.isNumber() && right.isNumber()) {
        if (left.isFloat() || right.isFloat()) {
            const auto wide = [](const Value& value) {
                return value.isFloat() ? static_cast<long double>(value.real())
                                       : static_cast<long double>(*value.index());
            };
            return wide(left) == wide(right);
        }
        return *left.index() == *right.index();
    }
    if (left.isText() && right.isText())
        return left.text() == right.text();
    if (left.sequence() && right.sequence())
        return equalSequences(*left.sequence(), *right.sequence());
    if (left.dict() && right.dict())
        return left.same(right) || equalDicts(*left.dict(), *right.dict());
    if (left.isUndefined() && right.isUndefined())
        return true;
    return left.same(right);
}

bool less(const Value& left, const Value& right)
{
    if (left.isUndefined())
        failUndefined(left);
    if (right.isUndefined())
        failUndefined(right);
    if (left.isNumber() && right.isNumber()) {
        if (left.isFloat() || right.isFloat())
            return static_cast<long double>(left.isFloat() ? left.real() : 0)
                + static_cast<long double>(left.isFloat() ? 0 : *left.index())
                < static_cast<long double>(right.isFloat() ? right.real() : 0)
                + static_cast<long double>(right.isFloat() ? 0 : *right.index());
        return *left.index() < *right.index();
    }
    if (left.isText() && right.isText())
        return left.text() < right.text();
    const Sequence* first = left.sequence();
    const Sequence* second = right.sequence();
    if (!first || !second || first->kind != second->kind || first->kind > Sequence::Kind::tuple)
        failOrder(left, right);
    const size_t shared = std::min(first->items.size(), second->items.size());
    for (size_t i = 0; i < shared; ++i) {
        if (!first->items[i].same(second->items[i]) && !equal(first->items[i], second->items[i]))
            return less(first->items[i], second->items[i]);
    }
    return first->items.size() < second->items.size();
}

std::string hashKey(const Value& value)
{
    if (value.isText())
        return "t" + value.text();
    if (value.isFloat() && (std::floor(value.real()) != value.real() || std::fabs(value.real()) > 9e18))
        return "f" + reprOfFloat(value.real());
    if (value.isNumber())
        return "i" + std::to_string(value.isFloat() ? static_cast<int64_t>(value.real()) : *value.index());
    if (value.isNone())
        return "n";
    if (value.isUndefined())
        return "u";
    const Sequence* sequence = value.sequence();
    if (value.dict() || (sequence && sequence->kind != Sequence::Kind::tuple))
        throw TypeFailure("unhashable type: '" + std::string(value.typeName()) + "'");
    if (!sequence)
        throw TypeFailure("a " + std::string(value.typeName()) + " as a dict key is not supported");
    std::string key = "(";
    for (const Value& item : sequence->items) {
        const std::string part = hashKey(item);
        key += std::to_string(part.size()) + ":" + part;
    }
    return key;
}

std::vector<Value> iterate(const Value& value)
{
    if (const auto* sequence = value.sequence()) {
        if (sequence->kind != Sequence::Kind::iterator)
            return sequence->items;
        std::vector<Value> rest(
            sequence->items.begin() + static_cast<std::ptrdiff_t>(sequence->consumed), sequence->items.end());
        sequence->consumed = sequence->items.size();
        if (sequence->failure)
            throw TemplateFailure(*sequence->failure);
        return rest;
    }
    if (value.isUndefined())
        return {};
    std::vector<Value> items;
    if (value.isText()) {
        for (std::string_view rest = value.text(); !rest.empty();) {
            const size_t size = sequenceSize(rest, 0);
            items.emplace_back(rest.substr(0, size));
            rest.remove_prefix(size);
        }
        return items;
    }
    if (const auto* dict = value.dict()) {
        for (const auto& entry : dict->entries)
            items.push_back(entry.first);
        return items;
    }
    throw TypeFailure("'" + std::string(value.typeName()) + "' object is not iterable");
}

bool isIterable(const Value& value)
{
    return value.sequence() || value.isUndefined() || value.isText() || value.dict() || value.loop();
}

int64_t lengthOf(const Value& value)
{
    if (const auto* sequence = value.sequence(); sequence && sequence->hasLength())
        return static_cast<int64_t>(sequence->items.size());
    if (value.isUndefined())
        return 0;
    if (value.isText())
        return static_cast<int64_t>(characterCount(value.text()));
    if (const auto* dict = value.dict())
        return static_cast<int64_t>(dict->entries.size());
    if (const auto* loop = value.loop())
        return static_cast<int64_t>(loop->items.size());
    throw TypeFailure("object of type '" + std::string(value.typeName()) + "' has no len()");
}

} // namespace tunebench::jinja
