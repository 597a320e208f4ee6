#pragma once

#include "core/data/length_statistics.h"
#include "core/data/preview.h"
#include "core/data/refusals.h"
#include "core/train/run_extents.h"
#include "ui/base/latest_task.h"

#include <QTimer>

#include <memory>

namespace tunebench {

/// What is known of the rows of a dataset with the tokenizer of a model, before any truncation.
struct AnalysedData {
    RunConfig config; ///< of the moment, with resolved paths
    DatasetInspection inspection;
    std::vector<RefusalGroup> refusals; ///< they point into the inspection
    LengthSummary lengths;
    LengthHistogram histogram;
    std::shared_ptr<const TextModel> text; ///< null for rows of tokens, and where there is no tokenizer
    QString noTokens; ///< why the rows have no tokens; empty where they have
    int64_t contextLength = 0; ///< the model's, tokens; 0: not known
    int64_t vocabularySize = 0; ///< 0: not known
    std::vector<RowExtent> evaluation; ///< rows of eval_dataset
    Result<void> learnable; ///< why no run can learn from the rows, or evaluate on those of eval_dataset
};
using SharedData = std::shared_ptr<const AnalysedData>;
using SharedPreview = std::shared_ptr<const DatasetPreview>;

/// The largest max_length that may be chosen: the model's context, and never more than the option takes.
int64_t mostMaxLength(const AnalysedData& data);

/// The suggested max_length, within what may be chosen.
int64_t suggestedMaxLength(const AnalysedData& data);

/// What a run with the rows is planned with, or why none can be; it points into the data.
Result<RunExtents> runExtents(const AnalysedData& data);

/// What rows are encoded with: the data's tokenizer, and the folder that keeps encoded rows.
EncodingSetup encodingSetup(const AnalysedData& data);

/// Reads, encodes and counts the rows of a configuration on other threads, a moment after the last change. It does so
/// again only when files, or options that decide about rows before truncation, have changed.
class DataAnalysis : public QObject {
    Q_OBJECT
public:
    enum class State { running, done, failed, stopped };

    explicit DataAnalysis(QObject* parent = nullptr);

    void setConfig(const RunConfig& config);

    /// Ends the reading; the rows are not known then until something changes or again() is called.
    void stop();
    void again();

    State state() const { return m_state; }

    /// The data of the configuration: null unless done.
    const SharedData& data() const { return m_data; }

    /// The first rows of the configuration's files, there long before the data; null before that, and where they cannot
    /// be read.
    const SharedPreview& preview() const { return m_preview; }

    /// Why there is no data.
    QString problem() const { return m_problem; }

    /// Why nothing can be planned: there is no data, or none that a run can learn from; empty while that is not known.
    QString whyNoPlan() const;

signals:
    void changed();
    void progressed(qint64 done, qint64 all); ///< rows; now and then while running

private:
    struct Progress;
    using Outcome = std::shared_ptr<const Result<SharedData>>;
    void enter(State state);
    void begin();
    void finish(const Outcome& outcome);

    RunConfig m_config;
    std::string m_wanted; ///< what decides about the rows, as text
    State m_state = State::running;
    SharedData m_data;
    QString m_problem;
    std::shared_ptr<Progress> m_progress;
    SharedPreview m_preview;
    LatestTask<Outcome> m_task;
    LatestTask<SharedPreview> m_previewTask;
    QTimer m_delay, m_report;
};

} // namespace tunebench
