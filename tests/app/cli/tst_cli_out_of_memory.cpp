#include "core/runs/run_library.h"
#include "tests/app/cli/cli_program.h"

using namespace tunebench;

/// What the program says, and how it ends, when a run's memory is not enough.
class TestCliOutOfMemory : public QObject, private CliProgram {
    Q_OBJECT

    /// The objects of the given type in output of --json.
    static std::vector<nlohmann::json> linesOf(const QByteArray& out, const std::string& type)
    {
        std::vector<nlohmann::json> found;
        for (const QByteArray& line : out.trimmed().split('\n')) {
            auto object = nlohmann::json::parse(line.toStdString());
            if (object.at("type") == type)
                found.push_back(std::move(object));
        }
        return found;
    }

private slots:
    void eachPhaseIsReported_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("phase");
        QTest::addColumn<int>("step");
        const QString one = "batch_size=1";
        const QString single = "accumulation_steps=1";
        const QString sequential = "order=sequential";
        QTest::newRow("load") << QStringList { "memory_limit=20000" } << "load" << 0;
        QTest::newRow("first step") << QStringList { "memory_limit=300000" } << "first_step" << 1;
        QTest::newRow("later step") << QStringList { "dataset=" + path("longer.jsonl"), one, single, sequential,
            "memory_limit=330000" } << "later_step"
                                    << 4;
        QTest::newRow("evaluation") << QStringList { "dataset=" + path("short.jsonl"),
            "eval_dataset=" + path("longer.jsonl"), one, single, sequential, "memory_limit=290000" }
                                    << "evaluation" << 0;
    }

    void eachPhaseIsReported()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, phase);
        QFETCH(int, step);
        const auto rows = [](std::initializer_list<int> lengths) {
            std::string text;
            for (const int length : lengths)
                text += nlohmann::json({ { "input_ids", std::vector<int>(static_cast<size_t>(length), 7) } }).dump()
                    + "\n";
            return text;
        };
        QVERIFY(writeFileAtomically(path("longer.jsonl").toStdString(), rows({ 6, 7, 6, 126 })).has_value());
        QVERIFY(writeFileAtomically(path("short.jsonl").toStdString(), rows({ 6, 7, 6, 7 })).has_value());
        QStringList arguments { "train", config(), "--json", "--runs", runs(), "--name", phase };
        for (const QString& option : options)
            arguments << "--set" << option;
        QByteArray out, err;
        QCOMPARE(run(arguments, out, err), 1);
        const auto reports = linesOf(out, "out_of_memory");
        QCOMPARE(reports.size(), size_t { 1 });
        const auto& report = reports.front();
        QCOMPARE(QString::fromStdString(report.at("phase")), phase);
        QCOMPARE(report.at("step").get<int>(), step);
        for (const char* key : { "requested", "limit", "allocated", "planned_peak" })
            QVERIFY2(report.at(key).is_number_integer(), report.dump().c_str());
        QVERIFY(report.at("other_programs").is_null());
        QVERIFY(report.at("foreseen").is_boolean() && report.at("at").at("op").is_string());
        int64_t sum = 0;
        for (const auto& [name, bytes] : report.at("categories").items())
            sum += bytes.get<int64_t>();
        QCOMPARE(sum, report.at("allocated").get<int64_t>());
        QCOMPARE(report.at("row_lengths").empty(), phase == "load");
        QVERIFY(report.at("remedies").size() <= 5);
        const auto last = linesOf(out, "state").back();
        QCOMPARE(QString::fromStdString(last.at("state")), QString("failed"));
        const auto kept
            = nlohmann::json::parse(readFile(runsPath() + "/" + phase.toStdString() + "/summary.json").value());
        for (const auto& [key, value] : kept.at("out_of_memory").items())
            QCOMPARE(report.at(key).dump(), value.dump());
    }

    /// Facts and remedies go to standard error; the last line says it all once more.
    void peopleReadLines()
    {
        QByteArray out, err;
        QCOMPARE(run({ "train", config(), "--runs", runs(), "--set", "memory_limit=300000" }, out, err), 1);
        for (const char* part : { "Out of memory\n", "in use", "weights", "rows", "foreseen", "batch_size 2" })
            QVERIFY2(err.contains(part), err);
        QVERIFY2(err.trimmed().split('\n').last().startsWith("tunebench-cli: Out of memory in step 1"), err);
        QVERIFY(!out.contains("Out of memory"));
    }

    void planSaysThatItWillBeSplit()
    {
        QByteArray out, err;
        const QStringList plan { "plan", config(), "--set", "on_out_of_memory=split", "--card", "100 KiB" };
        QCOMPARE(run(plan, out, err), 0);
        QVERIFY2(out.contains("will be split"), out);
        QCOMPARE(run({ "plan", config(), "--card", "100 KiB" }, out, err), 0);
        QVERIFY2(!out.contains("will be split"), out);
    }

    void splitRunIsNoted()
    {
        QByteArray out, err;
        QCOMPARE(run({ "plan", config(), "--json", "--set", "batch_size=1" }, out, err), 0);
        const auto single = nlohmann::json::parse(out.toStdString()).at("peak_allocated").get<int64_t>();
        const QStringList arguments { "train", config(), "--json", "--runs", runs(), "--name", "split", "--set",
            "on_out_of_memory=split", "--set", "memory_limit=" + QString::number(single + single / 20) };
        QCOMPARE(run(arguments, out, err), 0);
        QVERIFY(linesOf(out, "out_of_memory").empty());
        QVERIFY(linesOf(out, "step").front().at("note").get<std::string>().find("did not fit") != std::string::npos);
        QVERIFY(findRun(runsPath(), "split").value().summary.splitSteps > 0);
    }
};

QTEST_GUILESS_MAIN(TestCliOutOfMemory)
#include "tst_cli_out_of_memory.moc"
