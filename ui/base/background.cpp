#include "ui/base/background.h"

namespace tunebench {

QThreadPool& backgroundPool()
{
    static QThreadPool pool;
    static const bool isReady = [] {
        constexpr int threads = 16; // most of them wait for a disk, or for the cores that reading shares
        pool.setMaxThreadCount(threads);
        // Before the application object goes, since replies are sent to it.
        qAddPostRoutine([] { pool.waitForDone(); });
        return true;
    }();
    Q_UNUSED(isReady);
    return pool;
}

} // namespace tunebench
