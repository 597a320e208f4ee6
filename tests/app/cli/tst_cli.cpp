#include "core/runs/run_library.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace tunebench;

namespace {

/// What a run of the program left.
struct Ran {
    int status = -1;
    QByteArray out, err;

    QJsonObject object() const { return QJsonDocument::fromJson(out).object(); }
    /// An error is one line, and nothing is on standard output.
    bool failedWith(int expected, const char* said) const
    {
        return status == expected && err.count('\n') == 1 && err.contains(said);
    }
};

Ran run(const QStringList& arguments, const QByteArray& input = {})
{
    QProcess process;
    process.start(TUNEBENCH_CLI, arguments);
    process.write(input);
    process.closeWriteChannel();
    Ran ran;
    if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit) {
        ran = { process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError() };
    }
    return ran;
}

/// A byte-level tokenizer of three letters, one merge and one special token.
constexpr const char* smallTokenizer = R"({"version":"1.0","truncation":null,"padding":null,
"added_tokens":[{"id":4,"content":"<end>","single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],
"normalizer":null,
"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},
"post_processor":null,
"decoder":{"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true},
"model":{"type":"BPE","dropout":null,"unk_token":null,"continuing_subword_prefix":null,"end_of_word_suffix":null,
"fuse_unk":false,"byte_fallback":false,"vocab":{"a":0,"b":1,"c":2,"ab":3},"merges":["a b"]}})";

} // namespace

class TestCli : public QObject {
    Q_OBJECT

private slots:
    void init();
    void helpOfEachCommand_data();
    void helpOfEachCommand();
    void wrongCommandLines_data();
    void wrongCommandLines();
    void tokenizes();
    void decodes();
    void wrongTokenizeInput_data();
    void wrongTokenizeInput();
    void rendersFromAFile();
    void rendersFromAModel();
    void wrongRenderInput_data();
    void wrongRenderInput();
    void inspects();
    void inspectsLengths();
    void inspectsFolder();
    void inspectsNothingUsable();
    void listsRuns();
    void exportsAnAdapter();
    void writesTheOptions();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    QString write(const QString& name, const QByteArray& bytes) const
    {
        QDir().mkpath(QFileInfo(path(name)).path());
        QFile file(path(name));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size() ? path(name) : QString();
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestCli::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TestCli::helpOfEachCommand_data()
{
    QTest::addColumn<QString>("command");
    for (const char* command : { "runs", "inspect", "tokenize", "render", "export", "options" }) {
        QTest::newRow(command) << QString(command);
    }
}

void TestCli::helpOfEachCommand()
{
    QFETCH(QString, command);
    const Ran ran = run({ command, "--help" });
    QCOMPARE(ran.status, 0);
    QVERIFY(ran.out.contains("--json"));
    QVERIFY(ran.err.isEmpty());
}

void TestCli::wrongCommandLines_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing") << QStringList {};
    QTest::newRow("unknown command") << QStringList { "trian" };
    QTest::newRow("unknown option") << QStringList { "runs", "--everything" };
    QTest::newRow("missing option") << QStringList { "tokenize" };
    QTest::newRow("render from nowhere") << QStringList { "render" };
    QTest::newRow("render from two") << QStringList { "render", "--model", "a", "--template", "b" };
    QTest::newRow("export format") << QStringList { "export", "run", "--format", "onnx", "-o", "out" };
    QTest::newRow("missing model") << QStringList { "tokenize", "--model", "/no/such/model" };
    QTest::newRow("missing template") << QStringList { "render", "--template", "/no/such/file" };
    QTest::newRow("missing dataset") << QStringList { "inspect", "/no/such/file.json" };
    QTest::newRow("missing run") << QStringList { "export", "none", "--format", "adapter", "-o", "/no/such/out" };
}

void TestCli::wrongCommandLines()
{
    QFETCH(QStringList, arguments);
    const Ran ran = run(arguments);
    QVERIFY2(ran.failedWith(2, "tunebench-cli: "), ran.err.constData());
    QVERIFY(ran.out.isEmpty());
}

void TestCli::tokenizes()
{
    const QString model = write("tokenizer.json", smallTokenizer);
    const Ran ran = run({ "tokenize", "--model", model }, "\"abc\"\n\"c<end>a\"\n\"\"\n\"\\u0061b\"");
    QCOMPARE(ran.err, QByteArray());
    QCOMPARE(ran.out, QByteArray("{\"ids\":[3,2]}\n{\"ids\":[2,4,0]}\n{\"ids\":[]}\n{\"ids\":[3]}\n"));
    QCOMPARE(ran.status, 0);
    QCOMPARE(
        run({ "tokenize", "--model", m_folder->path(), "--json" }, "\"abc\"\n").out, QByteArray("{\"ids\":[3,2]}\n"));
    QCOMPARE(run({ "tokenize", "--model", model }).status, 0);
}

void TestCli::decodes()
{
    const QString model = write("tokenizer.json", smallTokenizer);
    const Ran ran = run({ "tokenize", "--decode", "--model", model }, "[3,2,4]\n[]\n");
    QCOMPARE(ran.out, QByteArray("{\"text\":\"abc<end>\"}\n{\"text\":\"\"}\n"));
    QCOMPARE(ran.status, 0);
}

void TestCli::wrongTokenizeInput_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("bare text") << QStringList {} << QByteArray("abc");
    QTest::newRow("number") << QStringList {} << QByteArray("1");
    QTest::newRow("object") << QStringList {} << QByteArray("{}");
    QTest::newRow("blank") << QStringList {} << QByteArray("");
    QTest::newRow("deep") << QStringList {} << QByteArray(100000, '[');
    QTest::newRow("text for decode") << QStringList { "--decode" } << QByteArray("\"abc\"");
    QTest::newRow("unknown id") << QStringList { "--decode" } << QByteArray("[0,5]");
    QTest::newRow("negative id") << QStringList { "--decode" } << QByteArray("[-1]");
    QTest::newRow("huge id") << QStringList { "--decode" } << QByteArray("[99999999999]");
    QTest::newRow("real id") << QStringList { "--decode" } << QByteArray("[1.5]");
    QTest::newRow("text id") << QStringList { "--decode" } << QByteArray("[\"a\"]");
}

void TestCli::wrongTokenizeInput()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, line);
    const QByteArray good = arguments.isEmpty() ? "\"a\"\n" : "[0]\n";
    const QString model = write("tokenizer.json", smallTokenizer);
    const Ran ran = run(QStringList { "tokenize", "--model", model } + arguments, good + line + "\n" + good);
    QVERIFY2(ran.failedWith(2, "Line 2"), ran.err.constData());
    QCOMPARE(ran.out.count('\n'), 1);
}

void TestCli::rendersFromAFile()
{
    const QString file = write("chat.jinja",
        "{{ bos }}{% for m in messages %}[{{ m.role }}]{{ m.content }}\n{% endfor %}"
        "{{ now is defined }} {{ strftime_now('%Y-%m-%d') }}");
    const Ran ran = run({ "render", "--template", file },
        R"({"bos":"<s>","messages":[{"role":"user","content":"안녕"}],"now":"2024-07-26"})"
        "\n"
        R"({"messages":3,"now":"2024-07-26"})"
        "\n");
    const auto lines = ran.out.split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines.at(0), QByteArray(R"({"text":"<s>[user]안녕\nFalse 2024-07-26"})"));
    QVERIFY(QJsonDocument::fromJson(lines.at(1)).object().contains("error"));
    QCOMPARE(ran.status, 0);
}

void TestCli::rendersFromAModel()
{
    write("tokenizer.json", smallTokenizer);
    write(
        "tokenizer_config.json", R"({"eos_token":"<end>","chat_template":"{{ messages[0].content }}{{ eos_token }}"})");
    const Ran ran = run({ "render", "--model", m_folder->path() },
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}],\"eos_token\":\"!\"}\n");
    QCOMPARE(ran.out, QByteArray("{\"text\":\"a<end>\"}\n{\"text\":\"a!\"}\n"));
    QVERIFY(QFile::remove(path("tokenizer_config.json")));
    QVERIFY(run({ "render", "--model", m_folder->path() }, "{}\n").failedWith(2, "--template"));
}

void TestCli::wrongRenderInput_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("bare text") << QByteArray("abc");
    QTest::newRow("list") << QByteArray("[]");
    QTest::newRow("blank") << QByteArray("");
    QTest::newRow("cut") << QByteArray("{\"messages\":");
    QTest::newRow("deep") << QByteArray("{\"messages\":") + QByteArray(100000, '[') + QByteArray(100000, ']') + "}";
    QTest::newRow("now is a number") << QByteArray("{\"now\": 3}");
}

void TestCli::wrongRenderInput()
{
    QFETCH(QByteArray, line);
    const QString file = write("chat.jinja", "x");
    const Ran ran = run({ "render", "--template", file }, "{}\n" + line + "\n{}\n");
    QVERIFY2(ran.status == 2 && ran.err.contains("ine 2"), ran.err.constData());
    QCOMPARE(ran.out, QByteArray("{\"text\":\"x\"}\n"));
}

void TestCli::inspects()
{
    const QString file = write("rows.jsonl", R"({"instruction":"a","input":"","output":"b"}
{"instruction":"a","input":"","output":""}
nonsense
{"instruction":"a","input":"c","output":"b"}
)");
    const Ran ran = run({ "inspect", file, "--json" });
    QCOMPARE(ran.status, 0);
    QCOMPARE(ran.out.count('\n'), 1);
    const QJsonObject object = ran.object();
    QCOMPARE(object["format"].toString(), QString("alpaca"));
    QVERIFY(object["rows"].toInt() >= 2);
    QVERIFY(object["lengths"].isNull());
    QVERIFY(object["columns"].toArray().contains("instruction"));
    const QJsonArray refused = object["refused"].toArray();
    QVERIFY(!refused.isEmpty());
    QCOMPARE(refused.last().toObject()["line"].toInt(), 3);
    QVERIFY(!refused.last().toObject()["reason"].toString().isEmpty());
    QVERIFY(run({ "inspect", file }).out.contains("alpaca"));
    QVERIFY(run({ "inspect", file, "--set", "dataset_format=alpaca" }).status == 0);
    QVERIFY(run({ "inspect", file, "--set", "dataset_forma=alpaca" }).failedWith(2, "dataset_format"));
}

void TestCli::inspectsLengths()
{
    write("tokenizer.json", smallTokenizer);
    write("tokenizer_config.json", R"({"eos_token":"<end>"})");
    QByteArray rows;
    for (int length = 1; length <= 9; ++length) { // with the end of text, 2 to 10 tokens
        rows += "{\"text\":\"" + QByteArray(length, 'c') + "\"}\n";
    }
    const QString file = write("rows.jsonl", rows);
    const Ran ran = run(
        { "inspect", file, "--model", m_folder->path(), "--set", "max_length=5", "--set", "eval_share=0", "--json" });
    QCOMPARE(ran.err, QByteArray());
    const QJsonObject lengths = ran.object()["lengths"].toObject();
    QCOMPARE(lengths["mean"].toDouble(), 6.0);
    QCOMPARE(lengths["p50"].toInt(), 6);
    QCOMPARE(lengths["p90"].toInt(), 10);
    QCOMPARE(lengths["longest"].toInt(), 10);
    QCOMPARE(lengths["truncated_share"].toObject()["right"].toDouble(), 5.0 / 9);
    QCOMPARE(lengths["answers_cut_share"].toObject()["left"].toDouble(), 5.0 / 9);
    QCOMPARE(lengths["truncated_rows"].toInt(), 5);
    QCOMPARE(lengths["tokens_cut"].toInt(), 1 + 2 + 3 + 4 + 5);
    QCOMPARE(lengths["suggested_max_length"].toInt(), 16);
    const QJsonArray waste = lengths["padding_waste"].toArray();
    const auto inOrder = std::find_if(waste.begin(), waste.end(), [](const QJsonValue& entry) {
        return entry.toObject()["order"].toString() == QLatin1String("sequential")
            && entry.toObject()["batch_size"].toInt() == 4;
    });
    // Cut to 5 tokens: 2 3 4 5, 5 5 5 5, 5.
    QCOMPARE((*inOrder).toObject()["share"].toDouble(), 6.0 / 45);
    const QByteArray text = run({ "inspect", file, "--model", m_folder->path(), "--set", "max_length=5" }).out;
    QVERIFY2(text.contains("max_length  5 cuts 5 rows (55.6 %), 15 tokens"), text.constData());
}

/// Parquet among others: the library that reads it and LibTorch live in one program.
void TestCli::inspectsFolder()
{
    QDir(m_folder->path()).mkdir("rows");
    const QString source = QStringLiteral(TUNEBENCH_TEST_DATA "/dataset_files/");
    for (const char* name : { "none.parquet", "cp949.csv", "parts.csv.zst" })
        QVERIFY(QFile::copy(source + name, m_folder->filePath("rows/") + name));
    write("rows/README.md", "rows");
    const Ran ran = run({ "inspect", m_folder->filePath("rows"), "--json" });
    QVERIFY2(ran.status == 0, ran.err);
    const QJsonObject object = ran.object();
    QCOMPARE(object["format"].toString(), QString("question_answer"));
    QCOMPARE(object["rows"].toInt(), 16); // in each file a row has no question
    QCOMPARE(object["refused"].toArray().size(), 3);
    const QString notices = object["notices"].toVariant().toStringList().join(' ');
    QVERIFY2(notices.contains("README.md") && notices.contains("CP949"), qPrintable(notices));
}

void TestCli::inspectsNothingUsable()
{
    QVERIFY(run({ "inspect", write("empty.json", "[]"), "--json" }).status == 2);
    QVERIFY(run({ "inspect", write("bad.jsonl", "{\"colour\":1}\n"), "--json" }).status == 2);
    QVERIFY(run({ "inspect", write("cut.json", "[{\"text\": \"a\""), "--json" }).err.count('\n') <= 1);
}

void TestCli::listsRuns()
{
    QVERIFY(run({ "runs", "--runs", path("none"), "--json" }).object()["runs"].toArray().isEmpty());
    const auto runs = m_folder->path().toStdString();
    {
        auto first = RunFolder::create(runs, "first", {});
        RunSummary summary;
        summary.state = RunState::finished;
        summary.lastLoss = 1.25;
        QVERIFY(first->writeSummary(summary).has_value());
        const auto died = RunFolder::create(runs, "died", {});
    }
    const auto going = RunFolder::create(runs, "going", {});
    QDir(m_folder->path()).mkdir("damaged");
    const Ran ran = run({ "runs", "--runs", m_folder->path(), "--json" });
    QCOMPARE(ran.status, 0);
    std::map<QString, QJsonObject> found;
    for (const auto& entry : ran.object()["runs"].toArray()) {
        found[entry.toObject()["name"].toString()] = entry.toObject();
    }
    QCOMPARE(found.size(), size_t { 4 });
    QCOMPARE(found["first"]["state"].toString(), QString("finished"));
    QCOMPARE(found["first"]["last_loss"].toDouble(), 1.25);
    QVERIFY(found["first"]["problem"].isNull());
    QCOMPARE(found["died"]["state"].toString(), QString("interrupted"));
    QCOMPARE(found["going"]["state"].toString(), QString("running"));
    QVERIFY(!found["damaged"]["problem"].toString().isEmpty());
    QVERIFY(run({ "runs", "--runs", m_folder->path() }).out.contains("interrupted"));
}

void TestCli::exportsAnAdapter()
{
    {
        const auto folder = RunFolder::create(path("runs").toStdString(), "run", {});
    }
    const auto exportTo = [&](const QString& target) {
        return run({ "export", "run", "--format", "adapter", "-o", target, "--runs", path("runs") });
    };
    QVERIFY(exportTo(path("out")).failedWith(2, "no adapter"));
    write("runs/run/adapter/adapter_config.json", "{}");
    write("runs/run/adapter/adapter_model.safetensors", "weights");
    QCOMPARE(exportTo(path("deep/out")).status, 0);
    QFile copied(path("deep/out/adapter_model.safetensors"));
    QVERIFY(copied.open(QIODevice::ReadOnly));
    QCOMPARE(copied.readAll(), QByteArray("weights"));
    QCOMPARE(
        QDir(path("deep")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot), QStringList { "out" });
    QVERIFY(exportTo(path("deep/out")).failedWith(2, "already"));
    QDir().mkdir(path("empty"));
    QCOMPARE(exportTo(path("empty") + "/").status, 0);
    QVERIFY(QFile::exists(path("empty/adapter_config.json")));
    QVERIFY(exportTo(write("file", "x") + "/below").failedWith(1, "Cannot write"));
}

void TestCli::writesTheOptions()
{
    QVERIFY(run({ "options" }).out.contains("| `batch_size` | 4 |"));
    QVERIFY(run({ "options", "--json" }).object()["options"].toArray().size() > 30);
}

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
