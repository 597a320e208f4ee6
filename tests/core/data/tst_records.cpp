#include "core/config/choices.h"
#include "core/config/dataset_columns.h"
#include "core/data/record_hash.h"

#include <QTest>
#include <set>

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
    void pairs_data();
    void pairs();
    void columns_data();
    void columns();
    void columnNamesAreThoseOfTheOption();
    void contentHashes();
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
                                << "preference";
    QTest::newRow("half") << R"({"instruction":"a"})"
                          << "";
    QTest::newRow("question and answer") << R"({"question":"q","answer":"a","id":1})"
                                         << "question_answer";
    QTest::newRow("Korean headings") << R"({"질문":"q","답":"a"})"
                                     << "question_answer";
    QTest::newRow("capitals") << R"({"Instruction":"q","Output":"a"})"
                              << "alpaca";
    QTest::newRow("response") << R"({"instruction":"q","response":"a","context":"c"})"
                              << "alpaca";
    QTest::newRow("pair without prompt") << R"({"chosen":"c","rejected":"r"})"
                                         << "preference";
    QTest::newRow("half a pair") << R"({"chosen":"c","text":"t"})"
                                 << "text";
    QTest::newRow("other") << R"({"q":"q","a":"a"})"
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
        << R"({"messages":[{"role":"user","content":"a","name":null},{"role":"assistant","content":null,"tool_calls":[{"id":1,"name":"f"}]},{"role":"tool","content":"r","tool_call_id":"1"},{"role":"assistant","content":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"type":"function","id":1,"function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"r","tool_call_id":"1"},{"role":"assistant","content":"b"}])";
    QTest::newRow("calls in ShareGPT")
        << sharegpt
        << R"({"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"{\"name\": \"f\", \"arguments\": {\"x\": 1}}"},{"from":"observation","value":"r"},{"from":"gpt","value":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":{"x":1}}}]},{"role":"tool","content":"r"},{"role":"assistant","content":"b"}])";
    QTest::newRow("arguments as text")
        << messages
        << R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"x\": [1, 2]}"}}]}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":{"x":[1,2]}}}]}])";
    QTest::newRow("no calls after all")
        << messages
        << R"({"messages":[{"role":"human","content":"a","tool_calls":[]},{"role":"gpt","content":"b","tool_calls":null}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("roles of calls")
        << messages
        << R"({"messages":[{"role":"user","content":"a"},{"role":"function_call","content":"[{\"name\":\"f\",\"arguments\":{}}]"},{"role":"observation","content":"r"},{"role":"assistant","content":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"r"},{"role":"assistant","content":"b"}])";
    QTest::newRow("reasoning and calls as parts")
        << messages
        << R"({"messages":[{"role":"user","content":[{"type":"text","value":"a"}]},{"role":"assistant","content":[{"type":"reasoning","value":"t"},{"type":"text","value":"b"},{"type":"tool_call","value":"{\"name\":\"f\",\"arguments\":{\"x\":\"y\"}}"}],"loss_weight":1.0}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b","loss_weight":1.0,"reasoning_content":"t","tool_calls":[{"type":"function","function":{"name":"f","arguments":{"x":"y"}}}]}])";
    QTest::newRow("a call as an object")
        << messages
        << R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"tool_call","value":{"name":"f","arguments":{}}}]}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"type":"function","function":{"name":"f","arguments":{}}}]}])";
    QTest::newRow("JSON text in a cell")
        << messages
        << R"({"messages":"[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]"})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("question and answer")
        << int(DatasetFormat::questionAnswer) << R"({"system":"s","question":"[1]","answer":"{}"})"
        << R"([{"role":"system","content":"s"},{"role":"user","content":"[1]"},{"role":"assistant","content":"{}"}])";
    QTest::newRow("query and response") << int(DatasetFormat::questionAnswer) << R"({"Query":"a","response":"b"})"
                                        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
    QTest::newRow("empty answer of weight 0")
        << messages
        << R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"","weight":0},{"role":"assistant","content":"b"}]})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"","weight":0},{"role":"assistant","content":"b"}])";
    QTest::newRow("a completion of one turn")
        << int(DatasetFormat::promptCompletion)
        << R"({"prompt":[{"from":"human","value":"a"}],"completion":{"from":"gpt","value":"b"}})"
        << R"([{"role":"user","content":"a"},{"role":"assistant","content":"b"}])";
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
    add("call that is no JSON", F::sharegpt,
        R"({"conversations":[{"from":"human","value":"a"},{"from":"function_call","value":"b"},{"from":"gpt","value":"c"}]})",
        "conversations[1] is not a tool call");
    add("call without a name", F::messages,
        R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","tool_calls":[{"function":{}}]}]})",
        "without a \"name\"");
    add("call nested too deep", F::sharegpt,
        ("{\"conversations\":[{\"from\":\"function_call\",\"value\":\"" + std::string(100'000, '[') + "\"}]}").c_str(),
        "not a tool call");
    add("unknown speaker", F::sharegpt, R"({"conversations":[{"from":"narrator","value":"a"}]})",
        "said by \"narrator\"");
    add("empty question", F::questionAnswer, R"({"question":" ","answer":"a"})", "\"question\" is empty");
    add("null answer", F::questionAnswer, R"({"question":"q","answer":null})", "\"answer\" is null");
    add("pair of equals", F::preference, R"({"prompt":"p","chosen":"c","rejected":"c"})", "are the same");
    add("pair without a half", F::preference, R"({"prompt":"p","chosen":"c","rejected":null})", "\"rejected\" is null");
    add("empty half", F::preference, R"({"prompt":"p","chosen":"","rejected":"r"})", "is empty");
    add("turns without a prompt", F::preference,
        R"({"chosen":[{"role":"assistant","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]})",
        "no prompt");
    add("half without an answer", F::preference,
        R"({"prompt":"p","chosen":[{"role":"user","content":"a"}],"rejected":[{"role":"assistant","content":"b"}]})",
        "chosen: after the prompt it has no assistant turn");
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
        "neither text, reasoning nor a tool call");
    add("part without text", F::messages, R"({"messages":[{"role":"user","content":[{"type":"text"}]}]})",
        "part without text");
    add("odd type of part", F::messages, R"({"messages":[{"role":"user","content":[{"type":7,"text":"a"}]}]})",
        "neither text, reasoning nor a tool call");
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
        "after the prompt it has no assistant turn");
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

void TestRecords::pairs_data()
{
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("pair"); // prompt, chosen, rejected
    QTest::newRow("texts") << R"({"prompt":"p","chosen":"c","rejected":"r"})"
                           << R"(["p","c","r"])";
    QTest::newRow("shared start") << R"({"chosen":"The sky is blue.","rejected":"The sky is red."})"
                                  << R"(["The sky is"," blue."," red."])";
    QTest::newRow("shared start in a character") << R"({"chosen":"가","rejected":"각"})"
                                                 << R"(["","가","각"])";
    const char* const turns
        = R"([[{"role":"user","content":"p"}],[{"role":"assistant","content":"c"}],[{"role":"assistant","content":"r"}]])";
    QTest::newRow("ShareGPT")
        << R"({"conversations":[{"from":"human","value":"p"}],"chosen":{"from":"gpt","value":"c"},"rejected":{"from":"gpt","value":"r"}})"
        << turns;
    QTest::newRow("prompt and turns")
        << R"({"prompt":"p","chosen":[{"role":"assistant","content":"c"}],"rejected":[{"role":"assistant","content":"r"}]})"
        << turns;
    QTest::newRow("prompt and repeated turns")
        << R"({"prompt":"p","chosen":[{"role":"user","content":"p"},{"role":"assistant","content":"c"}],"rejected":[{"role":"user","content":"p"},{"role":"assistant","content":"r"}]})"
        << turns;
    QTest::newRow("repeated turns alone")
        << R"({"chosen":[{"role":"user","content":"p"},{"role":"assistant","content":"c"}],"rejected":[{"role":"user","content":"p"},{"role":"assistant","content":"r"}]})"
        << turns;
    QTest::newRow("turns, then texts") << R"({"prompt":[{"role":"user","content":"p"}],"chosen":"c","rejected":"r"})"
                                       << turns;
    QTest::newRow("cells of a table")
        << R"({"prompt":"p","chosen":"[{\"role\":\"assistant\",\"content\":\"c\"}]","rejected":"[{\"role\":\"assistant\",\"content\":\"r\"}]"})"
        << turns;
}

void TestRecords::pairs()
{
    QFETCH(QString, row);
    const auto record = readRecord(ordered_json::parse(row.toStdString()), DatasetFormat::preference);
    QVERIFY2(record, record ? "" : record.error().c_str());
    const auto& pair = std::get<PreferenceRecord>(*record);
    ordered_json found;
    if (const auto* chosen = std::get_if<PromptRecord>(&pair.chosen)) {
        found = { chosen->prompt, chosen->completion, std::get<PromptRecord>(pair.rejected).completion };
    } else {
        const auto part = [](const ChatRecord& chat, bool prompt) {
            const auto middle = chat.messages.begin() + static_cast<std::ptrdiff_t>(chat.promptMessages);
            ordered_json list = ordered_json::array();
            list.insert(list.end(), prompt ? chat.messages.begin() : middle, prompt ? middle : chat.messages.end());
            return list;
        };
        const auto& good = std::get<ChatRecord>(pair.chosen);
        found = ordered_json::array(
            { part(good, true), part(good, false), part(std::get<ChatRecord>(pair.rejected), false) });
    }
    QTEST(QString::fromStdString(found.dump()), "pair");
}

void TestRecords::columns_data()
{
    QTest::addColumn<QString>("row");
    QTest::addColumn<QString>("map");
    QTest::addColumn<QString>("format"); // empty: none
    QTest::addColumn<QString>("renamed");
    QTest::newRow("prompt and completion") << R"({"q":"a","a":"b","id":1})"
                                           << R"({"prompt":"q","completion":"a"})"
                                           << "prompt_completion"
                                           << R"({"id":1,"prompt":"a","completion":"b"})";
    QTest::newRow("wins over other columns") << R"({"q":"a","a":"b","messages":[]})"
                                             << R"({"question":"q","answer":"a"})"
                                             << "question_answer"
                                             << R"({"messages":[],"answer":"b","question":"a"})";
    QTest::newRow("crossed") << R"({"prompt":"b","completion":"a"})"
                             << R"({"prompt":"completion","completion":"prompt"})"
                             << "prompt_completion"
                             << R"({"completion":"b","prompt":"a"})";
    QTest::newRow("one column") << R"({"body":"b"})"
                                << R"({"text":"body"})"
                                << "text"
                                << R"({"text":"b"})";
    QTest::newRow("of no format") << R"({"q":"a","a":"b"})"
                                  << R"({"prompt":"q","answer":"a"})"
                                  << ""
                                  << R"({"answer":"b","prompt":"a"})";
}

void TestRecords::columns()
{
    QFETCH(QString, row);
    QFETCH(QString, map);
    const auto columns = ordered_json::parse(map.toStdString()).get<ColumnMap>();
    auto object = ordered_json::parse(row.toStdString());
    renameColumns(object, columns);
    const auto format = formatOfRow(object, columns);
    QTEST(format ? QString::fromStdString(std::string(choiceName(*format))) : QString(), "format");
    QFETCH(QString, renamed);
    QCOMPARE(nlohmann::json(object).dump(), nlohmann::json::parse(renamed.toStdString()).dump());
}

void TestRecords::columnNamesAreThoseOfTheOption()
{
    std::set<std::string_view> names;
    for (const RowFormat& format : rowFormats()) {
        for (const FormatColumn& column : format.columns)
            names.insert(column.name);
    }
    QCOMPARE(names, std::set<std::string_view>(datasetColumnNames.begin(), datasetColumnNames.end()));
}

void TestRecords::contentHashes()
{
    const auto hash = [](const char* row, DatasetFormat format) {
        return recordHash(*readRecord(ordered_json::parse(row), format));
    };
    using F = DatasetFormat;
    const auto first = hash(R"({"instruction":"a","output":"b"})", F::alpaca);
    QCOMPARE(hash(R"({"id":7,"output":"b","input":"","instruction":"a"})", F::alpaca), first);
    QVERIFY(hash(R"({"instruction":"a","output":"c"})", F::alpaca) != first);
    QVERIFY(hash(R"({"instruction":"ab","output":"c"})", F::alpaca)
        != hash(R"({"instruction":"a","output":"bc"})", F::alpaca));
    QVERIFY(hash(R"({"prompt":"a","completion":"b"})", F::promptCompletion) != first);
    QVERIFY(hash(R"({"input_ids":[1,2]})", F::tokens) != hash(R"({"input_ids":[1,2],"labels":[-100,2]})", F::tokens));
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
