#pragma once

#include "ui/base/background.h"

#include <functional>
#include <stop_token>
#include <utility>

namespace tunebench {

/// Work of one kind in the background, a piece at a time. Of the pieces asked for while one is going on, the newest
/// alone is kept and follows it. Belongs to the object whose member it is, and lives on the GUI thread.
template <class Output> class LatestTask {
public:
    using Work = std::function<Output(const std::stop_token&)>; ///< owns what it uses
    using Done = std::function<void(const Output&)>; ///< on the GUI thread; for each piece that was not cancelled

    LatestTask(QObject* context, Done done)
        : m_context(context)
        , m_done(std::move(done))
    {
    }
    LatestTask(const LatestTask&) = delete;
    LatestTask& operator=(const LatestTask&) = delete;
    ~LatestTask() { cancel(); }

    void request(Work work)
    {
        m_waiting = std::move(work);
        startIfIdle();
    }

    /// Asks the piece that is going on to stop, and forgets it and what waits.
    void cancel()
    {
        m_waiting = {};
        m_cancelled = true;
        m_stop.request_stop();
    }

    /// Asks the piece that is going on to stop; what it gives then is handed on.
    void requestStop() { m_stop.request_stop(); }

private:
    void startIfIdle()
    {
        if (m_running || !m_waiting) {
            return;
        }
        m_running = true;
        m_cancelled = false;
        m_stop = {};
        runInBackground(
            m_context, [work = std::exchange(m_waiting, {}), stop = m_stop.get_token()] { return work(stop); },
            [this](const Output& output) {
                m_running = false;
                if (!m_cancelled) {
                    m_done(output);
                }
                startIfIdle();
            });
    }

    QObject* m_context;
    Done m_done;
    Work m_waiting;
    std::stop_source m_stop;
    bool m_running = false;
    bool m_cancelled = false;
};

} // namespace tunebench
