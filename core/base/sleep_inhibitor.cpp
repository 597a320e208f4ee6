#include "core/base/sleep_inhibitor.h"

#include <fcntl.h>
#include <memory>
#include <systemd/sd-bus.h>
#include <unistd.h>

namespace tunebench {

SleepInhibitor::SleepInhibitor()
{
    sd_bus* opened = nullptr;
    if (sd_bus_open_system(&opened) < 0)
        return;
    const std::unique_ptr<sd_bus, decltype(&sd_bus_flush_close_unref)> bus(opened, &sd_bus_flush_close_unref);
    constexpr uint64_t patience = 2'000'000; // microseconds
    sd_bus_set_method_call_timeout(bus.get(), patience);
    sd_bus_message* received = nullptr;
    const int called = sd_bus_call_method(bus.get(), "org.freedesktop.login1", "/org/freedesktop/login1",
        "org.freedesktop.login1.Manager", "Inhibit", nullptr, &received, "ssss", "sleep", "Tunebench",
        "A model is being trained", "block");
    if (called < 0)
        return;
    const std::unique_ptr<sd_bus_message, decltype(&sd_bus_message_unref)> reply(received, &sd_bus_message_unref);
    int lock = -1;
    if (sd_bus_message_read(reply.get(), "h", &lock) >= 0)
        m_lock = ::fcntl(lock, F_DUPFD_CLOEXEC, 0); // the message closes its own
}

SleepInhibitor::~SleepInhibitor()
{
    if (m_lock >= 0)
        ::close(m_lock);
}

} // namespace tunebench
