#include "tests/core/text/tokenizer_fixture.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <thread>

using namespace tunebench;

namespace {

QString sharedFolder()
{
    const QString given = qEnvironmentVariable("TUNEBENCH_SHARED");
    return given.isEmpty() ? QStringLiteral(TUNEBENCH_TEST_DATA "/../../../shared") : given;
}

void addSmallTokenizers()
{
    QTest::addColumn<QString>("name");
    for (const char* name : fixture::smallNames) {
        QTest::newRow(name) << name;
    }
}

/// A span of a token that the post-processor added is empty; the library writes [0, 0].
bool sameSpans(const std::vector<ByteSpan>& spans, const nlohmann::json& expected)
{
    bool same = spans.size() == expected.size();
    for (size_t index = 0; same && index < spans.size(); ++index) {
        const ByteSpan wanted { expected[index][0].get<size_t>(), expected[index][1].get<size_t>() };
        const bool added = wanted == ByteSpan {} && spans[index].begin == spans[index].end;
        same = added || spans[index] == wanted;
    }
    return same;
}

QString shown(const std::string& text)
{
    return QString::fromStdString(nlohmann::json(text).dump(-1, ' ', true));
}

} // namespace

class TestTokenizer : public QObject {
    Q_OBJECT
private slots:
    void matchesTheLibrary_data() { addSmallTokenizers(); }
    void matchesTheLibrary();
    void matchesTheLibraryOnRealVocabularies_data();
    void matchesTheLibraryOnRealVocabularies();
    void spansCoverTheTextInOrder_data() { addSmallTokenizers(); }
    void spansCoverTheTextInOrder();
    void composedCharactersStandForAllTheirParts();
    void compatibleMarksAndLettersJoin();
    void invalidUtf8BecomesReplacementCharacters_data();
    void invalidUtf8BecomesReplacementCharacters();
    void longWordsTakeLittleTime_data();
    void longWordsTakeLittleTime();
    void severalThreadsGetTheSame();
    void unknownIdsDecodeToNothing();
    void tokensAndIdsMatch();
};

void TestTokenizer::matchesTheLibrary()
{
    QFETCH(QString, name);
    const auto tokenizer = fixture::smallTokenizer(name.toStdString());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const std::vector<std::string> texts = fixture::texts();
    const nlohmann::json golden = fixture::json(name.toStdString() + ".golden.json");
    QVERIFY(texts.size() > 250);
    QCOMPARE(golden.size(), texts.size());
    for (size_t index = 0; index < texts.size(); ++index) {
        const std::string& text = texts[index];
        const Encoding encoding = tokenizer->encodeWithSpans(text, true);
        QVERIFY2(encoding.ids == golden[index]["ids"].get<std::vector<TokenId>>(), qPrintable(shown(text)));
        QVERIFY2(tokenizer->encode(text, true) == encoding.ids, qPrintable(shown(text)));
        if (golden[index].contains("spans")) {
            QVERIFY2(sameSpans(encoding.spans, golden[index]["spans"]), qPrintable(shown(text)));
        }
        QCOMPARE(shown(tokenizer->decode(encoding.ids)), shown(golden[index].value("decoded", text)));
    }
}

void TestTokenizer::matchesTheLibraryOnRealVocabularies_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "llama3.1", "qwen3", "gemma2" }) {
        QTest::newRow(name) << name;
    }
}

void TestTokenizer::matchesTheLibraryOnRealVocabularies()
{
    QFETCH(QString, name);
    const QString file = sharedFolder() + "/tokenizers/" + name + "/tokenizer.json";
    if (!QFileInfo::exists(file)) {
        QSKIP(qPrintable(file + " is missing; set TUNEBENCH_SHARED to the folder that holds tokenizers/"));
    }
    const auto tokenizer = fixture::openTokenizer(file.toStdString());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const std::vector<std::string> texts = fixture::texts();
    const nlohmann::json golden = fixture::json("real_" + name.toStdString() + ".golden.json");
    QCOMPARE(golden.size(), texts.size());
    for (size_t index = 0; index < texts.size(); ++index) {
        QVERIFY2(tokenizer->encode(texts[index], true) == golden[index].get<std::vector<TokenId>>(),
            qPrintable(shown(texts[index])));
    }
}

void TestTokenizer::spansCoverTheTextInOrder()
{
    QFETCH(QString, name);
    const auto tokenizer = fixture::smallTokenizer(name.toStdString());
    QVERIFY(tokenizer);
    for (const std::string& text : fixture::texts()) {
        size_t begin = 0;
        for (const ByteSpan& span : tokenizer->encodeWithSpans(text, false).spans) {
            QVERIFY2(span.begin >= begin && span.begin <= span.end && span.end <= text.size(), qPrintable(shown(text)));
            begin = span.begin;
        }
    }
}

void TestTokenizer::composedCharactersStandForAllTheirParts()
{
    const auto tokenizer = fixture::smallTokenizer("qwen");
    QVERIFY(tokenizer);
    const std::string text = "x e\u0301y";
    const Encoding encoding = tokenizer->encodeWithSpans(text, false);
    QCOMPARE(encoding.ids, tokenizer->encode("x \u00e9y", false));
    QCOMPARE(encoding.spans.back().end, text.size());
    const bool whole = std::any_of(encoding.spans.begin(), encoding.spans.end(),
        [](const ByteSpan& span) { return span.begin <= 2 && span.end >= 5; });
    QVERIFY(whole);
}

/// Half-width voiced marks and Hangul letters, which only the compatible forms join.
void TestTokenizer::compatibleMarksAndLettersJoin()
{
    const auto tokenizer = fixture::smallTokenizer("words");
    QVERIFY(tokenizer);
    const std::string text = "\uff76\uff9e \u3131\u314f \uffa1\uffc2";
    QCOMPARE(tokenizer->encode(text, false), tokenizer->encode("\u30ac \uac00 \uac00", false));
}

void TestTokenizer::invalidUtf8BecomesReplacementCharacters_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("readAs");
    QTest::newRow("lone continuation") << QByteArray("a\x80z") << "a\ufffdz";
    QTest::newRow("cut character") << QByteArray("a\xE2\x82") << "a\ufffd";
    QTest::newRow("overlong") << QByteArray("\xC0\xAF") << "\ufffd\ufffd";
    QTest::newRow("surrogate") << QByteArray("\xED\xA0\x80") << "\ufffd\ufffd\ufffd";
    QTest::newRow("beyond Unicode") << QByteArray("\xF4\x90\x80\x80") << "\ufffd\ufffd\ufffd\ufffd";
    QTest::newRow("cut before ASCII") << QByteArray("\xF0\x9F\x98x") << "\ufffdx";
}

void TestTokenizer::invalidUtf8BecomesReplacementCharacters()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, readAs);
    const auto tokenizer = fixture::smallTokenizer("smollm");
    QVERIFY(tokenizer);
    const Encoding encoding = tokenizer->encodeWithSpans(bytes.toStdString(), false);
    QCOMPARE(encoding.ids, tokenizer->encode(readAs.toStdString(), false));
    QCOMPARE(encoding.spans.back().end, static_cast<size_t>(bytes.size()));
}

void TestTokenizer::longWordsTakeLittleTime_data()
{
    addSmallTokenizers();
}

/// 100,000 letters without a space; a quadratic merge loop would need minutes.
void TestTokenizer::longWordsTakeLittleTime()
{
    QFETCH(QString, name);
    const auto tokenizer = fixture::smallTokenizer(name.toStdString());
    QVERIFY(tokenizer);
    std::string text;
    while (text.size() < 100000) {
        text += "theworldlearnsfromdata";
    }
    QElapsedTimer timer;
    timer.start();
    const std::vector<TokenId> ids = tokenizer->encode(text, false);
    QVERIFY(ids.size() > 10000);
    QVERIFY2(timer.elapsed() < 20000, "encoding a long word is not O(n log n)");
}

void TestTokenizer::severalThreadsGetTheSame()
{
    const auto tokenizer = fixture::smallTokenizer("llama3");
    QVERIFY(tokenizer);
    const std::vector<std::string> texts = fixture::texts();
    std::vector<std::vector<std::vector<TokenId>>> results(4);
    {
        std::vector<std::jthread> threads;
        for (auto& result : results) {
            threads.emplace_back([&] {
                for (const std::string& text : texts) {
                    result.push_back(tokenizer->encode(text, true));
                }
            });
        }
    }
    for (const auto& result : results) {
        QCOMPARE(result, results.front());
    }
}

void TestTokenizer::unknownIdsDecodeToNothing()
{
    const auto tokenizer = fixture::smallTokenizer("smollm");
    QVERIFY(tokenizer);
    const std::vector<TokenId> ids { -1, 1 << 30, static_cast<TokenId>(tokenizer->size()) };
    QCOMPARE(tokenizer->decode(ids), std::string());
    QVERIFY(!tokenizer->tokenOf(-1));
    QVERIFY(!tokenizer->tokenOf(static_cast<TokenId>(tokenizer->size())));
    QVERIFY(!tokenizer->idOf("no such token"));
}

void TestTokenizer::tokensAndIdsMatch()
{
    for (const char* name : fixture::smallNames) {
        const auto tokenizer = fixture::smallTokenizer(name);
        QVERIFY(tokenizer);
        for (TokenId id = 0; static_cast<size_t>(id) < tokenizer->size(); ++id) {
            const std::optional<std::string> token = tokenizer->tokenOf(id);
            QVERIFY(token);
            QCOMPARE(tokenizer->idOf(*token), std::optional(id));
        }
    }
}

QTEST_APPLESS_MAIN(TestTokenizer)
#include "tst_tokenizer.moc"
