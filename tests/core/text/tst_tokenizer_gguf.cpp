#include "tests/core/text/tokenizer_fixture.h"

#include "core/model/gguf.h"
#include "tests/core/text/gguf_writer.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <map>

using namespace tunebench;
using Json = nlohmann::ordered_json;

namespace {

/// What llama.cpp's converter writes for a small tokenizer of ours.
Json byteLevelMetadata(const std::string& name, const std::string& pre)
{
    const nlohmann::json document = fixture::json(name + ".tokenizer.json");
    std::map<int, std::string> tokens;
    for (const auto& [token, id] : document["model"]["vocab"].items()) {
        tokens[id.get<int>()] = token;
    }
    std::map<int, int> types;
    for (const auto& token : document["added_tokens"]) {
        tokens[token["id"].get<int>()] = token["content"].get<std::string>();
        types[token["id"].get<int>()] = token["special"].get<bool>() ? 3 : 4;
    }
    Json metadata = { { "tokenizer.ggml.model", "gpt2" }, { "tokenizer.ggml.pre", pre } };
    for (const auto& [id, token] : tokens) {
        metadata["tokenizer.ggml.tokens"].push_back(token);
        metadata["tokenizer.ggml.token_type"].push_back(types.contains(id) ? types[id] : 1);
    }
    for (const auto& merge : document["model"]["merges"]) {
        metadata["tokenizer.ggml.merges"].push_back(merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    }
    return metadata;
}

Json sentencePieceMetadata()
{
    const nlohmann::json pieces = fixture::json("sentencepiece.json");
    return { { "tokenizer.ggml.model", "llama" }, { "tokenizer.ggml.pre", "default" },
        { "tokenizer.ggml.tokens", pieces["tokens"] }, { "tokenizer.ggml.scores", pieces["scores"] },
        { "tokenizer.ggml.token_type", pieces["types"] }, { "tokenizer.ggml.unknown_token_id", 0 },
        { "tokenizer.ggml.bos_token_id", 1 }, { "tokenizer.ggml.eos_token_id", 2 } };
}

Result<Tokenizer> openMetadata(const Json& metadata)
{
    const QTemporaryDir folder;
    const QString path = folder.filePath("model.gguf");
    if (!GgufWriter::write(path, metadata)) {
        return failure("cannot write the test's file");
    }
    const auto file = GgufFile::open(path.toStdString());
    return file ? Tokenizer::fromGguf(*file) : tl::unexpected(file.error());
}

} // namespace

class TestTokenizerGguf : public QObject {
    Q_OBJECT
private slots:
    void byteLevelGivesTheIdsOfTokenizerJson_data();
    void byteLevelGivesTheIdsOfTokenizerJson();
    void sentencePieceGivesTheLibrarysIds();
    void sentencePieceDecodes();
    void flagsAddBosAndEos();
    void demoModelGivesTheIdsOfItsFolder();
    void refusesWithAReason_data();
    void refusesWithAReason();
};

void TestTokenizerGguf::byteLevelGivesTheIdsOfTokenizerJson_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("pre");
    QTest::newRow("smollm") << "smollm"
                            << "smollm";
    QTest::newRow("qwen2") << "qwen"
                           << "qwen2";
    QTest::newRow("llama-bpe") << "llama3"
                               << "llama-bpe";
    QTest::newRow("tekken") << "tekken"
                            << "tekken";
}

void TestTokenizerGguf::byteLevelGivesTheIdsOfTokenizerJson()
{
    QFETCH(QString, name);
    QFETCH(QString, pre);
    const auto folder = fixture::smallTokenizer(name.toStdString());
    const auto gguf = openMetadata(byteLevelMetadata(name.toStdString(), pre.toStdString()));
    QVERIFY(folder);
    QVERIFY2(gguf, gguf ? "" : gguf.error().message.c_str());
    QCOMPARE(gguf->size(), folder->size());
    for (const std::string& text : fixture::texts()) {
        const std::vector<TokenId> ids = gguf->encode(text, false);
        QCOMPARE(ids, folder->encode(text, false));
        QCOMPARE(gguf->decode(ids), folder->decode(ids));
    }
}

void TestTokenizerGguf::sentencePieceGivesTheLibrarysIds()
{
    const auto tokenizer = openMetadata(sentencePieceMetadata());
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const std::vector<std::string> texts = fixture::texts();
    const nlohmann::json golden = fixture::json("sentencepiece.json")["golden"];
    QVERIFY(golden.size() > 150);
    for (const auto& [index, ids] : golden.items()) {
        const std::string& text = texts[std::stoul(index)];
        QVERIFY2(tokenizer->encode(text, false) == ids.get<std::vector<TokenId>>(), text.c_str());
    }
}

void TestTokenizerGguf::sentencePieceDecodes()
{
    const auto tokenizer = openMetadata(sentencePieceMetadata());
    QVERIFY(tokenizer);
    for (const char* text : { "Hello  world", " leading", "\u4f60\u597d \U0001f600", "a\nb\tc" }) {
        QCOMPARE(tokenizer->decode(tokenizer->encode(text, false)), std::string(text));
    }
}

void TestTokenizerGguf::flagsAddBosAndEos()
{
    Json metadata = sentencePieceMetadata();
    const auto byDefault = openMetadata(metadata);
    QVERIFY(byDefault);
    QCOMPARE(byDefault->encode("", true), std::vector<TokenId>({ 1 }));
    metadata["tokenizer.ggml.add_bos_token"] = false;
    metadata["tokenizer.ggml.add_eos_token"] = true;
    const auto changed = openMetadata(metadata);
    QVERIFY(changed);
    QCOMPARE(changed->encode("", true), std::vector<TokenId>({ 2 }));
}

/// The demo model where set-up put it; TUNEBENCH_DEMO_MODEL names another place.
void TestTokenizerGguf::demoModelGivesTheIdsOfItsFolder()
{
    const QString given = qEnvironmentVariable("TUNEBENCH_DEMO_MODEL");
    const QString file = given.isEmpty()
        ? QString::fromStdString((cacheDirectory() / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf").string())
        : given;
    if (!QFileInfo::exists(file)) {
        QSKIP(qPrintable(file + " is missing; packaging/setup.sh fetches it, TUNEBENCH_DEMO_MODEL names another"));
    }
    const auto gguf = GgufFile::open(file.toStdString());
    QVERIFY2(gguf, gguf ? "" : gguf.error().message.c_str());
    const auto tokenizer = Tokenizer::fromGguf(*gguf);
    QVERIFY2(tokenizer, tokenizer ? "" : tokenizer.error().message.c_str());
    const std::vector<std::string> texts = fixture::texts();
    const nlohmann::json golden = fixture::json("real_smollm2.golden.json");
    for (size_t index = 0; index < texts.size(); ++index) {
        QVERIFY2(
            tokenizer->encode(texts[index], true) == golden[index].get<std::vector<TokenId>>(), texts[index].c_str());
    }
}

void TestTokenizerGguf::refusesWithAReason_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const char* model, const char* key, const char* value, const char* reason) {
        QTest::newRow(name) << model << key << value << reason;
    };
    row("unknown model", "gpt2", "model", R"("rwkv")", "\"rwkv\"");
    row("unknown pre", "gpt2", "pre", R"("starcoder")", "\"starcoder\"");
    row("default pre", "gpt2", "pre", R"("default")", "\"default\"");
    row("no tokens", "gpt2", "tokens", "[]", "tokens");
    row("types too short", "gpt2", "token_type", "[1, 1]", "token_type");
    row("merge of one token", "gpt2", "merges", R"(["ab"])", "\"ab\"");
    row("merge of unknown tokens", "gpt2", "merges", R"(["a nosuchtoken"])", "nosuchtoken");
    row("scores too short", "llama", "scores", "[0.5]", "scores");
}

void TestTokenizerGguf::refusesWithAReason()
{
    QFETCH(QString, model);
    QFETCH(QString, key);
    QFETCH(QString, value);
    QFETCH(QString, reason);
    Json metadata = model == "gpt2" ? byteLevelMetadata("smollm", "smollm") : sentencePieceMetadata();
    metadata["tokenizer.ggml." + key.toStdString()] = Json::parse(value.toStdString());
    const auto tokenizer = openMetadata(metadata);
    QVERIFY(!tokenizer);
    QVERIFY2(
        tokenizer.error().message.find(reason.toStdString()) != std::string::npos, tokenizer.error().message.c_str());
}

QTEST_APPLESS_MAIN(TestTokenizerGguf)
#include "tst_tokenizer_gguf.moc"
