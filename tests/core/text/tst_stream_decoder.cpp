#include "core/base/files.h"
#include "core/text/tokenizer/stream_decoder.h"

#include <QTest>
#include <algorithm>

using namespace tunebench;

namespace {

/// Bytes as byte-level tokens spell them, or byte-fallback tokens, with a few words; no merges.
Tokenizer byteLevel()
{
    QByteArray vocabulary;
    int id = 0;
    for (const char* token : { "a", "Ġ", "ã", "ģ", "Ĥ", "ð", "Ł", "ĺ", "Ģ" })
        vocabulary += QByteArray(vocabulary.isEmpty() ? "" : ",") + '"' + token + "\":" + QByteArray::number(id++);
    const QByteArray json = R"({"model":{"type":"BPE","vocab":{)" + vocabulary
        + R"(},"merges":[]},"pre_tokenizer":{"type":"ByteLevel","add_prefix_space":false,"use_regex":false},)"
          R"("decoder":{"type":"ByteLevel"}})";
    return Tokenizer::fromJson(json.toStdString(), "test").value();
}

Tokenizer byteFallback()
{
    QByteArray vocabulary = R"("<unk>":0,"▁":1,"a":2,"▁a":3)";
    for (int byte = 0; byte < 256; ++byte)
        vocabulary += QStringLiteral(",\"<0x%1>\":%2")
                          .arg(byte, 2, 16, QChar('0'))
                          .arg(byte + 4)
                          .toUpper()
                          .replace("<0X", "<0x")
                          .toUtf8();
    const QByteArray json
        = R"({"model":{"type":"BPE","unk_token":"<unk>","byte_fallback":true,"fuse_unk":true,"vocab":{)" + vocabulary
        + R"(},"merges":[["▁","a"]]},)"
        + R"("normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},{"type":"Replace","pattern":{"String":" "},"content":"▁"}]},)"
        + R"("decoder":{"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},{"type":"ByteFallback"},{"type":"Fuse"},{"type":"Strip","content":" ","start":1,"stop":0}]}})";
    return Tokenizer::fromJson(json.toStdString(), "test").value();
}

} // namespace

class TestStreamDecoder : public QObject {
    Q_OBJECT

private slots:
    void neverShowsHalfACharacter_data();
    void neverShowsHalfACharacter();
    void whatNeverBecomesWhole();
};

void TestStreamDecoder::neverShowsHalfACharacter_data()
{
    QTest::addColumn<bool>("fallback");
    QTest::addColumn<QString>("text");
    for (const bool fallback : { false, true }) {
        const auto row = [&](const char* name, const char* text) {
            QTest::newRow(qPrintable(QString::fromUtf8(name) + (fallback ? ", byte fallback" : ", byte level")))
                << fallback << QString::fromUtf8(text);
        };
        row("plain", "aa a");
        row("three bytes", "aああa");
        row("four bytes", "😀");
        row("many in a row", "あ😀ああ😀😀あ a あ");
        row("spaces", "  a   a ");
    }
}

void TestStreamDecoder::neverShowsHalfACharacter()
{
    QFETCH(bool, fallback);
    QFETCH(QString, text);
    const Tokenizer tokenizer = fallback ? byteFallback() : byteLevel();
    const auto ids = tokenizer.encode(text.toStdString(), false);
    StreamDecoder decoder(tokenizer);
    std::string whole;
    for (const TokenId id : ids) {
        const std::string piece = decoder.push(id);
        QVERIFY(!QString::fromStdString(piece).contains(QChar(QChar::ReplacementCharacter)));
        whole += piece;
    }
    QCOMPARE(whole, tokenizer.decode(ids));
    QCOMPARE(QString::fromStdString(whole), text);
    QCOMPARE(decoder.finish(), std::string());
}

void TestStreamDecoder::whatNeverBecomesWhole()
{
    const Tokenizer tokenizer = byteLevel();
    const std::vector<TokenId> ids { 0, 2, 3 }; // "a" and two bytes of three
    StreamDecoder decoder(tokenizer);
    std::string shown;
    for (const TokenId id : ids)
        shown += decoder.push(id);
    QCOMPARE(shown, std::string("a"));
    QCOMPARE(shown + decoder.finish(), tokenizer.decode(ids));
    QCOMPARE(decoder.finish(), std::string());
    // What comes after it shows at once.
    decoder.push(2);
    QCOMPARE(QString::fromStdString(decoder.push(0)), QStringLiteral("\uFFFDa"));
}

QTEST_GUILESS_MAIN(TestStreamDecoder)
#include "tst_stream_decoder.moc"
