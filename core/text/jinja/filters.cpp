#include "core/text/jinja/filters.h"

#include <algorithm>

namespace tunebench::jinja {

FilterFunction findFilter(std::string_view name)
{
    if (name == "tojson")
        return &toJson;
    const FilterFunction text = findTextFilter(name);
    return text ? text : findSequenceFilter(name);
}

std::vector<std::optional<Value>> bind(
    std::string_view function, const Arguments& arguments, std::initializer_list<std::string_view> parameters)
{
    std::vector<std::optional<Value>> bound(parameters.size());
    if (arguments.positional.size() > parameters.size())
        throw TypeFailure(std::string(function) + " takes at most " + std::to_string(parameters.size()) + " arguments");
    std::copy(arguments.positional.begin(), arguments.positional.end(), bound.begin());
    for (const auto& [name, value] : arguments.keywords) {
        const auto* found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end())
            throw TypeFailure(std::string(function) + " has no argument '" + name + "'");
        auto& place = bound[static_cast<size_t>(found - parameters.begin())];
        if (place)
            throw TypeFailure(std::string(function) + " got the argument '" + name + "' twice");
        place = value;
    }
    return bound;
}

int64_t integerOr(const std::optional<Value>& argument, int64_t fallback)
{
    if (!argument)
        return fallback;
    if (argument->isUndefined())
        failUndefined(*argument);
    if (!argument->index())
        throw TypeFailure("an integer is needed, not '" + std::string(argument->typeName()) + "'");
    return *argument->index();
}

bool truthOr(const std::optional<Value>& argument, bool fallback)
{
    return argument ? argument->truthy() : fallback;
}

const std::string& textOf(const Value& value, std::string_view what)
{
    if (!value.isText())
        throw TypeFailure(std::string(what) + " must be a text, not '" + std::string(value.typeName()) + "'");
    return value.text();
}

} // namespace tunebench::jinja
