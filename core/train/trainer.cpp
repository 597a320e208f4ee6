#include "core/train/trainer.h"

#include "core/train/training_run.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace tunebench {

struct Trainer::State {
    mutable std::mutex mutex;
    std::condition_variable_any changed;
    std::vector<TrainerEvent> events;
    bool paused = false;
    bool finished = false;
    Result<std::filesystem::path> outcome;
    std::jthread thread; // last: it uses all of the above until it has ended

    RunControls controls(const std::stop_token& stop)
    {
        return {
            .emit =
                [this](TrainerEvent event) {
                    const std::lock_guard lock(mutex);
                    events.push_back(std::move(event));
                },
            .stop = stop,
            .paused =
                [this] {
                    const std::lock_guard lock(mutex);
                    return paused;
                },
            .awaitResume =
                [this, stop] {
                    std::unique_lock lock(mutex);
                    changed.wait(lock, stop, [this] { return !paused; });
                },
        };
    }

    void run(const TrainingJob& job, const std::stop_token& stop)
    {
        Result<std::filesystem::path> result;
        try {
            result = runTraining(job, controls(stop));
        } catch (const std::exception& error) {
            result = failure(std::string("Training failed: ") + error.what(), Fault::work);
        }
        const std::lock_guard lock(mutex);
        outcome = std::move(result);
        finished = true;
        changed.notify_all();
    }
};

Trainer::Trainer(TrainingJob job)
    : m_state(std::make_unique<State>())
{
    m_state->thread = std::jthread(
        [state = m_state.get(), job = std::move(job)](const std::stop_token& stop) { state->run(job, stop); });
}

Trainer::~Trainer() = default;

void Trainer::pause()
{
    const std::lock_guard lock(m_state->mutex);
    m_state->paused = true;
}

void Trainer::resume()
{
    const std::lock_guard lock(m_state->mutex);
    m_state->paused = false;
    m_state->changed.notify_all();
}

void Trainer::stop()
{
    m_state->thread.request_stop();
}

std::vector<TrainerEvent> Trainer::drain()
{
    const std::lock_guard lock(m_state->mutex);
    return std::exchange(m_state->events, {});
}

bool Trainer::finished() const
{
    const std::lock_guard lock(m_state->mutex);
    return m_state->finished;
}

void Trainer::wait()
{
    std::unique_lock lock(m_state->mutex);
    m_state->changed.wait(lock, [this] { return m_state->finished; });
}

Result<std::filesystem::path> Trainer::outcome() const
{
    const std::lock_guard lock(m_state->mutex);
    return m_state->outcome;
}

} // namespace tunebench
