#include "core/runs/run_library.h"
#include "tests/app/cli/cli_program.h"

#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>

using namespace tunebench;

/// What a terminal, a session's end and a second program do to a run of the real program: it keeps what it has learnt,
/// and `resume` ends as the run that nothing happened to.
class TestCliSurvival : public QObject, private CliProgram {
    Q_OBJECT

    static constexpr int patience = 60000;

    QStringList train(const char* name) const
    {
        return { "train", config(), "--json", "--runs", runs(), "--name", name, "--set", "epochs=20", "--set",
            "eval_share=0.3" };
    }

    QStringList resume(const QString& name) const { return { "resume", name, "--runs", runs() }; }

    void startAndTakeAStep(QProcess& process, const char* name) const
    {
        start(process, train(name));
        QByteArray seen;
        while (!seen.contains("\"type\":\"step\"") && process.waitForReadyRead(patience))
            seen += process.readAllStandardOutput();
        QVERIFY2(seen.contains("\"type\":\"step\""), seen);
    }

    RunSummary summaryOf(const char* name) const { return findRun(runsPath(), name).value().summary; }

    void endsAsWhole(const char* name)
    {
        QByteArray out, err;
        if (!findRun(runsPath(), "whole"))
            QCOMPARE(run(train("whole"), out, err), 0);
        QCOMPARE(run(resume(name), out, err), 0);
        QVERIFY(summaryOf(name).state == RunState::finished);
        const auto adapter = [&](const std::string& one) {
            return readFile(runsPath() + "/" + one + "/adapter/adapter_model.safetensors").value();
        };
        QVERIFY(adapter(name) == adapter("whole"));
    }

private slots:
    void signalStopsAndSaves_data()
    {
        QTest::addColumn<QList<int>>("numbers");
        QTest::addColumn<int>("status");
        QTest::newRow("Ctrl-C") << QList<int> { SIGINT } << 130;
        QTest::newRow("termination") << QList<int> { SIGTERM } << 143;
        QTest::newRow("terminal closed") << QList<int> { SIGHUP } << 129;
        QTest::newRow("terminal closed, told by shell and system") << QList<int> { SIGHUP, SIGHUP } << 129;
        QTest::newRow("end of a session") << QList<int> { SIGTERM, SIGCONT, SIGHUP } << 143;
    }

    void signalStopsAndSaves()
    {
        QFETCH(QList<int>, numbers);
        QFETCH(int, status);
        const QByteArray name = QByteArray("stopped ") + QTest::currentDataTag();
        QProcess process;
        startAndTakeAStep(process, name);
        for (const int number : numbers) {
            QCOMPARE(::kill(static_cast<pid_t>(process.processId()), number), 0);
            QTest::qWait(10); // two signals at once may come in either order
        }
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), status);
        QVERIFY(process.readAllStandardOutput().contains("resume it to go on"));
        QVERIFY(summaryOf(name).state == RunState::stopped);
        QVERIFY(QFile::exists(path("runs/" + name + "/adapter/adapter_model.safetensors")));
        endsAsWhole(name);
    }

    /// A terminal of its own, whose window goes away in the middle of a run.
    void closedTerminal()
    {
        QStringList arguments = train("terminal");
        arguments.removeOne("--json");
        std::vector<QByteArray> texts { TUNEBENCH_CLI };
        for (const QString& argument : arguments)
            texts.push_back(argument.toUtf8());
        std::vector<char*> pointers;
        for (QByteArray& text : texts)
            pointers.push_back(text.data());
        pointers.push_back(nullptr);
        const QByteArray data = path("data").toUtf8();
        int terminal = -1;
        const pid_t child = ::forkpty(&terminal, nullptr, nullptr, nullptr);
        QVERIFY(child >= 0);
        if (child == 0) {
            ::setenv("XDG_DATA_HOME", data.constData(), 1);
            ::execv(TUNEBENCH_CLI, pointers.data());
            ::_exit(127);
        }
        QByteArray seen;
        for (pollfd ready { terminal, POLLIN, 0 }; !seen.contains("step 2/") && ::poll(&ready, 1, patience) > 0;) {
            char buffer[4096];
            const ssize_t got = ::read(terminal, buffer, sizeof buffer);
            if (got <= 0)
                break;
            seen.append(buffer, got);
        }
        ::close(terminal);
        int status = 0;
        QCOMPARE(::waitpid(child, &status, 0), child);
        QVERIFY2(seen.contains("step 2/"), seen);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 129);
        QVERIFY(summaryOf("terminal").state == RunState::stopped);
        endsAsWhole("terminal");
    }

    /// Started with nohup, a run goes on without its terminal.
    void nohupGoesOn()
    {
        QProcess process;
        process.setChildProcessModifier([] { std::signal(SIGHUP, SIG_IGN); });
        startAndTakeAStep(process, "nohup");
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGHUP), 0);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        endsAsWhole("nohup");
    }

    /// `tunebench-cli train | head`.
    void readerGoesAway()
    {
        QProcess process, reader;
        process.setStandardOutputProcess(&reader);
        start(process, train("unread"));
        reader.start("head", { "-n", "2" });
        QVERIFY(reader.waitForFinished(patience));
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QCOMPARE(process.exitCode(), 0);
        endsAsWhole("unread");
    }

    void secondProgramIsRefused()
    {
        QProcess process;
        startAndTakeAStep(process, "held");
        QByteArray out, err;
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGSTOP), 0);
        QCOMPARE(run(resume("held"), out, err), 2);
        QVERIFY2(err.contains("going on; stop it first"), err);
        QCOMPARE(run(train("held"), out, err), 2);
        QVERIFY2(err.contains("choose another name"), err);
        QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGCONT), 0);
        QVERIFY(process.waitForFinished(patience));
        QCOMPARE(process.exitCode(), 0);
        endsAsWhole("held");
    }

    void oneOfTwoResumes()
    {
        QProcess process;
        startAndTakeAStep(process, "raced");
        process.kill();
        QVERIFY(process.waitForFinished(patience));
        QVERIFY(summaryOf("raced").state == RunState::interrupted);
        QProcess first, second;
        start(first, resume("raced"));
        start(second, resume("raced"));
        QVERIFY(first.waitForFinished(patience) && second.waitForFinished(patience));
        QList<int> statuses { first.exitCode(), second.exitCode() };
        std::sort(statuses.begin(), statuses.end());
        QCOMPARE(statuses.front(), 0);
        QVERIFY(statuses.back() == 2 || statuses.back() == 0); // 0: the other had ended by then
        endsAsWhole("raced");
    }
};

QTEST_GUILESS_MAIN(TestCliSurvival)
#include "tst_cli_survival.moc"
