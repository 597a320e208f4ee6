#include "core/runs/run_library.h"
#include "tests/app/cli/cli_program.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace tunebench;

/// The real program trains a small random model, as a user or a script calls it.
class TestCliTrain : public QObject, private CliProgram {
    Q_OBJECT

private slots:
    void trainsAndPrintsTheFolder()
    {
        QByteArray out, err;
        QCOMPARE(run({ "train", config(), "--runs", runs(), "--name", "plain" }, out, err), 0);
        QVERIFY2(out.contains(path("runs/plain").toUtf8()), out + err);
        QVERIFY(findRun(runsPath(), "plain").value().summary.state == RunState::finished);
    }

    void jsonLinesAreThoseOfTheFolder()
    {
        QByteArray out, err;
        QCOMPARE(
            run({ "train", config(), "--json", "--runs", runs(), "--name", "json", "--set", "max_steps=2" }, out, err),
            0);
        QStringList steps;
        for (const QByteArray& line : out.trimmed().split('\n')) {
            QJsonParseError problem;
            const auto object = QJsonDocument::fromJson(line, &problem).object();
            QVERIFY2(problem.error == QJsonParseError::NoError, line);
            if (object["type"] == "step")
                steps << QString::fromUtf8(line);
        }
        QCOMPARE(steps.size(), 2);
        const auto kept = readFile(runsPath() + "/json/metrics.jsonl").value();
        QCOMPARE(QString::fromStdString(kept).trimmed(), steps.join('\n'));
        for (const char* key : { "step", "epoch", "loss", "grad_norm", "learning_rate", "supervised_tokens", "tokens",
                 "padded_tokens", "seconds", "data_seconds", "forward_seconds", "backward_seconds", "tokens_per_second",
                 "allocated", "peak_allocated", "reserved", "device_used", "process", "cpu_utilization",
                 "device_utilization", "power_watts", "temperature", "clock_mhz" })
            QVERIFY2(QJsonDocument::fromJson(steps[0].toUtf8()).object().contains(key), key);
    }

    /// The peak that is planned is the one that the run then has, in every cell of the grid;
    /// in fp32, since other products take scratch of their own.
    void planIsWhatTheRunNeeds()
    {
        QByteArray out, err;
        const QStringList exact { "--set", "precision=fp32", "--set", "compute=fp32" };
        const QStringList grid { "--grid", "batch_size=1,3", "--grid", "gradient_checkpointing=off,full" };
        QCOMPARE(run(QStringList { "plan", config(), "--json", "--card", "8 GiB" } + exact + grid, out, err), 0);
        const auto cells = nlohmann::json::parse(out.toStdString()).at("grid");
        int number = 0;
        QCOMPARE(cells.size(), size_t { 4 });
        for (const auto& cell : cells) {
            QVERIFY(cell.at("fits") == true);
            const auto name = QString::number(number++);
            QStringList arguments
                = QStringList { "train", config(), "--runs", runs(), "--name", "planned-" + name } + exact;
            for (const auto& [key, value] : cell.at("set").items())
                arguments << "--set"
                          << QString::fromStdString(
                                 key + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
            QCOMPARE(run(arguments, out, err), 0);
            const auto summary = findRun(runsPath(), "planned-" + name.toStdString()).value().summary;
            QCOMPARE(cell.at("peak_allocated").get<int64_t>(), summary.peakAllocated);
            int64_t sum = 0;
            for (const auto& [category, bytes] : cell.at("categories").items())
                sum += bytes.get<int64_t>();
            QCOMPARE(sum, summary.peakAllocated);
        }
    }

    void planSaysWhenItDoesNotFit()
    {
        QByteArray out, err;
        QCOMPARE(run({ "plan", config(), "--json", "--card", "100 KiB" }, out, err), 0);
        const auto planned = nlohmann::json::parse(out.toStdString());
        QVERIFY(planned.at("fits") == false);
        QVERIFY(planned.at("at").at("pass").is_string());
        QCOMPARE(run({ "plan", config(), "--card", "100 KiB" }, out, err), 0);
        QVERIFY2(out.contains("does not fit"), out);
        QCOMPARE(run({ "plan", config(), "--json" }, out, err), 0); // no limit but the machine's own
        const auto free = nlohmann::json::parse(out.toStdString());
        QVERIFY(free.at("limit").is_null() && free.at("fits") == true);
        QCOMPARE(run({ "plan", config(), "--grid", "batch_size" }, out, err), 2);
        QVERIFY2(err.contains("key=a,b,c"), err);
    }

    void planRefusesWhatTrainingRefuses_data()
    {
        QTest::addColumn<QStringList>("sets");
        QTest::addColumn<QByteArray>("message");
        QFile file(path("nothing.jsonl"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"input_ids\":[1,2],\"labels\":[-100,-100]}\n") > 0);
        QTest::newRow("longer than the context")
            << QStringList { "max_length=1000000" } << QByteArray("more than the model's context of");
        QTest::newRow("no row that can be used")
            << QStringList { "dataset=" + file.fileName() } << QByteArray("(first at line 1)");
    }

    void planRefusesWhatTrainingRefuses()
    {
        QFETCH(const QStringList, sets);
        QFETCH(const QByteArray, message);
        QStringList options { config() };
        for (const QString& set : sets)
            options << "--set" << set;
        QByteArray out, err;
        QVERIFY(run(QStringList { "plan" } + options, out, err) != 0);
        QVERIFY2(err.contains(message), err);
        QVERIFY(run(QStringList { "train", "--runs", runs() } + options, out, err) != 0);
        QVERIFY2(err.contains(message), err);
    }

    /// A card need not be there to be planned for: its sizes, its allocator, and what cuBLAS keeps.
    void plansForACardThatIsNotThere()
    {
        QByteArray out, err;
        QCOMPARE(run({ "plan", config(), "--json", "--card", "GTX 1650", "--set", "device=cuda:0", "--set",
                         "precision=auto", "--set", "compute=auto" },
                     out, err),
            0);
        const auto planned = nlohmann::json::parse(out.toStdString());
        QCOMPARE(planned.at("device").get<std::string>(), "cuda:0");
        QCOMPARE(planned.at("precision").get<std::string>(), "fp16");
        QCOMPARE(planned.at("compute").get<std::string>(), "fp32");
        QVERIFY(planned.at("peak_reserved").get<int64_t>() >= planned.at("peak_allocated").get<int64_t>());
        QVERIFY(planned.at("seconds_per_step").is_null() && planned.at("no_time").is_string());
        QVERIFY(planned.at("seconds_per_step_at_best").get<double>() > 0);
        QVERIFY(planned.at("fits") == true);
        QVERIFY(planned.at("curve").size() > 20);
        int64_t sum = 0;
        for (const auto& [category, bytes] : planned.at("categories").items())
            sum += bytes.get<int64_t>();
        QCOMPARE(sum, planned.at("peak_allocated").get<int64_t>());
    }

    void probes()
    {
        QByteArray out, err;
        const QStringList exact { "--set", "precision=fp32", "--set", "compute=fp32", "--set", "batch_size=1", "--set",
            "accumulation_steps=1" };
        QCOMPARE(run(QStringList { "probe", config(), "--json", "--vary", "gradient_checkpointing=off,full" } + exact,
                     out, err),
            0);
        const auto json = nlohmann::json::parse(out.toStdString());
        QCOMPARE(json.at("probe").size(), size_t { 2 });
        for (const auto& one : json.at("probe")) {
            QCOMPARE(one.at("predicted").at("peak_allocated").get<int64_t>(),
                one.at("measured").at("peak_allocated").get<int64_t>());
            QVERIFY(one.at("measured").at("seconds_per_step").get<double>() > 0);
        }
        QCOMPARE(json.at("sentences").size(), size_t { 1 });
        QCOMPARE(run({ "probe", config(), "--vary", "no_such_option=1" }, out, err), 2);
        QVERIFY2(err.contains("no_such_option"), err);
    }

    void exportsTheAdapter()
    {
        QByteArray out, err;
        QCOMPARE(
            run({ "train", config(), "--runs", runs(), "--name", "exported", "--set", "max_steps=1" }, out, err), 0);
        QCOMPARE(
            run({ "export", "exported", "--runs", runs(), "--format", "adapter", "-o", path("taken") }, out, err), 0);
        QVERIFY(QFile::exists(path("taken/adapter_model.safetensors")));
        QVERIFY(QFile::exists(path("taken/adapter_config.json")));
    }

    void runEndsAtATimeOfDay()
    {
        QByteArray out, err;
        QCOMPARE(run({ "train", config(), "--runs", runs(), "--name", "night", "--until", "25:00" }, out, err), 2);
        QVERIFY2(err.contains("07:30"), err);
        QCOMPARE(
            run({ "train", config(), "--runs", runs(), "--name", "night", "--until", "07:30", "--set", "max_steps=1" },
                out, err),
            0);
        const auto hours = readRunConfig(runsPath() + "/night").value().maxHours;
        QVERIFY(hours && *hours > 0 && *hours <= 25);
    }

    void failuresHaveTheirStatus_data()
    {
        QTest::addColumn<QString>("assignment");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("unknown option") << "batchsize=4" << 2 << QByteArray("batch_size");
        QTest::newRow("out of range") << "batch_size=0" << 2 << QByteArray("batch_size");
        QTest::newRow("no model") << "model=/nowhere" << 2 << QByteArray("/nowhere");
        QTest::newRow("no memory") << "memory_limit=200000" << 1 << QByteArray("memory");
    }

    void failuresHaveTheirStatus()
    {
        QFETCH(QString, assignment);
        QFETCH(int, status);
        QFETCH(QByteArray, says);
        QByteArray out, err;
        QCOMPARE(run({ "train", config(), "--runs", runs(), "--set", assignment }, out, err), status);
        QVERIFY2(err.trimmed().split('\n').last().contains(says), err);
    }

    void killedRunShowsAsInterrupted()
    {
        QProcess process;
        start(process, { "train", config(), "--json", "--runs", runs(), "--name", "killed", "--set", "epochs=1000" });
        while (!process.readAllStandardOutput().contains("\"type\":\"step\"")) {
            if (!process.waitForReadyRead(60000))
                break;
        }
        process.kill();
        QVERIFY(process.waitForFinished(60000));
        QVERIFY(findRun(runsPath(), "killed").value().summary.state == RunState::interrupted);
    }
};

QTEST_GUILESS_MAIN(TestCliTrain)
#include "tst_cli_train.moc"
