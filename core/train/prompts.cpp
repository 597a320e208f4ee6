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

/// The answer to the last question of its kind; for several threads.
class LongestPrompt {
public:
    Result<int64_t> of(const RunConfig& config, const ModelSpec& spec)
    {
        std::string question = stateOfFiles(config.model) + '\n' + isoToday();
        for (const std::string& prompt : config.evalPrompts)
            question += '\n' + std::to_string(prompt.size()) + ' ' + prompt;
        const std::lock_guard lock(m_mutex);
        if (question == m_question)
            return m_answer;
        auto opened = openPrompts(config, spec).map([](const Prompts& prompts) {
            return std::ssize(*std::ranges::max_element(prompts.ids, {}, &std::vector<TokenId>::size));
        });
        if (opened) {
            m_question = std::move(question);
            m_answer = *opened;
        }
        return opened;
    }

private:
    std::mutex m_mutex;
    std::string m_question;
    int64_t m_answer = 0;
};

} // namespace

Result<Prompts> openPrompts(const RunConfig& config, const ModelSpec& spec)
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

Result<int64_t> longestPrompt(const RunConfig& config, const ModelSpec& spec)
{
    static LongestPrompt last;
    if (config.evalPrompts.empty())
        return 0;
    return last.of(config, spec);
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
