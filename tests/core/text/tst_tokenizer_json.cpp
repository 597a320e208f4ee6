#include "tests/core/text/tokenizer_fixture.h"

using namespace tunebench;
using Json = nlohmann::json;

namespace {

/// A small file that opens; each row of the tests spoils one thing.
Json minimal()
{
    return { { "added_tokens", Json::array() }, { "normalizer", nullptr }, { "pre_tokenizer", nullptr },
        { "post_processor", nullptr }, { "decoder", nullptr },
        { "model",
            { { "type", "BPE" }, { "vocab", { { "a", 0 }, { "b", 1 }, { "ab", 2 } } },
                { "merges", Json::array({ "a b" }) } } } };
}

Result<Tokenizer> openText(const std::string& text)
{
    return Tokenizer::fromJson(text, "folder/tokenizer.json");
}

} // namespace

class TestTokenizerJson : public QObject {
    Q_OBJECT
private slots:
    void theMinimalFileOpens();
    void mergesMayBePairsWithSpaces();
    void refusesByName_data();
    void refusesByName();
    void refusesRegexSyntaxThatPcreReadsDifferently_data();
    void refusesRegexSyntaxThatPcreReadsDifferently();
    void cutFilesAreRefused();
    void hostileFilesAreRefused_data();
    void hostileFilesAreRefused();
};

void TestTokenizerJson::theMinimalFileOpens()
{
    const auto tokenizer = openText(minimal().dump());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(tokenizer->encode("abba", false), std::vector<TokenId>({ 2, 1, 0 }));
    QCOMPARE(tokenizer->decode(std::vector<TokenId> { 2, 1, 0 }), std::string("ab b a"));
}

void TestTokenizerJson::mergesMayBePairsWithSpaces()
{
    Json document = minimal();
    document["model"]["vocab"] = { { "a", 0 }, { " ", 1 }, { "a ", 2 }, { "a a", 3 } };
    document["model"]["merges"] = Json::parse(R"([["a", " "], ["a ", "a"]])");
    const auto tokenizer = openText(document.dump());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    QCOMPARE(tokenizer->encode("a a", false), std::vector<TokenId>({ 3 }));
}

void TestTokenizerJson::refusesByName_data()
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("named");
    const auto row = [](const char* name, const char* pointer, const char* value, const char* named) {
        QTest::newRow(name) << pointer << value << named;
    };
    row("normalizer", "/normalizer", R"({"type": "BertNormalizer"})", "\"BertNormalizer\"");
    row("in a sequence", "/normalizer", R"({"type": "Sequence", "normalizers": [{"type": "Nmt"}]})", "\"Nmt\"");
    row("pre_tokenizer", "/pre_tokenizer", R"({"type": "BertPreTokenizer"})", "\"BertPreTokenizer\"");
    row("behavior", "/pre_tokenizer", R"({"type": "Split", "pattern": {"String": " "}, "behavior": "X"})", "behavior");
    row("pattern", "/pre_tokenizer", R"({"type": "Split", "pattern": "a", "behavior": "Isolated"})", "pattern");
    row("wrong regex", "/pre_tokenizer", R"({"type": "Split", "pattern": {"Regex": "(a"}, "behavior": "Isolated"})",
        "\"(a\"");
    row("scheme", "/pre_tokenizer", R"({"type": "Metaspace", "prepend_scheme": "last"})", "prepend_scheme");
    row("long mark", "/pre_tokenizer", R"({"type": "Metaspace", "replacement": "ab"})", "replacement");
    row("post_processor", "/post_processor", R"({"type": "RobertaProcessing"})", "\"RobertaProcessing\"");
    row("template token", "/post_processor",
        R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}], "special_tokens": {}})", "<s>");
    row("decoder", "/decoder", R"({"type": "WordPiece"})", "\"WordPiece\"");
    row("decoder count", "/decoder", R"({"type": "Strip", "content": " ", "start": -1, "stop": 0})", "start");
    row("no type", "/decoder", R"({"content": " "})", "type");
    row("list", "/decoder", R"([])", "decoder");
    row("model", "/model/type", R"("Unigram")", "\"Unigram\"");
    row("dropout", "/model/dropout", "0.1", "dropout");
    row("flag", "/model/byte_fallback", R"("yes")", "byte_fallback");
    row("unknown token", "/model/unk_token", "3", "unk_token");
    row("merge without token", "/model/merges", R"(["a c"])", "\"c\"");
    row("merge without result", "/model/merges", R"(["b a"])", "\"ba\"");
    row("merge of three", "/model/merges", R"(["a b c"])", "merges");
    row("merge pair of three", "/model/merges", R"([["a", "b", "c"]])", "merges");
    row("merge object", "/model/merges", R"({"a": "b"})", "merges");
    row("merge number", "/model/merges", "[1]", "merges");
    row("negative id", "/model/vocab/a", "-1", "\"a\"");
    row("huge id", "/model/vocab/a", "18446744073709551615", "\"a\"");
    row("id is text", "/model/vocab/a", R"("0")", "vocab");
    row("empty vocab", "/model/vocab", "{}", "vocab");
    row("no model", "/model", "null", "model");
    row("added token", "/added_tokens", R"([{"content": 1}])", "content");
    row("added tokens", "/added_tokens", R"({"a": 1})", "added_tokens");
}

void TestTokenizerJson::refusesByName()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    QFETCH(QString, named);
    Json document = minimal();
    document[Json::json_pointer(pointer.toStdString())] = Json::parse(value.toStdString());
    const auto tokenizer = openText(document.dump());
    QVERIFY(!tokenizer);
    const std::string& message = tokenizer.error().message;
    QVERIFY2(message.starts_with("folder/tokenizer.json: "), message.c_str());
    QVERIFY2(message.find(named.toStdString()) != std::string::npos, message.c_str());
}

void TestTokenizerJson::refusesRegexSyntaxThatPcreReadsDifferently_data()
{
    QTest::addColumn<QString>("expression");
    QTest::newRow("hexadecimal digit") << R"(\h+)";
    QTest::newRow("word border") << R"(\bword\b)";
    QTest::newRow("backreference") << R"((a)\1)";
    QTest::newRow("option dotall") << "(?m:a.b)";
    QTest::newRow("option for the rest") << "a(?i)b|c";
    QTest::newRow("named group") << "(?<n>a)";
    QTest::newRow("recursion") << "(?R)";
    QTest::newRow("class in class") << "[a[bc]]";
    QTest::newRow("posix bracket") << "[[:alpha:]]";
    QTest::newRow("intersection") << "[a-z&&b]";
    QTest::newRow("possessive interval") << "a{1,2}+";
    QTest::newRow("interval from nothing") << "a{,2}";
    QTest::newRow("property") << R"(\p{Alpha})";
    QTest::newRow("short property") << R"(\pL)";
    QTest::newRow("end") << "a\\";
    QTest::newRow("literal text") << R"(\Qa\E)";
    QTest::newRow("verb") << "(*FAIL)";
}

void TestTokenizerJson::refusesRegexSyntaxThatPcreReadsDifferently()
{
    QFETCH(QString, expression);
    Json document = minimal();
    document["pre_tokenizer"]
        = { { "type", "Split" }, { "behavior", "Isolated" }, { "pattern", { { "Regex", expression.toStdString() } } } };
    const auto tokenizer = openText(document.dump());
    QVERIFY(!tokenizer);
    QVERIFY2(
        tokenizer.error().message.find("regular expression") != std::string::npos, tokenizer.error().message.c_str());
}

void TestTokenizerJson::cutFilesAreRefused()
{
    const auto whole = readFile(fixture::path("qwen.tokenizer.json"));
    QVERIFY(whole);
    for (size_t size = 0; size + 2 < whole->size(); size += 997) {
        const auto tokenizer = openText(whole->substr(0, size));
        QVERIFY(!tokenizer);
        QVERIFY2(tokenizer.error().message.find("JSON") != std::string::npos, tokenizer.error().message.c_str());
    }
}

void TestTokenizerJson::hostileFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("binary") << QByteArray("\0\xFF\x01", 3);
    QTest::newRow("Git LFS pointer") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\n");
    QTest::newRow("list") << QByteArray("[]");
    QTest::newRow("number") << QByteArray("3");
    QTest::newRow("deep lists") << QByteArray(200000, '[');
    QTest::newRow("deep objects") << QByteArray("{\"a\":").repeated(100000);
    QTest::newRow("deep normalizer") << "{\"normalizer\":"
            + QByteArray("{\"type\":\"Sequence\",\"normalizers\":[").repeated(1000);
    QTest::newRow("deep vocab") << QByteArray(R"({"model":{"vocab":{"a":{"b":1}}}})");
    QTest::newRow("deep merges") << QByteArray(R"({"model":{"merges":[[["a"]]]}})");
    QTest::newRow("invalid UTF-8") << QByteArray("{\"model\":{\"vocab\":{\"\xFF\":1}}}");
}

void TestTokenizerJson::hostileFilesAreRefused()
{
    QFETCH(QByteArray, text);
    const auto tokenizer = openText(text.toStdString());
    QVERIFY(!tokenizer);
    QVERIFY(!tokenizer.error().message.empty());
}

QTEST_APPLESS_MAIN(TestTokenizerJson)
#include "tst_tokenizer_json.moc"
