#include "core/text/jinja/operators.h"

#include "core/text/jinja/text.h"

#include <algorithm>
#include <cmath>

namespace tunebench::jinja {

namespace {

[[noreturn]] void failOverflow()
{
    throw TemplateFailure("a computation gives an integer over 64 bits, which is not supported");
}

[[noreturn]] void failOperands(std::string_view sign, const Value& left, const Value& right)
{
    if (left.isUndefined())
        failUndefined(left);
    if (right.isUndefined())
        failUndefined(right);
    throw TypeFailure("'" + std::string(sign) + "' is not defined for '" + std::string(left.typeName()) + "' and '"
        + std::string(right.typeName()) + "'");
}

bool areIntegers(const Value& left, const Value& right)
{
    return left.index() && right.index();
}

Value addTexts(const Value& left, const Value& right)
{
    const bool safe = left.isSafeText() || right.isSafeText();
    const auto part
        = [&](const Value& value) { return safe && !value.isSafeText() ? escapeHtml(value.text()) : value.text(); };
    return safe ? Value(part(left) + part(right), true) : Value(left.text() + right.text());
}

Value addSequences(const Value& left, const Value& right)
{
    std::vector<Value> items = left.sequence()->items;
    const auto& more = right.sequence()->items;
    items.insert(items.end(), more.begin(), more.end());
    return makeSequence(left.sequence()->kind, std::move(items));
}

bool areAddable(const Value& left, const Value& right)
{
    const Sequence* first = left.sequence();
    const Sequence* second = right.sequence();
    return first && second && first->kind == second->kind && first->kind <= Sequence::Kind::tuple;
}

Value add(const Value& left, const Value& right)
{
    if (left.isText() && right.isText())
        return addTexts(left, right);
    if (areIntegers(left, right)) {
        int64_t sum = 0;
        if (__builtin_add_overflow(*left.index(), *right.index(), &sum))
            failOverflow();
        return sum;
    }
    if (left.isNumber() && right.isNumber())
        return left.real() + right.real();
    if (areAddable(left, right))
        return addSequences(left, right);
    failOperands("+", left, right);
}

Value subtract(const Value& left, const Value& right)
{
    if (areIntegers(left, right)) {
        int64_t difference = 0;
        if (__builtin_sub_overflow(*left.index(), *right.index(), &difference))
            failOverflow();
        return difference;
    }
    if (left.isNumber() && right.isNumber())
        return left.real() - right.real();
    failOperands("-", left, right);
}

Value repeat(const Value& value, int64_t count)
{
    const auto times = static_cast<size_t>(std::max<int64_t>(count, 0));
    if (value.isText()) {
        const std::string& text = value.text();
        if (text.empty() || times == 0)
            return Value(std::string(), value.isSafeText());
        checkTextSize(times > maxTextBytes ? times : text.size() * times);
        std::string out;
        out.reserve(text.size() * times);
        for (size_t i = 0; i < times; ++i)
            out += text;
        return Value(std::move(out), value.isSafeText());
    }
    const auto& items = value.sequence()->items;
    if (!items.empty() && times > maxWeight / items.size())
        throw TemplateFailure("the template builds a list that is too long");
    std::vector<Value> out;
    for (size_t i = 0; i < (items.empty() ? 0 : times); ++i)
        out.insert(out.end(), items.begin(), items.end());
    return makeSequence(value.sequence()->kind, std::move(out));
}

Value multiply(const Value& left, const Value& right)
{
    const auto repeats = [](const Value& value) {
        return value.isText() || (value.sequence() && value.sequence()->kind <= Sequence::Kind::tuple);
    };
    if (areIntegers(left, right)) {
        int64_t product = 0;
        if (__builtin_mul_overflow(*left.index(), *right.index(), &product))
            failOverflow();
        return product;
    }
    if (left.isNumber() && right.isNumber())
        return left.real() * right.real();
    if (repeats(left) && right.index())
        return repeat(left, *right.index());
    if (repeats(right) && left.index())
        return repeat(right, *left.index());
    failOperands("*", left, right);
}

void checkDivisor(const Value& divisor)
{
    if (divisor.real() == 0)
        throw TemplateFailure("division by zero");
}

Value divide(const Value& left, const Value& right)
{
    if (!left.isNumber() || !right.isNumber())
        failOperands("/", left, right);
    checkDivisor(right);
    if (areIntegers(left, right))
        return static_cast<double>(static_cast<long double>(*left.index()) / static_cast<long double>(*right.index()));
    return left.real() / right.real();
}

double floatModulo(double left, double right)
{
    double rest = std::fmod(left, right);
    if (rest != 0 && (rest < 0) != (right < 0))
        rest += right;
    return rest == 0 ? std::copysign(0.0, right) : rest;
}

/// CPython's float_floor_div.
double floatFloorDivide(double left, double right)
{
    double rest = std::fmod(left, right);
    double quotient = (left - rest) / right;
    if (rest != 0 && (rest < 0) != (right < 0))
        quotient -= 1;
    if (quotient == 0)
        return std::copysign(0.0, left / right);
    const double floored = std::floor(quotient);
    return quotient - floored > 0.5 ? floored + 1 : floored;
}

Value floorDivide(const Value& left, const Value& right)
{
    if (!left.isNumber() || !right.isNumber())
        failOperands("//", left, right);
    checkDivisor(right);
    if (!areIntegers(left, right))
        return floatFloorDivide(left.real(), right.real());
    const int64_t a = *left.index();
    const int64_t b = *right.index();
    if (a == INT64_MIN && b == -1)
        failOverflow();
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

Value modulo(const Value& left, const Value& right)
{
    if (left.isText()) {
        if (left.isSafeText())
            throw TemplateFailure("'%' on a text marked safe is not supported");
        return formatPercent(left.text(), right);
    }
    if (!left.isNumber() || !right.isNumber())
        failOperands("%", left, right);
    checkDivisor(right);
    if (!areIntegers(left, right))
        return floatModulo(left.real(), right.real());
    const int64_t b = *right.index();
    if (b == -1)
        return int64_t { 0 };
    const int64_t rest = *left.index() % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Value power(const Value& left, const Value& right)
{
    if (!left.isNumber() || !right.isNumber())
        failOperands("**", left, right);
    if (areIntegers(left, right) && *right.index() >= 0) {
        int64_t result = 1;
        int64_t base = *left.index();
        for (int64_t rest = *right.index(); rest > 0; rest >>= 1) {
            if ((rest & 1) != 0 && __builtin_mul_overflow(result, base, &result))
                failOverflow();
            if (rest > 1 && __builtin_mul_overflow(base, base, &base))
                failOverflow();
        }
        return result;
    }
    if (left.real() == 0 && right.real() < 0)
        throw TemplateFailure("0 cannot be raised to a negative power");
    if (left.real() < 0 && std::floor(right.real()) != right.real())
        throw TemplateFailure("complex numbers are not supported");
    const double result = std::pow(left.real(), right.real());
    if (std::isinf(result) && std::isfinite(left.real()) && std::isfinite(right.real()))
        throw TemplateFailure("the result of '**' is too large");
    return result;
}

bool isLess(const Value& left, const Value& right)
{
    return less(left, right);
}

bool hasNan(const Value& value)
{
    return value.isFloat() && std::isnan(value.real());
}

} // namespace

Value apply(Operator operation, const Value& left, const Value& right)
{
    switch (operation) {
    case Operator::add:
        return add(left, right);
    case Operator::subtract:
        return subtract(left, right);
    case Operator::multiply:
        return multiply(left, right);
    case Operator::divide:
        return divide(left, right);
    case Operator::floorDivide:
        return floorDivide(left, right);
    case Operator::modulo:
        return modulo(left, right);
    case Operator::power:
        return power(left, right);
    case Operator::equal:
        return equal(left, right);
    case Operator::notEqual:
        return !equal(left, right);
    case Operator::less:
        return isLess(left, right);
    case Operator::greater:
        return isLess(right, left);
    case Operator::lessEqual:
        return !isLess(right, left) && !hasNan(left) && !hasNan(right);
    case Operator::greaterEqual:
        return !isLess(left, right) && !hasNan(left) && !hasNan(right);
    case Operator::in:
        return contains(right, left);
    case Operator::notIn:
        return !contains(right, left);
    }
    return {};
}

Value negate(const Value& value)
{
    if (const auto integer = value.index()) {
        if (*integer == INT64_MIN)
            failOverflow();
        return -*integer;
    }
    if (value.isFloat())
        return -value.real();
    if (value.isUndefined())
        failUndefined(value);
    throw TypeFailure("'-' is not defined for '" + std::string(value.typeName()) + "'");
}

Value positive(const Value& value)
{
    if (const auto integer = value.index())
        return *integer;
    if (value.isFloat())
        return value;
    if (value.isUndefined())
        failUndefined(value);
    throw TypeFailure("'+' is not defined for '" + std::string(value.typeName()) + "'");
}

bool contains(const Value& container, const Value& value)
{
    if (container.isText()) {
        if (!value.isText())
            throw TypeFailure("'in <string>' needs a text on the left, not '" + std::string(value.typeName()) + "'");
        return findText(container.text(), value.text()) != std::string::npos;
    }
    if (const auto* dict = container.dict())
        return dict->find(value) != nullptr;
    const Sequence* sequence = container.sequence();
    const auto matches = [&](const Value& item) { return item.same(value) || equal(item, value); };
    if (sequence && sequence->kind != Sequence::Kind::iterator)
        return std::any_of(sequence->items.begin(), sequence->items.end(), matches);
    if (sequence) { // takes what it passes
        while (sequence->consumed < sequence->items.size()) {
            if (matches(sequence->items[sequence->consumed++]))
                return true;
        }
    }
    const auto rest = iterate(container);
    return std::any_of(rest.begin(), rest.end(), matches);
}

namespace {

Value missingItem(const Value& base, const Value& index)
{
    const std::string name = index.isText() ? reprOfText(index.text())
        : index.isNumber()                  ? toText(index)
                                            : std::string(index.typeName());
    return Value::missing("'" + std::string(base.typeName()) + " object' has no attribute " + name);
}

/// The position in a sequence of this length, from the end where negative.
std::optional<size_t> positionOf(int64_t index, int64_t length)
{
    const int64_t position = index < 0 ? index + length : index;
    return position < 0 || position >= length ? std::nullopt : std::optional(static_cast<size_t>(position));
}

struct SliceRange {
    int64_t begin, end, step;
    int64_t count() const
    {
        if (step > 0)
            return begin < end ? (end - begin - 1) / step + 1 : 0;
        return begin > end ? (begin - end - 1) / -step + 1 : 0;
    }
};

/// Python's slice.indices.
SliceRange sliceRange(const Value& begin, const Value& end, const Value& step, int64_t length)
{
    const auto bound = [](const Value& value) -> std::optional<int64_t> {
        if (value.isNone())
            return {};
        if (!value.index())
            throw TypeFailure("slice indices must be integers or none");
        return value.index();
    };
    const int64_t by = bound(step).value_or(1);
    if (by == 0)
        throw ValueFailure("a slice step cannot be zero");
    const int64_t lowest = by < 0 ? -1 : 0;
    const int64_t highest = by < 0 ? length - 1 : length;
    const auto clamp = [&](int64_t value) {
        if (value < 0)
            value = std::max(value, -length - 1) + length;
        return std::clamp(value, lowest, highest);
    };
    const auto from = bound(begin);
    const auto to = bound(end);
    return { from ? clamp(*from) : (by < 0 ? highest : lowest), to ? clamp(*to) : (by < 0 ? lowest : highest),
        std::clamp<int64_t>(by, -INT64_MAX, INT64_MAX) };
}

std::string sliceText(const std::string& text, const SliceRange& range)
{
    const int64_t count = range.count();
    if (range.step == 1) {
        const size_t begin = byteOffset(text, static_cast<size_t>(range.begin));
        const std::string_view rest = std::string_view(text).substr(begin);
        return std::string(rest.substr(0, byteOffset(rest, static_cast<size_t>(count))));
    }
    std::vector<size_t> offsets;
    for (size_t at = 0; at < text.size(); at += sequenceSize(text, at))
        offsets.push_back(at);
    std::string out;
    for (int64_t i = 0; i < count; ++i) {
        const size_t at = offsets[static_cast<size_t>(range.begin + i * range.step)];
        out += std::string_view(text).substr(at, sequenceSize(text, at));
    }
    return out;
}

} // namespace

Value itemOf(const Value& base, const Value& index)
{
    if (base.isUndefined())
        failUndefined(base);
    if (const auto* dict = base.dict()) {
        const Value* found = index.dict() || (index.sequence() && index.sequence()->kind != Sequence::Kind::tuple)
            ? nullptr
            : dict->find(index);
        return found ? *found : missingItem(base, index);
    }
    const auto number = index.index();
    if (number && base.isText()) {
        const std::string& text = base.text();
        const auto position = positionOf(*number, lengthOf(base));
        if (!position)
            return missingItem(base, index);
        const size_t at = byteOffset(text, *position);
        return Value(text.substr(at, sequenceSize(text, at)), base.isSafeText());
    }
    const Sequence* sequence = base.sequence();
    if (number && sequence && sequence->isSubscriptable()) {
        if (const auto position = positionOf(*number, static_cast<int64_t>(sequence->items.size())))
            return sequence->items[*position];
    }
    return missingItem(base, index);
}

Value sliceOf(const Value& base, const Value& begin, const Value& end, const Value& step)
{
    if (base.isUndefined())
        failUndefined(base);
    const Sequence* sequence = base.sequence();
    if (!base.isText() && (!sequence || !sequence->isSubscriptable()))
        throw TypeFailure("'" + std::string(base.typeName()) + "' object cannot be sliced");
    const SliceRange range = sliceRange(begin, end, step, lengthOf(base));
    if (base.isText())
        return Value(sliceText(base.text(), range), base.isSafeText());
    std::vector<Value> items;
    const int64_t count = range.count();
    items.reserve(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
        items.push_back(sequence->items[static_cast<size_t>(range.begin + i * range.step)]);
    return makeSequence(sequence->kind, std::move(items));
}

} // namespace tunebench::jinja
