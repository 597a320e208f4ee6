#include "core/config/choices.h"
#include "core/data/records.h"

#include <QTest>

using namespace tunebench;
using nlohmann::ordered_json;

class TestRecords : public QObject {
    Q_OBJECT

private slots:
    void findsFormats_data();
    void findsFormats();
    void conversations_data();
    void conversations();
    void refuses_data();
    void refuses();
    void tokens();
    void weights();
    void tools();
};

void TestRecords::findsFormats_data()
{
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("format"); // empty: none
    QTest::newRow("alpaca") << R"({"instruction":"a","input":"","output":"b"})"
                            << "alpaca";
    QTest::newRow("alpaca without input") << R"({"instruction":"a","output":"b"})"
                                          << "alpaca";
    QTest::newRow("alpaca with text") << R"({"instruction":"a","output":"b","text":"c"})"
                                      << "alpaca";
    QTest::newRow("sharegpt") << R"({"conversations":[]})"
                              << "sharegpt";
    QTest::newRow("messages") << R"({"messages":[],"prompt":"p"})"
                              << "messages";
    QTest::newRow("prompt and completion") << R"({"prompt":"p","completion":"c"})"
                                           << "prompt_completion";
    QTest::newRow("text") << R"({"text":"t","id":1})"
                          << "text";
    QTest::newRow("tokens") << R"({"input_ids":[1],"text":"t"})"
                            << "tokens";
    QTest::newRow("null columns") << R"({"messages":null,"text":"t"})"
                                  << "text";
    QTest::newRow("all null") << R"({"instruction":null,"output":null})"
                              << "alpaca";
    QTest::newRow("preference") << R"({"prompt":"p","chosen":"c","rejected":"r","text":"t"})"
                                << "";
    QTest::newRow("half") << R"({"instruction":"a"})"
                          << "";
    QTest::newRow("other") << R"({"question":"q","answer":"a"})"
                           << "";
    QTest::newRow("empty") << "{}"
                           << "";
}

void TestRecords::findsFormats()
{
    QFETCH(QString, row);
    const auto format = formatOfRow(ordered_json::parse(row.toStdString()));
    const auto name = format ? choiceName(*format) : std::string_view();
    QTEST(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), "format");
}

void TestRecords::conversations_data()
{
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("messages");
    const auto alpaca = int(DatasetFormat::alpaca);
    const auto sharegpt = int(DatasetFormat::sharegpt);
    const auto messages = int(DatasetFormat::messages);
    QTest::newRow("alpaca") << alpaca << R"({"instruction":"a","input":"","output":"b"})"
                            << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("input") << alpaca << R"({"instruction":"a","input":" i ","output":"b\n"})"
                           << R"([{"role":"user","content":"a\n i "},{"role":"assistant","content":"b\n"}])";
    QTest::newRow("null input") << alpaca << R"({"instruction":"a","input":null,"output":"null"})"
                                << R"([{"role":"user","content":"a"},{"role":"assistant","content":"null"}])";
    QTest::newRow("looks like a date")
        << alpaca << R"({"instruction":"a","output":"2024-01-01"})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"2024-01-01"}])";
    QTest::newRow("system and history")
        << alpaca << R"({"instruction":"c","output":"d","system":"s","history":[["a","b"]]})"
        << R"([{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":"d"}])";
    QTest::newRow("sharegpt")
        << sharegpt
        << R"({"conversations":[{"from":"system","value":"s"},{"from":"human","value":"a"},{"from":"gpt","value":"b"}]})"
        << R"([{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("system column")
        << sharegpt
        << R"({"system":"s","conversations":[{"from":"user","value":"a"},{"from":"assistant","value":"b"}]})"
        << R"([{"role":"system","content":"s"},{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("roles in conversations")
        << sharegpt << R"({"conversations":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("parts")
        << messages
        << R"({"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","value":"b"}]},{"role":"assistant","content":["c"]}]})"
        << R"([{"role":"user","content":"ab"},{"role":"assistant","content":"c"}])";
    QTest::newRow("tool turns")
        << messages
        << R"({"messages":[{"role":"user","content":"a","name":null},{"role":"assistant","content":null,"tool_calls":[{"id":1}]},{"role":"tool","content":"r","tool_call_id":"1"},{"role":"assistant","content":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[{"id":1}]},{"role":"tool","content":"r","tool_call_id":"1"},{"role":"assistant","content":"b"}])";
    QTest::newRow("ends with a question")
        << messages
        << R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}])";
}

void TestRecords::conversations()
{
    QFETCH(int, format);
    QFETCH(QString, row);
    const auto record = readRecord(ordered_json::parse(row.toStdString()), static_cast<DatasetFormat>(format));
    QVERIFY2(record, record ? "" : record.error().c_str());
    QTEST(QString::fromStdString(std::get<ChatRecord>(*record).messages.dump()), "messages");
}

void TestRecords::refuses_data()
{
    QTest::addColumn<int>("format");
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("says");
    const auto add = [](const char* name, DatasetFormat format, const char* row, const char* says) {
        QTest::newRow(name) << int(format) << row << says;
    };
    using F = DatasetFormat;
    add("null instruction", F::alpaca, R"({"instruction":null,"input":"x","output":"y"})", "\"instruction\" is null");
    add("null output", F::alpaca, R"({"instruction":"x","output":null})", "\"output\" is null");
    add("no output", F::alpaca, R"({"instruction":"x"})", "\"output\" is missing");
    add("number", F::alpaca, R"({"instruction":"x","output":42})", "\"output\" is a number, not text");
    add("list as input", F::alpaca, R"({"instruction":"x","input":["a"],"output":"y"})",
        "\"input\" is an array, not text");
    add("empty answer", F::alpaca, R"({"instruction":"x","output":""})", "the answer (\"output\") is empty");
    add("blank answer", F::alpaca, R"({"instruction":"x","output":" \n"})", "is empty");
    add("empty instruction", F::alpaca, R"({"instruction":" ","output":"y"})", "\"instruction\" is empty");
    add("history of strings", F::alpaca, R"({"instruction":"x","output":"y","history":["a"]})", "\"history\"");
    add("history of three", F::alpaca, R"({"instruction":"x","output":"y","history":[["a","b","c"]]})", "\"history\"");
    add("other format", F::alpaca, R"({"messages":[]})", "a row of messages, the dataset is alpaca");
    add("no conversations", F::sharegpt, R"({"conversations":null})", "missing or null");
    add("conversations as text", F::sharegpt, R"({"conversations":"hi"})", "is a string, not a list");
    add("empty conversations", F::sharegpt, R"({"conversations":[]})", "no assistant turn");
    add("only the person", F::sharegpt, R"({"conversations":[{"from":"human","value":"a"}]})", "no assistant turn");
    add("tool turn", F::sharegpt,
        R"({"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"b"},{"from":"gpt","value":"c"}]})",
        "said by \"function_call\"");
    add("no speaker", F::sharegpt, R"({"conversations":[{"value":"a"}]})", "conversations[0] has no \"from\"");
    add("null value", F::sharegpt, R"({"conversations":[{"from":"human","value":null}]})",
        "conversations[0] has no \"value\"");
    add("two systems", F::sharegpt,
        R"({"system":"s","conversations":[{"from":"system","value":"t"},{"from":"gpt","value":"a"}]})",
        "system turn as well");
    add("bad tools", F::sharegpt,
        R"({"tools":"{","conversations":[{"from":"human","value":"a"},{"from":"gpt","value":"b"}]})", "\"tools\"");
    add("no role", F::messages, R"({"messages":[{"content":"a"}]})", "messages[0] has no \"role\"");
    add("text as message", F::messages, R"({"messages":["a"]})", "messages[0] is a string");
    add("no content", F::messages, R"({"messages":[{"role":"user"},{"role":"assistant","content":"b"}]})",
        "messages[0] has no \"content\"");
    add("number as content", F::messages, R"({"messages":[{"role":"user","content":1}]})",
        "messages[0].content is a number");
    add("image", F::messages, R"({"messages":[{"role":"user","content":[{"type":"image","url":"u"}]}]})",
        "part that is not text");
    add("part without text", F::messages, R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})",
        "part without text");
    add("odd type of part", F::messages, R"({"messages":[{"role":"user","content":[{"type":7,"text":"a"}]}]})",
        "part that is not text");
    add("empty turn", F::messages, R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":""}]})",
        "the answer (turn 2) is empty");
    add("half weight", F::messages, R"({"messages":[{"role":"assistant","content":"a","weight":0.5}]})",
        "\"weight\": 0.5");
    add("all weights 0", F::messages, R"({"messages":[{"role":"assistant","content":"a","loss_weight":0.0}]})",
        "no assistant turn");
    add("null prompt", F::promptCompletion, R"({"prompt":null,"completion":"c"})", "\"prompt\" is null");
    add("empty completion", F::promptCompletion, R"({"prompt":"p","completion":""})", "is empty");
    add("text and list", F::promptCompletion, R"({"prompt":"p","completion":[{"role":"assistant","content":"a"}]})",
        "\"completion\" is an array");
    add("empty lists", F::promptCompletion, R"({"prompt":[],"completion":[]})", "no messages");
    add("answer in the prompt", F::promptCompletion,
        R"({"prompt":[{"role":"assistant","content":"a"}],"completion":[{"role":"user","content":"b"}]})",
        "\"completion\" has no assistant turn");
    add("empty text", F::text, R"({"text":""})", "\"text\" is empty");
    add("number as text", F::text, R"({"text":3})", "not text");
    add("ids as text", F::tokens, R"({"input_ids":"1 2"})", "not a list of token ids");
    add("no ids", F::tokens, R"({"input_ids":[]})", "is empty");
    add("fraction", F::tokens, R"({"input_ids":[1,2.5]})", "\"input_ids\"[1] is 2.5, not a whole number");
    add("whole, but written as a fraction", F::tokens, R"({"input_ids":[1.0]})", "not a whole number");
    add("negative", F::tokens, R"({"input_ids":[1,-1]})", "\"input_ids\"[1] is -1, which is no token id");
    add("-100 as id", F::tokens, R"({"input_ids":[-100]})", "no token id");
    add("too large", F::tokens, R"({"input_ids":[4294967297]})", "no token id");
    add("larger than any integer", F::tokens, R"({"input_ids":[18446744073709551615]})", "no token id");
    add("text in ids", F::tokens, R"({"input_ids":["1"]})", "not a whole number");
    add("lengths differ", F::tokens, R"({"input_ids":[1,2],"labels":[1]})",
        "\"labels\" has 1 entries, \"input_ids\" 2");
    add("negative label", F::tokens, R"({"input_ids":[1,2],"labels":[1,-1]})", "\"labels\"[1] is -1");
    add("labels as text", F::tokens, R"({"input_ids":[1,2],"labels":"x"})", "\"labels\" is a string");
}

void TestRecords::refuses()
{
    QFETCH(int, format);
    QFETCH(QString, row);
    QFETCH(QString, says);
    const auto record = readRecord(ordered_json::parse(row.toStdString()), static_cast<DatasetFormat>(format));
    QVERIFY(!record);
    QVERIFY2(record.error().find(says.toStdString()) != std::string::npos, record.error().c_str());
}

void TestRecords::tokens()
{
    const auto record
        = readRecord(ordered_json::parse(R"({"input_ids":[5,6,7],"labels":[-100,6,8],"attention_mask":[1,1,1]})"),
            DatasetFormat::tokens);
    QVERIFY(record);
    QCOMPARE(std::get<TokenRow>(*record).ids, (std::vector<TokenId> { 5, 6, 7 }));
    QCOMPARE(std::get<TokenRow>(*record).labels, (std::vector<TokenId> { -100, 6, 8 }));
    const auto plain = readRecord(ordered_json::parse(R"({"input_ids":[5,6],"labels":null})"), DatasetFormat::tokens);
    QVERIFY(plain);
    QCOMPARE(std::get<TokenRow>(*plain).labels, (std::vector<TokenId> { 5, 6 }));
}

void TestRecords::weights()
{
    const auto record = readRecord(
        ordered_json::parse(
            R"({"messages":[{"role":"user","content":"a","weight":1},{"role":"assistant","content":"b","weight":0},{"role":"assistant","content":"c","loss_weight":1.0},{"role":"assistant","content":"d"}]})"),
        DatasetFormat::messages);
    QVERIFY(record);
    QCOMPARE(std::get<ChatRecord>(*record).trained, (std::vector<bool> { false, false, true, true }));
}

void TestRecords::tools()
{
    const auto toolsOf = [](const char* tools) {
        auto row
            = ordered_json::parse(R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]})");
        row["tools"] = ordered_json::parse(tools);
        const auto record = readRecord(row, DatasetFormat::messages);
        return record ? std::get<ChatRecord>(*record).tools.dump() : record.error();
    };
    const char* const asText = "\"[{\\\"name\\\":\\\"f\\\"}]\"";
    const std::string list = "[{\"name\":\"f\"}]";
    QCOMPARE(toolsOf("null"), std::string("null"));
    QCOMPARE(toolsOf("[]"), std::string("null"));
    QCOMPARE(toolsOf("\"[]\""), std::string("null"));
    QCOMPARE(toolsOf(list.c_str()), list);
    QCOMPARE(toolsOf(asText), list);
}

QTEST_GUILESS_MAIN(TestRecords)
#include "tst_records.moc"
