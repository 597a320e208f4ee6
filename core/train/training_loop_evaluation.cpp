#include "core/data/evaluation_batches.h"
#include "core/train/evaluate.h"
#include "core/train/stopwatch.h"
#include "core/train/training_loop.h"

#include <algorithm>
#include <numeric>

namespace tunebench {

bool TrainingLoop::evaluationDue(int64_t step, bool last) const
{
    const bool wanted = !m_inputs.data.rows.heldOut.empty() || m_inputs.prompts;
    if (!wanted || m_recorder.summary().lastEvalStep == step)
        return false;
    if (step == 0)
        return m_config.evalAtStart;
    return last || (m_config.evalEvery > 0 && step % m_config.evalEvery == 0);
}

/// False when the run was stopped in it. The answers come first: once the loss is recorded, a run that goes on counts
/// the whole evaluation as done.
bool TrainingLoop::evaluateAt(int64_t step)
{
    m_courtesy.begin();
    return answerAt(step) && (m_inputs.data.rows.heldOut.empty() || lossAt(step));
}

/// What no step tells: memory after the last one.
void TrainingLoop::readMemory()
{
    StepMetrics metrics;
    m_meter.read(metrics);
    m_recorder.memory(metrics);
}

/// Answers the prompts, where there are any; false when the run was stopped in it.
bool TrainingLoop::answerAt(int64_t step)
{
    const size_t prompts = m_inputs.prompts ? m_inputs.prompts->prompts.size() : 0;
    if (prompts > 0)
        say("Answering " + std::to_string(prompts) + (prompts == 1 ? " prompt." : " prompts."));
    m_moment = { OutOfMemoryPhase::evaluation, step };
    for (size_t i = 0; i < prompts; ++i) {
        m_pausedSeconds = 0;
        double seconds = 0;
        std::optional<AnswerMetrics> answer;
        {
            const Stopwatch watch(seconds);
            answer = answerPrompt(m_trainee.decoder, *m_inputs.prompts, i, [this] { return goOn(); });
        }
        if (!answer)
            return false;
        answer->step = step;
        answer->seconds = seconds - m_pausedSeconds;
        m_recorder.answer(*answer);
    }
    readMemory();
    return true;
}

/// The loss over the held-out rows; false when the run was stopped in it. A new best is kept in a checkpoint of its
/// own.
bool TrainingLoop::lossAt(int64_t step)
{
    const auto& rows = m_inputs.data.rows.heldOut;
    say("Evaluating on " + std::to_string(rows.size()) + " held-out rows.");
    m_moment = { OutOfMemoryPhase::evaluation, step };
    const int64_t slots = usualSlots(lengthsOf(m_rows), m_batches, m_config);
    auto metrics = evaluate(m_trainee.decoder, rows, m_config, slots, [this](const MicroBatch& batch) {
        m_moment.batch = batch;
        return goOn();
    });
    if (!metrics)
        return false;
    metrics->step = step;
    readMemory();
    const bool overfitted = m_recorder.summary().overfittingSince.has_value();
    m_recorder.evaluation(*metrics, m_config);
    const RunSummary& summary = m_recorder.summary();
    if (summary.overfittingSince && !overfitted && !m_config.overfittingIntended)
        say(summary.overfitting, true);
    if (m_config.evalEvery > 0 && summary.bestEvalStep == step)
        checkpoint();
    return true;
}

} // namespace tunebench
