#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

/// The values of the Jinja engine: Python's, as far as chat templates can see them.
namespace tunebench::jinja {

/// Thrown inside the engine only; ChatTemplate turns it into a Result.
struct TemplateFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Python's TypeError and LookupError, which a subscript turns into an undefined value.
struct TypeFailure : TemplateFailure {
    using TemplateFailure::TemplateFailure;
};

/// Python's ValueError, which the `int` and `float` filters turn into their default.
struct ValueFailure : TemplateFailure {
    using TemplateFailure::TemplateFailure;
};

inline constexpr size_t maxTextBytes = size_t { 64 } << 20;
inline constexpr size_t maxWeight = size_t { 1 } << 21; ///< parts of one value, counted as Value::weight does
inline constexpr size_t maxValueDepth = 200; ///< lists and dicts inside each other

/// Throws when a text of so many bytes would be over the bound.
void checkTextSize(size_t bytes);

class Value;
struct Arguments;
struct Sequence;
struct Dict;
struct LoopState;

struct Text {
    std::string text;
    bool safe = false; ///< markupsafe's Markup: adding a plain text to it escapes that text
};

/// What a name, key or attribute that is not there evaluates to; `message` tells what was missing.
struct Undefined {
    std::shared_ptr<const std::string> message;
};

struct None { };

/// A mutable object; the interpreter owns all of them, so that no cycle of owners can come up.
struct Namespace {
    std::map<std::string, Value, std::less<>> attributes;
};

struct Callable {
    std::string name;
    std::function<Value(Arguments&)> call;
};

class Value {
public:
    Value() = default;
    Value(None)
        : m_data(None {})
    {
    }
    Value(Undefined undefined)
        : m_data(std::move(undefined))
    {
    }
    Value(bool value)
        : m_data(value)
    {
    }
    Value(int64_t value)
        : m_data(value)
    {
    }
    Value(double value)
        : m_data(value)
    {
    }
    Value(std::string text, bool safe = false);
    Value(std::string_view text)
        : Value(std::string(text))
    {
    }
    Value(const char* text)
        : Value(std::string(text))
    {
    }
    Value(std::shared_ptr<const Sequence> sequence)
        : m_data(std::move(sequence))
    {
    }
    Value(std::shared_ptr<const Dict> dict)
        : m_data(std::move(dict))
    {
    }
    Value(std::shared_ptr<const Callable> callable)
        : m_data(std::move(callable))
    {
    }
    Value(Namespace* space)
        : m_data(space)
    {
    }
    Value(LoopState* loop)
        : m_data(loop)
    {
    }

    static Value missing(std::string message);
    static Value list(std::vector<Value> items);
    static Value tuple(std::vector<Value> items);

    bool isUndefined() const { return std::holds_alternative<Undefined>(m_data); }
    bool isNone() const { return std::holds_alternative<None>(m_data); }
    bool isBool() const { return std::holds_alternative<bool>(m_data); }
    bool isInteger() const { return std::holds_alternative<int64_t>(m_data); } ///< not for bool
    bool isFloat() const { return std::holds_alternative<double>(m_data); }
    bool isNumber() const { return isBool() || isInteger() || isFloat(); }
    bool isText() const { return std::holds_alternative<std::shared_ptr<const Text>>(m_data); }
    bool isSafeText() const { return isText() && std::get<std::shared_ptr<const Text>>(m_data)->safe; }

    const std::string& text() const { return std::get<std::shared_ptr<const Text>>(m_data)->text; }
    const Sequence* sequence() const;
    const Dict* dict() const;
    const Callable* callable() const;
    Namespace* space() const;
    LoopState* loop() const;
    const Undefined& undefined() const { return std::get<Undefined>(m_data); }

    /// The integer of an int or bool, as Python's `__index__` gives it.
    std::optional<int64_t> index() const;
    /// The value of a bool, int or float.
    double real() const;
    bool truthy() const;
    /// Python's `is`.
    bool same(const Value& other) const;

    /// How much work one walk over the value is: its parts, and 1 for every 64 bytes of text.
    size_t weight() const;
    size_t depth() const;
    /// Python's name of the type.
    std::string_view typeName() const;

private:
    std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const Text>, std::shared_ptr<const Sequence>,
        std::shared_ptr<const Dict>, std::shared_ptr<const Callable>, Namespace*, LoopState*>
        m_data;
};

/// A list, or one of Python's other things that hold values in order.
struct Sequence {
    enum class Kind { list, tuple, range, keys, values, items, iterator };

    Kind kind = Kind::list;
    std::vector<Value> items;
    std::string label; ///< how Python prints a range
    mutable size_t consumed = 0; ///< of an iterator: what was taken from it already
    std::optional<std::string> failure; ///< of an iterator: the error behind its last item
    size_t weight = 1;
    size_t depth = 1;

    Sequence(Kind which, std::vector<Value> content);
    bool isView() const { return kind == Kind::keys || kind == Kind::values || kind == Kind::items; }
    bool hasLength() const { return kind != Kind::iterator; }
    bool isSubscriptable() const { return kind == Kind::list || kind == Kind::tuple || kind == Kind::range; }
};

Value makeSequence(Sequence::Kind kind, std::vector<Value> items);

/// A dict in order of insertion. Filled with `set`, then only read.
struct Dict {
    std::vector<std::pair<Value, Value>> entries;
    size_t weight = 1;
    size_t depth = 1;

    void set(Value key, Value value);
    const Value* find(const Value& key) const;
    const Value* find(std::string_view key) const;

private:
    std::optional<size_t> positionOf(const Value& key) const;
    std::unordered_map<std::string, size_t> m_positions; ///< only of large dicts
};

/// The `loop` object of a running for loop.
struct LoopState {
    std::vector<Value> items;
    size_t index0 = 0;
    size_t depth0 = 0;
    std::optional<Value> lastChanged;
    std::function<Value(const Value&)> recurse; ///< only of a loop marked `recursive`
};

struct Arguments {
    std::vector<Value> positional;
    std::vector<std::pair<std::string, Value>> keywords;
};

/// Throws what Python's jinja2 reports when an undefined value is used.
[[noreturn]] void failUndefined(const Value& value);

bool equal(const Value& left, const Value& right);
/// Python's `<`; throws for kinds that have no order.
bool less(const Value& left, const Value& right);
/// Throws for what Python cannot hash (lists, dicts).
std::string hashKey(const Value& value);

/// Python's str() and repr(). Things that Python prints with a memory address are refused.
std::string toText(const Value& value);
std::string toRepr(const Value& value);
std::string reprOfText(std::string_view text);
std::string reprOfFloat(double value);

/// What a for loop over the value sees; throws when it is not iterable. Takes everything from an iterator.
std::vector<Value> iterate(const Value& value);
bool isIterable(const Value& value);
/// Python's len().
int64_t lengthOf(const Value& value);

} // namespace tunebench::jinja
