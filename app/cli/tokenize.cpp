#include "app/cli/command_line.h"

#include "core/text/text_model.h"

#include <limits>
#include <memory>

namespace tunebench {

namespace {

using nlohmann::ordered_json;

struct Options {
    std::string model;
    bool special = false;
    bool decode = false;
};

tl::unexpected<Error> badLine(size_t number, const std::string& reason)
{
    return failure("Line " + std::to_string(number) + " of the input " + reason + ".");
}

Result<ordered_json> encodeLine(const Tokenizer& tokenizer, const ordered_json& value, size_t number, bool special)
{
    if (!value.is_string()) {
        return badLine(number, "is not a JSON string");
    }
    return ordered_json { { "ids", tokenizer.encode(value.get_ref<const std::string&>(), special) } };
}

Result<ordered_json> decodeLine(const Tokenizer& tokenizer, const ordered_json& value, size_t number)
{
    if (!value.is_array()) {
        return badLine(number, "is not a JSON list of ids");
    }
    std::vector<TokenId> ids;
    for (const ordered_json& element : value) {
        if (!element.is_number_unsigned() || element.get<uint64_t>() > std::numeric_limits<TokenId>::max()
            || !tokenizer.tokenOf(element.get<TokenId>())) {
            const std::string shown = element.is_structured() ? "a list or an object" : element.dump();
            return badLine(number, "holds " + shown + ", which is no id of this tokenizer");
        }
        ids.push_back(element.get<TokenId>());
    }
    return ordered_json { { "text", tokenizer.decode(ids) } };
}

Result<int> tokenize(Console& console, const Options& options)
{
    const auto text = openTextModel(options.model);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const auto answerLine = [&](const std::string& line, size_t number) {
        const auto value = parseJsonLine(line, number, options.decode ? "a JSON list of ids" : "a JSON string");
        return value.and_then([&](const ordered_json& read) {
            return options.decode ? decodeLine(text->tokenizer, read, number)
                                  : encodeLine(text->tokenizer, read, number, options.special);
        });
    };
    return answerLines(console, answerLine).map([] { return 0; });
}

} // namespace

void addTokenize(CommandLine& line)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = line.add("tokenize", "JSON lines of texts in, JSON lines of token ids out",
        [options](Console& console) { return tokenize(console, *options); });
    command
        ->add_option(
            "--model", options->model, "Model folder, tokenizer.json, tokenizer.model, tekken.json or .gguf file")
        ->required();
    command->add_flag("--special", options->special, "Add what the tokenizer's post-processor adds");
    command->add_flag("--decode", options->decode, "Lists of ids in, texts out");
}

} // namespace tunebench
