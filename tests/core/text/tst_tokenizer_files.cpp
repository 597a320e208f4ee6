#include "core/text/text_model.h"
#include "tests/core/text/tokenizer_fixture.h"

#include <QTemporaryDir>

using namespace tunebench;

namespace {

QString shown(const std::string& text)
{
    return QString::fromStdString(nlohmann::json(text).dump(-1, ' ', true));
}

std::string content(const std::string& name)
{
    return readFile(fixture::path(name)).value_or("");
}

Result<Tokenizer> openModelFile(const std::string& name)
{
    return name.ends_with(".json") ? Tokenizer::fromTekken(content(name), name)
                                   : Tokenizer::fromSentencePiece(content(name), name);
}

std::string goldenOf(const std::string& name)
{
    return name.ends_with(".json") ? name.substr(0, name.size() - 5) + ".golden.json" : name + ".golden.json";
}

/// A message of protobuf: `number` 1 and 2 are pieces' fields, 2 and 3 the specs of a model.
std::string bytesField(unsigned number, const std::string& bytes)
{
    std::string field { static_cast<char>(number << 3U | 2U) };
    for (size_t size = bytes.size(); field.size() == 1 || size > 0; size >>= 7U) {
        field.push_back(static_cast<char>((size & 0x7FU) | (size >= 0x80 ? 0x80U : 0)));
    }
    return field + bytes;
}

std::string numberField(unsigned number, unsigned value)
{
    return { static_cast<char>(number << 3U), static_cast<char>(value) };
}

const std::string bpe = bytesField(2, numberField(3, 2));

} // namespace

/// Tokenizers that stand in other files than tokenizer.json; make_model_files.py made them and their right values.
class TestTokenizerFiles : public QObject {
    Q_OBJECT
private slots:
    void matchesTheLibrary_data();
    void matchesTheLibrary();
    void decodesBackToTheText_data();
    void decodesBackToTheText();
    void specialTokensInTheTextAreRecognised();
    void bosAndEosAsTheConfigSays();
    void damagedFilesAreRefused_data();
    void damagedFilesAreRefused();
    void cutFilesNeverCrash();
    void openedFromAFolder_data();
    void openedFromAFolder();
};

void TestTokenizerFiles::matchesTheLibrary_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "llama.model", "mapped.model", "gemma.model", "small.tekken.json" }) {
        QTest::newRow(name) << name;
    }
}

void TestTokenizerFiles::matchesTheLibrary()
{
    QFETCH(QString, name);
    const auto tokenizer = openModelFile(name.toStdString());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const std::vector<std::string> texts = fixture::texts();
    const nlohmann::json golden = fixture::json(goldenOf(name.toStdString()))["ids"];
    QVERIFY(golden.size() > 200);
    for (const auto& [index, ids] : golden.items()) {
        const std::string& text = texts[std::stoul(index)];
        const Encoding encoding = tokenizer->encodeWithSpans(text, false);
        QVERIFY2(encoding.ids == ids.get<std::vector<TokenId>>(), qPrintable(shown(text)));
        QVERIFY2(tokenizer->encode(text, false) == encoding.ids, qPrintable(shown(text)));
        size_t begin = 0;
        for (const ByteSpan& span : encoding.spans) {
            QVERIFY2(span.begin >= begin && span.begin <= span.end && span.end <= text.size(), qPrintable(shown(text)));
            begin = span.begin;
        }
    }
}

void TestTokenizerFiles::decodesBackToTheText_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "llama.model", "gemma.model", "small.tekken.json" }) {
        QTest::newRow(name) << name;
    }
}

void TestTokenizerFiles::decodesBackToTheText()
{
    QFETCH(QString, name);
    const auto tokenizer = openModelFile(name.toStdString());
    QVERIFY(tokenizer);
    for (const std::string& text : fixture::texts()) {
        // A mark in the text cannot be told from a space, and a tokenizer of bytes reads "<0x0A>" as one.
        if (name.endsWith(".model")
            && (text.find("\u2581") != std::string::npos || text.find('<') != std::string::npos)) {
            continue;
        }
        QCOMPARE(shown(tokenizer->decode(tokenizer->encode(text, false))), shown(text));
    }
}

void TestTokenizerFiles::specialTokensInTheTextAreRecognised()
{
    const auto each = openModelFile("llama.model");
    const auto once = Tokenizer::fromSentencePiece(content("llama.model"), "", { {}, false, true });
    QVERIFY(each && once);
    const auto joined = [](std::vector<TokenId> left, const std::vector<TokenId>& right) {
        left.insert(left.end(), right.begin(), right.end());
        return left;
    };
    const std::vector<TokenId> hello = each->encode("hello", false);
    QCOMPARE(each->encode("hello</s>hello", false), joined(joined(hello, { 2 }), hello));
    const std::vector<TokenId> ids = once->encode("hello</s>hello", false);
    QCOMPARE(once->decode(ids), std::string("hello</s>hello"));
    QVERIFY(ids != each->encode("hello</s>hello", false));
}

void TestTokenizerFiles::bosAndEosAsTheConfigSays()
{
    const auto ids = [](const SentencePieceOptions& options, const char* file) {
        return Tokenizer::fromSentencePiece(content(file), file, options).value().encode("", true);
    };
    QCOMPARE(ids({}, "llama.model"), std::vector<TokenId>({ 1 }));
    QCOMPARE(ids({}, "gemma.model"), std::vector<TokenId>({ 2 }));
    QCOMPARE(ids({ true, true, false }, "llama.model"), std::vector<TokenId>({ 1, 2 }));
    QCOMPARE(ids({ false, false, false }, "llama.model"), std::vector<TokenId>());
    QCOMPARE(openModelFile("small.tekken.json").value().encode("[INST]", true), std::vector<TokenId>({ 1, 3 }));
}

void TestTokenizerFiles::damagedFilesAreRefused_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("part");
    const auto row = [](const char* name, const std::string& bytes, const char* part) {
        QTest::newRow(name) << QByteArray::fromStdString(bytes) << part;
    };
    const std::string piece = bytesField(1, bytesField(1, "a"));
    row("empty", "", "no pieces");
    row("text", "version https://git-lfs.github.com/spec/v1", "not a SentencePiece model");
    row("tiktoken", "IQ== 0\nIg== 1\n", "not a SentencePiece model");
    row("long length", "\x0A\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F", "not a SentencePiece model");
    row("no end of a number", std::string(40, '\xFF'), "not a SentencePiece model");
    row("group", "\x0B", "not a SentencePiece model");
    row("unigram by default", piece, "unigram");
    row("unigram", content("unigram.model"), "unigram");
    row("suffix", content("suffix.model"), "treat_whitespace_as_suffix");
    row("twice", piece + piece + bpe, "twice");
    row("empty piece", bytesField(1, "") + bpe, "empty");
    row("no UTF-8", bytesField(1, bytesField(1, "\x80")) + bpe, "UTF-8");
    row("unused", bytesField(1, bytesField(1, "a") + numberField(3, 5)) + bpe, "type");
    row("strange type", bytesField(1, bytesField(1, "a") + numberField(3, 9)) + bpe, "type");
    row("no number", bytesField(1, bytesField(1, "a") + std::string("\x15\0\0\xC0\x7F", 5)) + bpe, "score");
    row("map", piece + bpe + bytesField(3, bytesField(2, "\x09zzzz")), "precompiled_charsmap");
}

void TestTokenizerFiles::damagedFilesAreRefused()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, part);
    const auto tokenizer = Tokenizer::fromSentencePiece(bytes.toStdString(), "m/tokenizer.model");
    QVERIFY(!tokenizer);
    QVERIFY2(tokenizer.error().message.starts_with("m/tokenizer.model: "), tokenizer.error().message.c_str());
    QVERIFY2(QString::fromStdString(tokenizer.error().message).contains(part), tokenizer.error().message.c_str());
}

void TestTokenizerFiles::cutFilesNeverCrash()
{
    const std::string model = content("mapped.model");
    for (size_t size = 0; size < model.size(); size += 1 + size / 50) {
        if (const auto tokenizer = Tokenizer::fromSentencePiece(std::string_view(model).substr(0, size), "")) {
            tokenizer->encode("\uff21 b  12<sep>\ufb01n ", true);
        }
    }
    for (std::string broken = model; const size_t at : { size_t(9), model.size() / 2, model.size() - 40 }) {
        broken[at] = static_cast<char>(~broken[at]);
        if (const auto tokenizer = Tokenizer::fromSentencePiece(broken, "")) {
            tokenizer->encode("\uff21 b  12<sep>\ufb01n ", true);
        }
    }
    for (const char* text :
        { "", "[]", "{}", R"({"config": 3})", R"({"config": {"pattern": "a"}})",
            R"({"config": {"pattern": "(", "default_vocab_size": 3, "default_num_special_tokens": 1}, "vocab": []})",
            R"({"config": {"pattern": "a", "default_vocab_size": 1, "default_num_special_tokens": 9}, "vocab": []})",
            R"({"config": {"pattern": "a", "default_vocab_size": 9, "default_num_special_tokens": 1}, "vocab": [3]})" }) {
        QVERIFY2(!Tokenizer::fromTekken(text, "tekken.json"), text);
    }
}

void TestTokenizerFiles::openedFromAFolder_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("bare");
    QTest::newRow("tokenizer.model in a folder") << "llama.model"
                                                 << "tokenizer.model" << false;
    QTest::newRow("bare model") << "llama.model"
                                << "tokenizer.model" << true;
    QTest::newRow("tekken.json in a folder") << "small.tekken.json"
                                             << "tekken.json" << false;
    QTest::newRow("bare tekken.json") << "small.tekken.json"
                                      << "tekken_240911.json" << true;
}

void TestTokenizerFiles::openedFromAFolder()
{
    QFETCH(QString, source);
    QFETCH(QString, name);
    QFETCH(bool, bare);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QVERIFY(writeFileAtomically(path / name.toStdString(), content(source.toStdString())));
    const auto model = openTextModel(bare ? path / name.toStdString() : path);
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QCOMPARE(model->bos, std::optional<TokenId>(1));
    QCOMPARE(model->eos, std::optional<TokenId>(2));
    QCOMPARE(model->tokenizer.encode("hello", false), openModelFile(source.toStdString())->encode("hello", false));
    QVERIFY(model->templateVariables.at("bos_token") == "<s>");
}

QTEST_APPLESS_MAIN(TestTokenizerFiles)
#include "tst_tokenizer_files.moc"
