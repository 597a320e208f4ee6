#include "core/train/prompts.h"

#include "core/config/run_config.h"
#include "core/data/iso_date.h"
#include "core/data/prompt_ids.h"
#include "core/train/generate.h"

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

namespace tunebench {
namespace {

namespace fs = std::filesystem;

Result<std::vector<TokenId>> encodedPrompt(
    const std::string& prompt, const std::string& name, const TextModel& text, const ModelSpec& spec)
{
    auto ids = promptIds(prompt, text, isoToday());
    if (!ids)
        return failure("eval_prompts: " + name + " cannot be asked: " + ids.error() + ".");
    const TokenId highest = *std::ranges::max_element(*ids);
    if (highest >= spec.vocabularySize)
        return failure("eval_prompts: " + name + " has token " + std::to_string(highest)
            + ", but the model knows only the tokens 0 to " + std::to_string(spec.vocabularySize - 1) + ".");
    if (std::ssize(*ids) + mostAnswerTokens > spec.contextLength)
        return failure("eval_prompts: " + name + " has " + std::to_string(ids->size()) + " tokens, which with the "
            + std::to_string(mostAnswerTokens) + " of an answer is more than the model's context of "
            + std::to_string(spec.contextLength) + "; shorten it.");
    return std::move(*ids);
}

/// Changes when the model's files do.
std::string stateOfFiles(const std::string& model)
{
    std::string state = model;
    const auto add = [&state](const fs::path& file) {
        std::error_code ignored;
        const auto time = fs::last_write_time(file, ignored).time_since_epoch().count();
        state += '\n' + file.string() + ' ' + std::to_string(fs::file_size(file, ignored)) + ' ' + std::to_string(time);
    };
    std::error_code ignored;
    if (!fs::is_directory(model, ignored))
        add(model);
    for (const auto& entry : fs::directory_iterator(model, ignored))
        add(entry.path());
    return state;
}

Result<Prompts> encodedPrompts(const RunConfig& config, const ModelSpec& spec)
{
    auto text = openTextModel(config.model);
    if (!text)
        return failure("eval_prompts need the model's tokenizer: " + text.error().message);
    Prompts opened { std::move(*text), config.evalPrompts, {} };
    for (size_t i = 0; i < opened.prompts.size(); ++i) {
        auto ids = encodedPrompt(opened.prompts[i], "prompt " + std::to_string(i + 1), opened.text, spec);
        if (!ids)
            return tl::unexpected(ids.error());
        opened.ids.push_back(std::move(*ids));
    }
    return opened;
}

/// The prompts that were opened last; for several threads.
class LastPrompts {
public:
    Result<std::shared_ptr<const Prompts>> open(const RunConfig& config, const ModelSpec& spec)
    {
        std::string source = stateOfFiles(config.model) + '\n' + isoToday();
        for (const std::string& prompt : config.evalPrompts)
            source += '\n' + std::to_string(prompt.size()) + ' ' + prompt;
        const std::lock_guard lock(m_mutex);
        if (source == m_source)
            return m_prompts;
        auto encoded = encodedPrompts(config, spec);
        if (!encoded)
            return tl::unexpected(encoded.error());
        m_source = std::move(source);
        m_prompts = std::make_shared<const Prompts>(std::move(*encoded));
        return m_prompts;
    }

private:
    std::mutex m_mutex;
    std::string m_source; ///< what they were made of
    std::shared_ptr<const Prompts> m_prompts;
};

} // namespace

int64_t Prompts::longest() const
{
    return std::ssize(*std::ranges::max_element(ids, {}, &std::vector<TokenId>::size));
}

Result<std::shared_ptr<const Prompts>> openPrompts(const RunConfig& config, const ModelSpec& spec)
{
    static LastPrompts last;
    if (config.evalPrompts.empty())
        return nullptr;
    return last.open(config, spec);
}

std::optional<AnswerMetrics> answerPrompt(
    const Decoder& decoder, const Prompts& prompts, size_t index, const std::function<bool()>& goOn)
{
    const auto answer = answerGreedily(decoder, prompts.ids.at(index), prompts.text.ends, mostAnswerTokens, goOn);
    if (!answer)
        return std::nullopt;
    AnswerMetrics metrics;
    metrics.prompt = prompts.prompts.at(index);
    metrics.text = prompts.text.tokenizer.decode(answer->ids);
    metrics.tokens = std::ssize(answer->ids);
    if (!answer->ended)
        metrics.note = "cut at " + std::to_string(mostAnswerTokens) + " tokens";
    return metrics;
}

} // namespace tunebench
