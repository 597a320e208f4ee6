#include "core/config/choices.h"
#include "core/data/dataset.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

using namespace tunebench;
using nlohmann::ordered_json;

namespace {

const ordered_json& goldens()
{
    static const ordered_json all
        = [] { return ordered_json::parse(std::ifstream(TUNEBENCH_TEST_DATA "/dataset/chats.json")); }();
    return all;
}

TextModel tinyModel(const std::string& templateSource)
{
    auto text = openTextModel(TUNEBENCH_TEST_DATA "/dataset/tiny");
    if (!text)
        qFatal("%s", text.error().message.c_str());
    auto parsed = ChatTemplate::parse(templateSource);
    if (!parsed)
        qFatal("%s", parsed.error().message.c_str());
    text->chatTemplate = *parsed;
    return *text;
}

std::vector<TokenId> learned(const TokenRow& row)
{
    std::vector<TokenId> ids;
    std::copy_if(
        row.labels.begin(), row.labels.end(), std::back_inserter(ids), [](TokenId id) { return id != ignoredLabel; });
    return ids;
}

bool mentions(const std::vector<std::string>& texts, const char* words)
{
    return std::any_of(
        texts.begin(), texts.end(), [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

} // namespace

/// What of a chat is learned, as transformers and TRL have it (tests/data/dataset/make_chats.py).
class TestChats : public QObject {
    Q_OBJECT

private slots:
    void rows_data();
    void rows();
    void rewrittenAnswersAreCounted();
    void turnsAreNeverDropped_data();
    void turnsAreNeverDropped();
    void unknownRolesAreSaid();
    void toolsHaveTheirOwnTemplate();
    void theEndOfTurnIsLearned();
    void startTokensAreNotDoubled();
    void hiddenPartsAreSaid();
    void realRows_data();
    void realRows();

private:
    std::string write(const std::string& rows)
    {
        QFile file(m_folder.filePath("rows.jsonl"));
        if (!file.open(QIODevice::WriteOnly) || file.write(rows.data(), static_cast<qint64>(rows.size())) < 0)
            qFatal("cannot write a test file");
        return file.fileName().toStdString();
    }

    Result<Dataset> load(const std::string& rows, const TextModel& text)
    {
        const std::string path = write(rows);
        RunConfig config;
        config.maxLength = 4096;
        return loadDataset({ &path, 1 }, config, &text);
    }

    QTemporaryDir m_folder;
};

void TestChats::rows_data()
{
    QTest::addColumn<int>("number");
    const auto& cases = goldens()["cases"];
    for (size_t i = 0; i < cases.size(); ++i)
        QTest::addRow(
            "%s, %s", cases[i]["name"].get<std::string>().c_str(), cases[i]["template"].get<std::string>().c_str())
            << int(i);
}

void TestChats::rows()
{
    QFETCH(int, number);
    const auto& expected = goldens()["cases"][static_cast<size_t>(number)];
    const auto text = tinyModel(goldens()["templates"][expected["template"].get<std::string>()].get<std::string>());
    const auto data = load(expected["row"].dump(), text);
    if (expected.contains("refused")) {
        QVERIFY(!data);
        return;
    }
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(std::string(choiceName(data->format)), expected["format"].get<std::string>());
    const TokenRow& row = data->rows[0];
    QCOMPARE(row.ids, expected["ids"].get<std::vector<TokenId>>());
    std::vector<TokenId> labels(row.ids.size(), ignoredLabel);
    for (const size_t i : expected["learned"])
        labels[i] = row.ids[i];
    QCOMPARE(QString::fromStdString(text.tokenizer.decode(learned(row))),
        QString::fromStdString(text.tokenizer.decode(learned({ row.ids, labels }))));
    QCOMPARE(row.labels, labels);
    QCOMPARE(mentions(data->notices, "not trained (first at line 1"), expected["untrained"] > 0);
}

void TestChats::rewrittenAnswersAreCounted()
{
    const auto text = tinyModel(goldens()["templates"]["qwen3"].get<std::string>());
    const std::string three
        = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"},{"role":"user","content":"e"},{"role":"assistant","content":"f"}]})";
    const auto data = load(R"({"instruction":"no chat","output":"of messages"})"
                           "\n"
            + three + "\n" + three,
        text);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->rows.size(), size_t { 2 });
    QCOMPARE(data->duplicates, int64_t { 1 });
    QVERIFY2(mentions(data->notices,
                 "4 answers in 2 rows are not trained (first at line 2: the chat template writes turn 2 otherwise"),
        data->notices.empty() ? "" : data->notices.front().c_str());
}

void TestChats::turnsAreNeverDropped_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("says");
    const char* const chatml
        = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
    const char* const known
        = "{% for m in messages %}{% if m.role in ['user', 'assistant'] %}<|im_start|>{{ m.role }}\n"
          "{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
    const char* const call
        = R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"name":"f","arguments":{}}]}]})";
    const char* const system
        = R"({"messages":[{"role":"system","content":"rule"},{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
    const char* const other
        = R"({"messages":[{"role":"critic","content":"b"},{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
    QTest::newRow("calls") << chatml << call << "does not write tool calls (turn 2)";
    QTest::newRow("system") << known << system << "writes nothing of turn 1 (role system)";
    QTest::newRow("unknown role") << known << other << "writes nothing of turn 1 (role critic)";
    QTest::newRow("unknown role, written") << chatml << other << "";
    QTest::newRow("its own words") << "{{ raise_exception('only two turns, please') }}" << system
                                   << "only two turns, please";
}

void TestChats::turnsAreNeverDropped()
{
    QFETCH(QString, source);
    QFETCH(QString, row);
    QFETCH(QString, says);
    const auto data = load(row.toStdString(), tinyModel(source.toStdString()));
    QCOMPARE(data.has_value(), says.isEmpty());
    if (!data)
        QVERIFY2(data.error().message.find(says.toStdString()) != std::string::npos, data.error().message.c_str());
}

void TestChats::unknownRolesAreSaid()
{
    const std::string source
        = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
          "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";
    const std::string row
        = R"({"messages":[{"role":"moderator","content":"b"},{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
    const auto data = load(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"c"}]})"
                           "\n"
            + row + "\n" + row,
        tinyModel(source));
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(data->rows.size(), size_t { 3 });
    QVERIFY(mentions(data->notices,
        "2 rows have turns of a role that the chat template does not name (first "
        "\"moderator\" at line 2)"));
    const auto named = load(row, tinyModel(source + "{# moderator #}"));
    QVERIFY(named && named->notices.empty());
}

void TestChats::toolsHaveTheirOwnTemplate()
{
    const std::string turns = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}";
    TextModel text = tinyModel(turns);
    text.toolTemplate = *ChatTemplate::parse("{{ tools[0].name }}:" + turns);
    const std::string messages = R"("messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})";
    const auto with = load(R"({"tools":[{"name":"f"}],)" + messages, text);
    const auto without = load("{" + messages, text);
    QVERIFY(with && without);
    const std::string written = "<|im_start|>a<|im_end|><|im_start|>b<|im_end|>";
    QCOMPARE(text.tokenizer.decode(with->rows[0].ids), "f:" + written);
    QCOMPARE(text.tokenizer.decode(without->rows[0].ids), written);
    text.chatTemplate.reset();
    QVERIFY(load(R"({"tools":[{"name":"f"}],)" + messages, text));
    QVERIFY(!load("{" + messages, text));
}

void TestChats::theEndOfTurnIsLearned()
{
    // The block ends before the token that ends the answer.
    const auto text = tinyModel(
        "{% for m in messages %}<|im_start|>{{ m.role }}\n{% if m.role == 'assistant' %}{% generation %}{{ m.content }}"
        "{% endgeneration %}{% else %}{{ m.content }}{% endif %}<|im_end|>\n{% endfor %}");
    const auto data = load(
        R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}]})",
        text);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QCOMPARE(text.tokenizer.decode(learned(data->rows[0])), std::string("b<|im_end|>d<|im_end|>"));
    QCOMPARE(*text.eos, *text.pad);
}

void TestChats::startTokensAreNotDoubled()
{
    const auto text = tinyModel("{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}");
    QVERIFY(text.bos);
    const char* const rows[] = { R"({"text":"<|endoftext|>plain"})", R"({"text":"plain"})",
        R"({"prompt":"<|endoftext|>a","completion":"b"})", R"({"question":"a","answer":"b"})" };
    for (const char* row : rows) {
        const auto data = load(row, text);
        QVERIFY2(data, data ? "" : data.error().message.c_str());
        QCOMPARE(data->rows[0].ids[0], *text.bos);
        QCOMPARE(std::count(data->rows[0].ids.begin(), data->rows[0].ids.end(), *text.bos), 1);
    }
}

void TestChats::hiddenPartsAreSaid()
{
    const auto text = tinyModel(goldens()["templates"]["zephyr"].get<std::string>());
    const auto data = load(
        R"({"tools":[{"name":"f"}],"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_content":"c"}]})",
        text);
    QVERIFY2(data, data ? "" : data.error().message.c_str());
    QVERIFY(mentions(data->notices, "no place for reasoning"));
    QVERIFY(mentions(data->notices, "does not show tools"));
    QVERIFY(!mentions(data->notices, "NFD"));
    const std::string composed = R"({"question":"한글 \u1100","answer":"b"})";
    const std::string decomposed = R"({"question":"\u1112\u1161\u11ab\u1100\u1173\u11af","answer":"b"})";
    const auto korean = load(composed + "\n" + decomposed, text);
    QVERIFY(korean && mentions(korean->notices, "in 1 row stands in single letters (NFD"));
    QVERIFY(korean->rows[1].ids.size() > korean->rows[0].ids.size());
}

void TestChats::realRows_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("format");
    QTest::addColumn<qint64>("usable");
    QTest::newRow("calls") << "glaive_toolcall_en_demo.json"
                           << "sharegpt" << qint64 { 300 };
    QTest::newRow("parts") << "v1_sft_demo.jsonl"
                           << "messages" << qint64 { 500 };
    QTest::newRow("pairs") << "dpo_en_demo.json"
                           << "preference" << qint64 { 300 };
    QTest::newRow("identity") << "identity.json"
                              << "alpaca" << qint64 { 91 };
}

void TestChats::realRows()
{
    QFETCH(QString, file);
    const QString shared = qEnvironmentVariable("TUNEBENCH_SHARED", TUNEBENCH_SOURCE "/../shared");
    const std::string path = (shared + "/datasets/" + file).toStdString();
    if (!std::filesystem::exists(path))
        QSKIP("The shared datasets are not here: set TUNEBENCH_SHARED to the folder that holds datasets/.");
    const auto text = tinyModel(goldens()["templates"]["qwen2_5"].get<std::string>());
    RunConfig config;
    config.maxLength = 4096;
    const auto look = inspectDataset({ &path, 1 }, config, &text);
    QVERIFY2(look, look ? "" : look.error().message.c_str());
    QTEST(QString::fromStdString(std::string(choiceName(look->format))), "format");
    for (const auto& row : look->refused)
        qInfo("line %zu: %s", row.line, row.reason.c_str());
    QTEST(qint64(look->rows), "usable");
}

QTEST_GUILESS_MAIN(TestChats)
#include "tst_chats.moc"
