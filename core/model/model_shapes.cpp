#include "core/model/model_shapes.h"

#include "core/model/model_config.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace tunebench {

/// resources/model_shapes.json, as the build has put it into the program.
extern const std::string_view modelShapesJson;

namespace {

std::vector<ModelShape> readShapes()
{
    std::vector<ModelShape> shapes;
    for (const auto& entry : nlohmann::json::parse(modelShapesJson)) {
        const std::string name = entry.at("name");
        // What the program brings along is whole: a test reads every shape.
        shapes.push_back({ name, modelSpecFromConfig(entry.at("config"), name).value() });
    }
    return shapes;
}

} // namespace

std::span<const ModelShape> modelShapes()
{
    static const std::vector<ModelShape> shapes = readShapes();
    return shapes;
}

} // namespace tunebench
