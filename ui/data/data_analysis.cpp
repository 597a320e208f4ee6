#include "ui/data/data_analysis.h"

#include "core/config/options.h"
#include "core/model/model_files.h"
#include "ui/base/file_state.h"

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>

namespace tunebench {

struct DataAnalysis::Progress {
    std::atomic<qint64> done { 0 }, all { 0 };
};

namespace {

constexpr size_t mostBins = 160;

int64_t mostOption()
{
    return static_cast<int64_t>(*findOption("max_length")->most);
}

/// Two equal texts mean the same rows before truncation.
std::string stateOf(const RunConfig& config)
{
    std::string text = fileState({ config.model }) + fileState(config.dataset) + fileState(config.evalDataset);
    for (const char* key : { "dataset_format", "dataset_columns", "loss_on", "objective" }) {
        text += optionValue(config, key).dump() + '\n';
    }
    return text;
}

/// Opens what the rows need of the model; without it they are counted all the same.
void openModel(AnalysedData& data)
{
    if (const auto spec = readModelSpec(data.config.model)) {
        data.contextLength = spec->contextLength;
        data.vocabularySize = spec->vocabularySize;
    }
    const auto tokenRows = holdsTokenRows(data.config.dataset, data.config);
    if (tokenRows && *tokenRows) {
        return;
    }
    auto text = openTextModel(data.config.model);
    if (text) {
        data.text = std::make_shared<const TextModel>(std::move(*text));
    } else {
        data.noTokens = QString::fromStdString(text.error().message);
    }
}

SharedPreview previewOf(const RunConfig& config)
{
    constexpr size_t rows = 30;
    auto preview = previewDataset(config.dataset, config, rows);
    return preview ? std::make_shared<const DatasetPreview>(std::move(*preview)) : nullptr;
}

/// Reads the rows of eval_dataset, where that makes sense.
Result<void> readEvaluation(AnalysedData& data, const RunConfig& config, const std::stop_token& stop)
{
    if (!data.noTokens.isEmpty()) {
        return failure(data.noTokens.toStdString());
    }
    auto checked = checkLearnable(data.inspection, config.objective);
    if (!checked || config.evalDataset.empty()) {
        return checked;
    }
    auto found = inspectDataset(config.evalDataset, config, encodingSetup(data), {}, stop);
    if (!found) {
        return tl::unexpected(found.error());
    }
    checked = checkLearnable(*found, config.objective);
    data.evaluation = std::move(found->extents);
    return checked;
}

Result<SharedData> analyse(const RunConfig& config, const LoadProgress& progress, const std::stop_token& stop)
{
    auto data = std::make_shared<AnalysedData>();
    data->config = config;
    openModel(*data);
    RunConfig whole = config; // truncation is for the page to play with
    whole.maxLength = mostOption();
    whole.truncation = Truncation::right;
    auto inspection = inspectDataset(config.dataset, whole, encodingSetup(*data), progress, stop);
    if (!inspection) {
        return tl::unexpected(inspection.error());
    }
    data->inspection = std::move(*inspection);
    data->refusals = groupRefusals(data->inspection.refused);
    data->lengths = summarizeLengths(data->inspection.extents);
    data->histogram = lengthHistogram(data->inspection.extents, mostBins);
    data->learnable = readEvaluation(*data, whole, stop);
    return data;
}

} // namespace

int64_t mostMaxLength(const AnalysedData& data)
{
    return data.contextLength > 0 ? std::min(data.contextLength, mostOption()) : mostOption();
}

int64_t suggestedMaxLength(const AnalysedData& data)
{
    return std::min(data.lengths.suggestedMaxLength(), mostMaxLength(data));
}

Result<RunExtents> runExtents(const AnalysedData& data)
{
    return data.learnable.map([&] { return RunExtents { data.inspection.extents, data.evaluation }; });
}

EncodingSetup encodingSetup(const AnalysedData& data)
{
    return keepingSetup(data.text.get(), data.config.model, data.vocabularySize);
}

DataAnalysis::DataAnalysis(QObject* parent)
    : QObject(parent)
    , m_task(this, [this](const Outcome& outcome) { finish(outcome); })
    , m_previewTask(this, [this](const SharedPreview& preview) {
        m_preview = preview;
        emit changed();
    })
{
    constexpr int delay = 300; // ms; a fast typist's pause
    m_delay.setSingleShot(true);
    m_delay.setInterval(delay);
    connect(&m_delay, &QTimer::timeout, this, &DataAnalysis::begin);
    constexpr int reportEvery = 100; // ms
    m_report.setInterval(reportEvery);
    connect(&m_report, &QTimer::timeout, this, [this] {
        if (m_progress != nullptr) {
            emit progressed(m_progress->done, m_progress->all);
        }
    });
}

QString DataAnalysis::whyNoPlan() const
{
    if (m_data == nullptr) {
        return m_problem;
    }
    return m_data->learnable ? QString() : QString::fromStdString(m_data->learnable.error().message);
}

void DataAnalysis::setConfig(const RunConfig& config)
{
    m_config = withResolvedPaths(config);
    std::string wanted = stateOf(m_config);
    if (wanted != m_wanted) {
        m_wanted = std::move(wanted);
        again();
    }
}

void DataAnalysis::again()
{
    m_task.cancel();
    m_previewTask.cancel();
    m_preview.reset();
    m_delay.start();
    enter(State::running);
}

void DataAnalysis::stop()
{
    m_task.cancel();
    enter(State::stopped);
}

void DataAnalysis::enter(State state)
{
    m_state = state;
    if (state != State::done) {
        m_data.reset();
    }
    if (state == State::running) {
        m_report.start();
    } else {
        m_delay.stop();
        m_report.stop();
        m_progress.reset();
    }
    if (state != State::failed) {
        m_problem.clear();
    }
    emit changed();
}

void DataAnalysis::begin()
{
    m_previewTask.request([config = m_config](const std::stop_token&) { return previewOf(config); });
    m_progress = std::make_shared<Progress>();
    m_task.request([config = m_config, progress = m_progress](const std::stop_token& stop) -> Outcome {
        const auto report = [&progress](size_t done, size_t all) {
            progress->done = static_cast<qint64>(done);
            progress->all = static_cast<qint64>(all);
        };
        return std::make_shared<const Result<SharedData>>(analyse(config, report, stop));
    });
}

void DataAnalysis::finish(const Outcome& outcome)
{
    if (*outcome) {
        m_data = **outcome;
        enter(State::done);
    } else {
        m_problem = QString::fromStdString(outcome->error().message);
        enter(State::failed);
    }
}

} // namespace tunebench
