#pragma once

#include <QCoreApplication>
#include <QMetaObject>
#include <QPointer>
#include <QThreadPool>

#include <utility>

namespace tunebench {

/// The threads of the workbench's own work. Not Qt's global pool: Qt paints with that one, and a file that takes a
/// minute to read would hold the window up as long.
QThreadPool& backgroundPool();

/// Runs `work` on a pool thread and gives its result to `done` on the GUI thread, unless `context` is gone by then.
/// `work` must own what it uses. Both must be copyable.
template <class Work, class Done> void runInBackground(QObject* context, Work work, Done done)
{
    // The application object outlives the pool's work, so the reply goes to it, and the context is looked at only
    // there.
    backgroundPool().start([guard = QPointer<QObject>(context), work, done]() {
        auto result = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [guard, done, result = std::move(result)]() {
                if (guard) {
                    done(result);
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace tunebench
