#include "core/base/sleep_inhibitor.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <poll.h>
#include <systemd/sd-bus.h>
#include <thread>
#include <unistd.h>

using namespace tunebench;

namespace {

/// A login manager on a bus of the test's own, that keeps the other end of the lock it gives.
class LoginManager {
public:
    explicit LoginManager(const QByteArray& address)
    {
        sd_bus_new(&m_bus);
        sd_bus_set_address(m_bus, address.constData());
        sd_bus_set_bus_client(m_bus, 1);
        m_ready = sd_bus_start(m_bus) >= 0
            && sd_bus_add_object_vtable(
                   m_bus, nullptr, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", table, this)
                >= 0
            && sd_bus_request_name(m_bus, "org.freedesktop.login1", 0) >= 0;
        m_thread = std::jthread([this](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                if (sd_bus_process(m_bus, nullptr) == 0)
                    sd_bus_wait(m_bus, 10'000);
            }
        });
    }
    ~LoginManager()
    {
        m_thread = {};
        sd_bus_flush_close_unref(m_bus);
        ::close(m_kept);
    }

    bool isReady() const { return m_ready; }
    std::string asked() const { return m_asked; }
    /// True when whoever got the lock has let it go.
    bool isReleased(int milliseconds) const
    {
        pollfd lock { m_kept, 0, 0 };
        return ::poll(&lock, 1, milliseconds) == 1 && (lock.revents & POLLHUP) != 0;
    }

private:
    static int inhibit(sd_bus_message* message, void* self, sd_bus_error* /*error*/)
    {
        auto& manager = *static_cast<LoginManager*>(self);
        const char *what = "", *who = "", *why = "", *mode = "";
        sd_bus_message_read(message, "ssss", &what, &who, &why, &mode);
        manager.m_asked = std::string(what) + "|" + who + "|" + mode;
        int ends[2];
        if (::pipe(ends) != 0)
            return -1;
        manager.m_kept = ends[0];
        const int sent = sd_bus_reply_method_return(message, "h", ends[1]);
        ::close(ends[1]);
        return sent;
    }

    static const sd_bus_vtable table[];
    sd_bus* m_bus = nullptr;
    bool m_ready = false;
    int m_kept = -1;
    std::string m_asked;
    std::jthread m_thread;
};

const sd_bus_vtable LoginManager::table[] = { SD_BUS_VTABLE_START(0),
    SD_BUS_METHOD("Inhibit", "ssss", "h", &LoginManager::inhibit, SD_BUS_VTABLE_UNPRIVILEGED), SD_BUS_VTABLE_END };

} // namespace

class TestSleepInhibitor : public QObject {
    Q_OBJECT

private slots:
    void lockIsHeldAndLetGo()
    {
        if (QStandardPaths::findExecutable("dbus-daemon").isEmpty())
            QSKIP("there is no dbus-daemon to stand for the system's bus");
        QProcess daemon;
        daemon.start("dbus-daemon", { "--session", "--nofork", "--print-address=1" });
        QVERIFY(daemon.waitForReadyRead(10000));
        const QByteArray address = daemon.readLine().trimmed();
        {
            const LoginManager manager(address);
            QVERIFY(manager.isReady());
            qputenv("DBUS_SYSTEM_BUS_ADDRESS", address);
            {
                const SleepInhibitor inhibitor;
                QVERIFY(inhibitor.held());
                QCOMPARE(manager.asked(), std::string("sleep|Tunebench|block"));
                QVERIFY(!manager.isReleased(0));
            }
            QVERIFY(manager.isReleased(10000));
        }
        daemon.kill();
        daemon.waitForFinished();
    }

    void nothingIsWrongWithoutAManager()
    {
        qputenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent");
        QVERIFY(!SleepInhibitor().held());
    }
};

QTEST_GUILESS_MAIN(TestSleepInhibitor)
#include "tst_sleep_inhibitor.moc"
