#include "core/config/choices.h"
#include "core/config/demo.h"
#include "core/data/dataset.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tunebench;
using nlohmann::ordered_json;

namespace {

ordered_json golden(const char* name)
{
    std::ifstream file(std::string(TUNEBENCH_TEST_DATA "/dataset/") + name);
    return ordered_json::parse(file);
}

template <class Choice> Choice choiceOf(const std::string& name)
{
    const auto& names = ChoiceNames<Choice>::names;
    return static_cast<Choice>(std::find(names.begin(), names.end(), name) - names.begin());
}

std::string datasetFile(const std::string& name)
{
    const QByteArray shared = qEnvironmentVariable("TUNEBENCH_SHARED", TUNEBENCH_SOURCE "/../shared").toUtf8();
    return shared.toStdString() + "/datasets/" + name;
}

QString listed(const std::vector<TokenId>& ids)
{
    QStringList words;
    for (const TokenId id : ids)
        words << QString::number(id);
    return words.join(' ');
}

} // namespace

/// Ids and labels as transformers and TRL make them (tests/data/dataset/make_goldens.py).
class TestDatasetGoldens : public QObject {
    Q_OBJECT

private slots:
    void rows_data();
    void rows();
    void smollm2_data();
    void smollm2();
    void chatsNeedATemplate();
    void templatesThatRewriteTurnsAreRefused();
    void answersOfWeightZero();
    void padEqualToEosStaysSupervised();

private:
    Result<Dataset> load(const std::string& rows, const RunConfig& config, const TextModel& text)
    {
        QFile file(m_folder.filePath("rows.jsonl"));
        if (!file.open(QIODevice::WriteOnly) || file.write(rows.data(), static_cast<qint64>(rows.size())) < 0)
            qFatal("cannot write a test file");
        file.close();
        const std::string path = file.fileName().toStdString();
        return loadDataset({ &path, 1 }, config, &text);
    }

    TextModel tiny(const std::string& templateSource = {}) const
    {
        auto text = openTextModel(TUNEBENCH_TEST_DATA "/dataset/tiny");
        if (!text)
            qFatal("%s", text.error().message.c_str());
        if (!templateSource.empty()) {
            auto parsed = ChatTemplate::parse(templateSource);
            if (!parsed)
                qFatal("%s", parsed.error().message.c_str());
            text->chatTemplate = *parsed;
        }
        return *text;
    }

    QTemporaryDir m_folder;
};

void TestDatasetGoldens::rows_data()
{
    QTest::addColumn<QByteArray>("golden");
    int number = 0;
    const auto cases = golden("rows.json")["cases"];
    for (const auto& one : cases) {
        QTest::addRow("%d %s %s %s %s", ++number, one["format"].get<std::string>().c_str(),
            one["template"].is_null() ? "-" : one["template"].get<std::string>().c_str(),
            one["loss_on"].get<std::string>().c_str(), one["truncation"].get<std::string>().c_str())
            << QByteArray::fromStdString(one.dump());
    }
}

void TestDatasetGoldens::rows()
{
    QFETCH(QByteArray, golden);
    static const ordered_json templates = ::golden("rows.json")["templates"];
    const auto expected = ordered_json::parse(golden.toStdString());
    RunConfig config;
    config.datasetFormat = choiceOf<DatasetFormat>(expected["format"]);
    config.lossOn = choiceOf<LossOn>(expected["loss_on"]);
    config.truncation = choiceOf<Truncation>(expected["truncation"]);
    config.maxLength = expected["max_length"].is_null() ? 4096 : expected["max_length"].get<int64_t>();
    const auto text = tiny(
        expected["template"].is_null() ? "" : templates[expected["template"].get<std::string>()].get<std::string>());
    const auto data = load(expected["row"].dump(), config, text);
    if (expected["ids"].is_null()) {
        QVERIFY(!data);
        QVERIFY2(data.error().message.find("nothing left to learn after truncation") != std::string::npos,
            data.error().message.c_str());
        return;
    }
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(listed(data->rows[0].ids), listed(expected["ids"].get<std::vector<TokenId>>()));
    QCOMPARE(listed(data->rows[0].labels), listed(expected["labels"].get<std::vector<TokenId>>()));
}

void TestDatasetGoldens::smollm2_data()
{
    QTest::addColumn<QString>("file"); // empty: the demo dataset
    QTest::addColumn<int>("format");
    QTest::newRow("alpaca") << "" << int(DatasetFormat::alpaca);
    QTest::newRow("sharegpt") << "glaive_toolcall_en_demo.json" << int(DatasetFormat::sharegpt);
    QTest::newRow("messages") << "v1_sft_demo.jsonl" << int(DatasetFormat::messages);
    QTest::newRow("prompt_completion") << "prompt_completion_train.jsonl" << int(DatasetFormat::promptCompletion);
    QTest::newRow("text") << "wikisql_text_train.jsonl" << int(DatasetFormat::text);
}

void TestDatasetGoldens::smollm2()
{
    QFETCH(QString, file);
    QFETCH(int, format);
    const auto model = demoModel();
    if (!std::filesystem::exists(model))
        QSKIP("The demo model is not here: set TUNEBENCH_DEMO_MODEL to its GGUF file to check real SmolLM2 rows.");
    const std::string path
        = file.isEmpty() ? TUNEBENCH_SOURCE "/resources/demo/alpaca_demo.json" : datasetFile(file.toStdString());
    if (!std::filesystem::exists(path))
        QSKIP("The shared datasets are not here: set TUNEBENCH_SHARED to the folder that holds datasets/.");
    const auto text = openTextModel(model);
    QVERIFY2(text, text ? "" : text.error().message.c_str());

    std::vector<ordered_json> expected;
    for (const auto& one : golden("smollm2.json")) {
        if (choiceOf<DatasetFormat>(one["format"]) == static_cast<DatasetFormat>(format))
            expected.push_back(one);
    }
    RunConfig config;
    config.maxRows = std::ssize(expected);
    const auto data = loadDataset({ &path, 1 }, config, &*text);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->format, static_cast<DatasetFormat>(format));
    QCOMPARE(data->rows.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
        const auto ids = expected[i]["ids"].get<std::vector<TokenId>>();
        std::vector<TokenId> labels(ids.size(), ignoredLabel);
        for (const auto& span : expected[i]["supervised"])
            std::copy(ids.begin() + span[0].get<long>(), ids.begin() + span[1].get<long>(),
                labels.begin() + span[0].get<long>());
        QCOMPARE(listed(data->rows[i].ids), listed(ids));
        QCOMPARE(listed(data->rows[i].labels), listed(labels));
    }
}

void TestDatasetGoldens::chatsNeedATemplate()
{
    const auto data = load(R"({"instruction":"a","output":"b"})", RunConfig(), tiny());
    QVERIFY(!data);
    const QString message = QString::fromStdString(data.error().message);
    QVERIFY2(message.contains("no chat template") && message.contains("prompt_completion"), qPrintable(message));
}

void TestDatasetGoldens::templatesThatRewriteTurnsAreRefused()
{
    const std::string marksTheLast
        = "{% for m in messages %}{{ m.role }}{% if loop.last %}!{% endif %}: {{ m.content }}\n{% endfor %}"
          "{% if add_generation_prompt %}assistant: {% endif %}";
    const auto data = load(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})",
        RunConfig(), tiny(marksTheLast));
    QVERIFY(!data);
    QVERIFY2(data.error().message.find("otherwise once it follows") != std::string::npos, data.error().message.c_str());

    const std::string dropsThoughts = "{% for m in messages %}{{ m.role }}: {{ m.content if loop.last else m.content | "
                                      "replace('think', '') }}\n{% endfor %}"
                                      "{% if add_generation_prompt %}assistant: {% endif %}";
    const auto twice = load(
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"think "
        "b\"},{\"role\":\"user\",\"content\":\"c\"}]}\n"
        "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"think b\"}]}",
        RunConfig(), tiny(dropsThoughts));
    QVERIFY2(twice, twice ? "" : twice.error().message.c_str());
    QCOMPARE(twice->rows.size(), size_t { 1 });
    QCOMPARE(twice->rows[0].line, size_t { 2 });
    QVERIFY2(twice->refused[0].reason.find("otherwise once later turns follow") != std::string::npos,
        twice->refused[0].reason.c_str());

    const auto raises
        = load(R"({"instruction":"a","output":"b"})", RunConfig(), tiny("{{ raise_exception('no such role') }}"));
    QVERIFY(!raises);
    QVERIFY2(raises.error().message.find("no such role") != std::string::npos, raises.error().message.c_str());
}

void TestDatasetGoldens::answersOfWeightZero()
{
    const auto templates = golden("rows.json")["templates"];
    const std::string row
        = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","weight":0},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]})";
    for (const char* name : { "chatml", "marked" }) {
        const auto text = tiny(templates[name].get<std::string>());
        const auto data = load(row, RunConfig(), text);
        QVERIFY2(data, data ? "" : data.error().message.c_str());
        std::vector<TokenId> learned;
        std::copy_if(data->rows[0].labels.begin(), data->rows[0].labels.end(), std::back_inserter(learned),
            [](TokenId id) { return id != ignoredLabel; });
        QVERIFY2(text.tokenizer.decode(learned).starts_with("d<|im_end|>"), text.tokenizer.decode(learned).c_str());
    }
}

void TestDatasetGoldens::padEqualToEosStaysSupervised()
{
    const auto text = tiny(golden("rows.json")["templates"]["chatml"].get<std::string>());
    QVERIFY(text.pad && text.eos);
    QCOMPARE(*text.pad, *text.eos);
    const auto data = load(R"({"instruction":"a","output":"b"})", RunConfig(), text);
    QVERIFY(data);
    QCOMPARE(std::count(data->rows[0].labels.begin(), data->rows[0].labels.end(), *text.eos), 1);
}

QTEST_GUILESS_MAIN(TestDatasetGoldens)
#include "tst_dataset_goldens.moc"
