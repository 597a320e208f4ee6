#include "core/train/checkpoint.h"

#include "core/base/atomic_folder.h"
#include "core/base/files.h"
#include "core/base/fingerprint.h"
#include "core/model/safetensors.h"
#include "core/train/trainee.h"

#include <ATen/ops/from_blob.h>
#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

namespace tunebench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

constexpr std::string_view namePrefix = "step-";
constexpr const char* stateFile = "state.safetensors";
constexpr const char* countsFile = "checkpoint.json";

fs::path folderOf(const fs::path& run)
{
    return run / "checkpoints";
}

fs::path pathOf(const fs::path& run, int64_t step)
{
    return folderOf(run) / (std::string(namePrefix) + std::to_string(step));
}

/// Every tensor of the training state by name; fp32 or uint8.
std::map<std::string, at::Tensor> stateOf(const Trainee& trainee)
{
    std::map<std::string, at::Tensor> state;
    trainee.optimizer.forEachState([&](const std::string& name, const at::Tensor& tensor) { state[name] = tensor; });
    return state;
}

StorageType storageOf(const at::Tensor& state)
{
    return state.scalar_type() == at::kByte ? StorageType::u8 : StorageType::f32;
}

Result<std::string> fingerprintOf(const fs::path& path)
{
    return MappedFile::open(path).map([](const MappedFile& file) {
        Fingerprint fingerprint;
        fingerprint.addMapped(file.bytes());
        return fingerprint.text();
    });
}

Result<void> writeState(const fs::path& path, const Trainee& trainee)
{
    std::vector<at::Tensor> kept; // the spans point into these
    std::vector<TensorToWrite> tensors;
    for (const auto& [name, tensor] : stateOf(trainee)) {
        const auto host = kept.emplace_back(tensor.to(at::kCPU).contiguous());
        const std::span bytes(static_cast<const std::byte*>(host.const_data_ptr()), host.nbytes());
        tensors.push_back({ { name, storageOf(host), host.sizes().vec() }, bytes });
    }
    return writeSafetensors(path, tensors);
}

/// Copies the file's numbers into the trainee; what is wrong with the file in words, before anything has changed.
std::optional<std::string> readState(const fs::path& path, Trainee& trainee)
{
    const auto file = SafetensorsFile::open(path);
    if (!file)
        return file.error().message;
    const auto state = stateOf(trainee);
    const auto fits = [&](const TensorInfo& info) {
        const auto found = state.find(info.name);
        return found != state.end() && info.type == storageOf(found->second) && found->second.sizes() == info.shape;
    };
    if (file->tensors().size() != state.size() || !std::ranges::all_of(file->tensors(), fits))
        return "it holds other tensors than this run trains";
    for (size_t i = 0; i < file->tensors().size(); ++i) {
        const at::Tensor& target = state.at(file->tensors()[i].name);
        // from_blob wants a pointer that may be written through; nothing is.
        auto* numbers = const_cast<std::byte*>(file->bytes(i).data());
        target.copy_(at::from_blob(numbers, target.sizes(), at::TensorOptions().dtype(target.scalar_type())));
        releaseMapped(file->bytes(i));
    }
    return std::nullopt;
}

/// One checkpoint into the trainee, or what is wrong with it.
tl::expected<RunSummary, std::string> load(const fs::path& path, Trainee& trainee)
{
    const auto text = readFile(path / countsFile);
    if (!text)
        return tl::unexpected(text.error().message);
    const auto counts = ordered_json::parse(*text, nullptr, false);
    if (!counts.is_object() || !counts.contains("summary") || !counts.value("loss_scale", ordered_json()).is_number()
        || !counts.value("good_steps", ordered_json()).is_number_integer()
        || !counts.value("optimizer_steps", ordered_json()).is_number_integer())
        return tl::unexpected(std::string(countsFile) + " is damaged");
    const auto summary = summaryFromJson(counts["summary"].dump());
    const auto fingerprint = fingerprintOf(path / stateFile);
    if (!summary || !fingerprint || counts.value("state", ordered_json()) != *fingerprint)
        return tl::unexpected(std::string("its files do not belong together"));
    if (auto problem = readState(path / stateFile, trainee))
        return tl::unexpected(std::move(*problem));
    trainee.optimizer.setStepsDone(counts["optimizer_steps"]);
    trainee.scaler.restore(counts["loss_scale"], counts["good_steps"]);
    return *summary;
}

void removeOld(const fs::path& run, int64_t keep, std::optional<int64_t> best)
{
    const auto steps = checkpointSteps(run);
    std::error_code ignored; // one that cannot be removed only takes space
    for (size_t i = static_cast<size_t>(std::max<int64_t>(keep, 1)); i < steps.size(); ++i) {
        if (steps[i] != best)
            fs::remove_all(pathOf(run, steps[i]), ignored);
    }
}

} // namespace

Result<void> saveCheckpoint(const fs::path& run, const RunSummary& summary, const Trainee& trainee, int64_t keep)
{
    auto whole = AtomicFolder::replace(pathOf(run, summary.step));
    if (!whole)
        return tl::unexpected(whole.error());
    if (auto written = writeState(whole->content() / stateFile, trainee); !written)
        return written;
    const auto fingerprint = fingerprintOf(whole->content() / stateFile);
    if (!fingerprint)
        return tl::unexpected(fingerprint.error());
    const ordered_json counts { { "step", summary.step }, { "optimizer_steps", trainee.optimizer.stepsDone() },
        { "loss_scale", trainee.scaler.scale() }, { "good_steps", trainee.scaler.goodSteps() },
        { "state", *fingerprint }, { "summary", summaryToJson(summary) } };
    auto written = writeFileAtomically(whole->content() / countsFile, counts.dump(2) + "\n");
    if (written)
        written = whole->commit();
    if (written)
        removeOld(run, keep, summary.bestEvalStep);
    return written;
}

Result<void> loadCheckpoint(const fs::path& run, int64_t step, Trainee& trainee)
{
    const auto summary = load(pathOf(run, step), trainee);
    if (!summary)
        return failure(
            "The checkpoint " + pathOf(run, step).string() + " cannot be read: " + summary.error() + ".", Fault::work);
    return {};
}

std::optional<RunSummary> loadNewestCheckpoint(
    const fs::path& run, Trainee& trainee, const std::function<void(std::string)>& notice)
{
    for (const int64_t step : checkpointSteps(run)) {
        auto summary = load(pathOf(run, step), trainee);
        if (summary && summary->step == step)
            return std::move(*summary);
        notice("The checkpoint " + pathOf(run, step).string()
            + " is passed over: " + (summary ? "its step is another" : summary.error()) + ".");
    }
    return std::nullopt;
}

std::vector<int64_t> checkpointSteps(const fs::path& run)
{
    std::vector<int64_t> steps;
    std::error_code problem;
    for (fs::directory_iterator entry(folderOf(run), problem), end; !problem && entry != end;
         entry.increment(problem)) {
        const std::string name = entry->path().filename().string();
        if (!name.starts_with(namePrefix))
            continue;
        int64_t step = 0;
        const char* const last = name.data() + name.size();
        const auto [stopped, error] = std::from_chars(name.data() + namePrefix.size(), last, step);
        if (error == std::errc() && stopped == last && step > 0)
            steps.push_back(step);
    }
    std::ranges::sort(steps, std::greater {});
    return steps;
}

} // namespace tunebench
