#include "core/config/demo.h"
#include "core/config/options.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace tunebench;

class TestConfigFiles : public QObject {
    Q_OBJECT

private slots:
    void readsAnObject();
    void refuses_data();
    void refuses();
    void deepNestingIsRefused();
    void pathsCountFromTheFile();
    void assignments();
    void wholeConfigReadsBack();
    void contradictions_data();
    void contradictions();
    void missingFilesAreFound();
    void emptyMeansTheDemo();
    void readmeHoldsTheReference();

private:
    static void write(const QString& path, const QByteArray& bytes)
    {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }
};

void TestConfigFiles::readsAnObject()
{
    const auto choice = configFromJson(R"({"batch_size": 2, "learning_rate": "1e-4", "method": "full"})");
    QVERIFY(choice.has_value());
    QCOMPARE(choice->values.batchSize, 2);
    QCOMPARE(choice->values.learningRate, 1e-4);
    QCOMPARE(choice->values.method, Method::full);
    QCOMPARE(choice->set, (std::set<std::string> { "batch_size", "learning_rate", "method" }));
    QVERIFY(configFromJson("{}")->set.empty());
}

void TestConfigFiles::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("said");
    const auto add = [](const char* name, const QByteArray& text, const char* said) {
        QTest::newRow(name) << text << QString(said);
    };
    add("empty", "", "JSON");
    add("cut", "{\"batch_size\": 4", "JSON");
    add("line is named", "{\n\"batch_size\": 4,\n}", "line 3");
    add("list", "[1, 2]", "object");
    add("null", "null", "object");
    add("comment", "{\"batch_size\": 4 /* rows */}", "JSON");
    add("trailing text", "{} {}", "JSON");
    add("key twice", R"({"batch_size": 4, "batch_size": 8})", "twice");
    add("unknown key", R"({"batchsize": 4})", "batch_size");
    add("wrong type", R"({"batch_size": true})", "batch_size");
    add("number overflow", R"({"learning_rate": 1e999})", "too large");
    add("bad UTF-8", QByteArray("{\"model\": \"\xff\xfe\"}"), "JSON");
    add("NUL bytes", QByteArray(64, '\0'), "JSON");
}

void TestConfigFiles::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, said);
    const auto choice = configFromJson(std::string_view(text.constData(), static_cast<size_t>(text.size())));
    QVERIFY(!choice.has_value());
    QVERIFY2(QString::fromStdString(choice.error().message).contains(said), choice.error().message.c_str());
    QCOMPARE(choice.error().fault, Fault::input);
}

void TestConfigFiles::deepNestingIsRefused()
{
    const std::string nested = "{\"batch_size\": " + std::string(1000000, '[') + std::string(1000000, ']') + "}";
    QVERIFY(!configFromJson(nested).has_value());
    QVERIFY(!configFromJson("{\"dataset\": " + nested + "}").has_value());
}

void TestConfigFiles::pathsCountFromTheFile()
{
    QTemporaryDir folder;
    write(folder.filePath("run.json"),
        R"({"model": "models/small", "dataset": ["rows.jsonl", "/elsewhere/rows.json"], "adapter": "../adapter"})");
    const auto choice = configFromFile(folder.filePath("run.json").toStdString());
    QVERIFY(choice.has_value());
    QCOMPARE(QString::fromStdString(choice->values.model), folder.filePath("models/small"));
    QCOMPARE(QString::fromStdString(choice->values.dataset.at(0)), folder.filePath("rows.jsonl"));
    QCOMPARE(choice->values.dataset.at(1), std::string("/elsewhere/rows.json"));
    QVERIFY(!QString::fromStdString(*choice->values.adapter).contains(".."));

    write(folder.filePath("bad.json"), R"({"batch_size": 0})");
    const auto bad = configFromFile(folder.filePath("bad.json").toStdString());
    QVERIFY(!bad.has_value());
    QVERIFY(QString::fromStdString(bad.error().message).contains("bad.json"));
    QVERIFY(!configFromFile(folder.filePath("missing.json").toStdString()).has_value());
    QVERIFY(!configFromFile(folder.path().toStdString()).has_value());
}

void TestConfigFiles::assignments()
{
    ConfigChoice choice;
    QVERIFY(applyAssignment(choice, "batch_size=8").has_value());
    QVERIFY(applyAssignment(choice, "learning_rate=1e-3").has_value());
    QVERIFY(applyAssignment(choice, "lora_targets=q_proj,v_proj").has_value());
    QVERIFY(applyAssignment(choice, "model=a=b").has_value());
    QCOMPARE(choice.values.batchSize, 8);
    QCOMPARE(choice.values.learningRate, 1e-3);
    QCOMPARE(choice.values.loraTargets.size(), size_t { 2 });
    QCOMPARE(choice.values.model, std::string("a=b"));
    QCOMPARE(choice.set.size(), size_t { 4 });
    for (const char* bad : { "", "=", "batch_size", "=4", "batch_size=", "batch_size=a", "nothing=1" }) {
        QVERIFY2(!applyAssignment(choice, bad).has_value(), bad);
    }
    QCOMPARE(choice.set.size(), size_t { 4 });
}

void TestConfigFiles::wholeConfigReadsBack()
{
    RunConfig config;
    config.model = "some/model";
    config.dataset = { "a, b.json", "c.jsonl" };
    config.evalDataset = { "d.jsonl" };
    config.maxSteps = 7;
    config.learningRate = 0.1 + 0.2;
    config.compute = NumberType::bf16;
    const auto read = configFromJson(configToJson(config).dump());
    QVERIFY(read.has_value());
    QVERIFY(read->values == config);
    QCOMPARE(read->set.size(), options().size());
    QCOMPARE(configToJson(config).begin().key(), std::string("model"));
}

void TestConfigFiles::contradictions_data()
{
    QTest::addColumn<QStringList>("set");
    QTest::addColumn<QString>("key"); // empty: fine
    QTest::addColumn<bool>("warning");
    QTest::addColumn<QString>("said");
    QTest::newRow("nothing") << QStringList {} << "" << false << "";
    QTest::newRow("full with bf16 weights")
        << QStringList { "method=full", "precision=bf16" } << "precision" << false << "compute: bf16";
    QTest::newRow("full with fp16 weights")
        << QStringList { "method=full", "precision=fp16" } << "precision" << false << "compute: bf16";
    QTest::newRow("full with 4-bit weights")
        << QStringList { "method=full", "precision=nf4" } << "precision" << false << "compute: bf16";
    QTest::newRow("full with fp32 weights") << QStringList { "method=full", "precision=fp32" } << "" << false << "";
    QTest::newRow("full with bf16 products") << QStringList { "method=full", "compute=bf16" } << "" << false << "";
    QTest::newRow("lora options with full") << QStringList { "method=full", "lora_rank=4" } << "" << false << "";
    QTest::newRow("segment without checkpointing") << QStringList { "checkpoint_every_layers=4" } << "" << false << "";
    QTest::newRow("side without padding") << QStringList { "padding_side=left" } << "" << false << "";
    QTest::newRow("rate too large") << QStringList { "learning_rate=0.5" } << "learning_rate" << true << "large";
    QTest::newRow("rate too small") << QStringList { "learning_rate=1e-9" } << "learning_rate" << true << "small";
    QTest::newRow("warm-up longer than the run")
        << QStringList { "warmup_steps=10", "max_steps=10" } << "warmup_steps" << true << "max_steps";
    QTest::newRow("warm-up share as long as the run")
        << QStringList { "warmup_ratio=0.95", "max_steps=10" } << "warmup_ratio" << true << "max_steps";
    QTest::newRow("one step in warm-up") << QStringList { "max_steps=1" } << "warmup_ratio" << true << "rate of 0";
    QTest::newRow("one step, two of warm-up")
        << QStringList { "max_steps=1", "warmup_steps=2" } << "warmup_steps" << true << "rate of 0";
    QTest::newRow("one step without warm-up") << QStringList { "max_steps=1", "warmup_ratio=0" } << "" << false << "";
}

void TestConfigFiles::contradictions()
{
    QFETCH(QStringList, set);
    QFETCH(QString, key);
    QFETCH(bool, warning);
    QFETCH(QString, said);
    QTemporaryDir folder;
    write(folder.filePath("rows.json"), "[]");
    ConfigChoice choice;
    set << "model=" + folder.path() << "dataset=" + folder.filePath("rows.json");
    for (const QString& assignment : set) {
        QVERIFY(applyAssignment(choice, assignment.toStdString()).has_value());
    }
    const auto findings = validate(choice);
    QCOMPARE(findings.size(), key.isEmpty() ? size_t { 0 } : size_t { 1 });
    if (!key.isEmpty()) {
        QCOMPARE(QString::fromStdString(findings.front().key), key);
        QCOMPARE(findings.front().warning, warning);
        QVERIFY(QString::fromStdString(findings.front().message).contains(said));
    }
}

void TestConfigFiles::missingFilesAreFound()
{
    ConfigChoice choice;
    choice.values.model = "/no/such/model";
    choice.values.dataset = { "/no/such/rows.json" };
    choice.values.evalDataset = { "/no/such/eval.json" };
    choice.values.adapter = "/no/such/adapter";
    choice.values.batchSize = 0;
    std::set<std::string> keys;
    for (const Finding& finding : validate(choice)) {
        QVERIFY(!finding.warning);
        keys.insert(finding.key);
    }
    QCOMPARE(keys, (std::set<std::string> { "model", "dataset", "eval_dataset", "adapter", "batch_size" }));
}

void TestConfigFiles::emptyMeansTheDemo()
{
    const RunConfig resolved = withResolvedPaths({});
    QCOMPARE(resolved.model, demoModel().string());
    QCOMPARE(resolved.dataset, std::vector { demoDataset().string() });
    RunConfig own;
    own.model = "here";
    own.dataset = { "/absolute/rows.json" };
    const RunConfig kept = withResolvedPaths(own);
    QVERIFY(QString::fromStdString(kept.model).startsWith('/') && QString::fromStdString(kept.model).endsWith("/here"));
    QCOMPARE(kept.dataset, own.dataset);
    qputenv("TUNEBENCH_DEMO_MODEL", "/another/model.gguf");
    QCOMPARE(demoModel().string(), std::string("/another/model.gguf"));
    qunsetenv("TUNEBENCH_DEMO_MODEL");
}

void TestConfigFiles::readmeHoldsTheReference()
{
    const QString reference = QString::fromStdString(optionsReference());
    for (const Option& option : options()) {
        QCOMPARE(reference.count(QString::fromStdString("| `" + option.key + "` |")), 1);
    }
    QFile readme(TUNEBENCH_README);
    if (!readme.open(QIODevice::ReadOnly)) {
        QSKIP("There is no README.md.");
    }
    const QString text = QString::fromUtf8(readme.readAll());
    const QString begin = "<!-- options -->\n";
    const auto from = text.indexOf(begin);
    const auto to = text.indexOf("<!-- /options -->");
    if (from < 0 || to < 0) {
        QSKIP("README.md has no options reference.");
    }
    QCOMPARE(text.mid(from + begin.size(), to - from - begin.size()), reference);
}

QTEST_GUILESS_MAIN(TestConfigFiles)
#include "tst_config_files.moc"
