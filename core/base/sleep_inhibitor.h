#pragma once

namespace tunebench {

/// While it lives, the machine does not go to sleep by itself: a lock of systemd's login manager
/// (https://systemd.io/INHIBITOR_LOCKS). Where there is no such manager nothing is held, and nothing is wrong.
class SleepInhibitor {
public:
    SleepInhibitor();
    SleepInhibitor(const SleepInhibitor&) = delete;
    SleepInhibitor& operator=(const SleepInhibitor&) = delete;
    ~SleepInhibitor();

    bool held() const { return m_lock >= 0; }

private:
    int m_lock = -1; ///< the manager holds the lock as long as this descriptor is open
};

} // namespace tunebench
