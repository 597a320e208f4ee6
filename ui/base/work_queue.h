#pragma once

#include "ui/base/background.h"

#include <QThread>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

namespace tunebench {

/// Pieces of work in the background, a few at a time, in the order in which they were asked for. Belongs to the object
/// whose member it is, and lives on the GUI thread.
class WorkQueue {
public:
    explicit WorkQueue(QObject* context)
        : m_context(context)
    {
    }
    WorkQueue(const WorkQueue&) = delete;
    WorkQueue& operator=(const WorkQueue&) = delete;
    ~WorkQueue() = default;

    /// `done` gets what `work` gives, on the GUI thread. `work` must own what it uses. Both must be copyable.
    template <class Work, class Done> void add(Work work, Done done)
    {
        m_waiting.push_back([this, work = std::move(work), done = std::move(done)] {
            runInBackground(m_context, work, [this, done](const auto& output) {
                --m_running;
                done(output);
                startSome();
            });
        });
        startSome();
    }

    /// Forgets what has not been started.
    void clear() { m_waiting.clear(); }

private:
    void startSome()
    {
        constexpr int enough = 8; // threads
        const int most = std::clamp(QThread::idealThreadCount(), 1, enough);
        while (m_running < most && !m_waiting.empty()) {
            const auto start = std::exchange(m_waiting.front(), {});
            m_waiting.pop_front();
            ++m_running;
            start();
        }
    }

    QObject* m_context;
    std::deque<std::function<void()>> m_waiting;
    int m_running = 0;
};

} // namespace tunebench
