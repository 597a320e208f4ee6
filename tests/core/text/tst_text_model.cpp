#include "core/text/text_model.h"
#include "tests/core/text/gguf_writer.h"
#include "tests/core/text/tokenizer_fixture.h"

#include <QTemporaryDir>

using namespace tunebench;
using Json = nlohmann::ordered_json;

namespace {

/// A model folder that holds the small smollm tokenizer.
class ModelFolder {
public:
    ModelFolder() { write("tokenizer.json", *readFile(fixture::path("smollm.tokenizer.json"))); }

    void write(const std::string& name, const std::string& text) const
    {
        QVERIFY(writeFileAtomically(path() / name, text));
    }

    std::filesystem::path path() const { return m_folder.path().toStdString(); }

private:
    QTemporaryDir m_folder;
};

std::string rendered(const TextModel& model)
{
    Json variables = model.templateVariables;
    variables["messages"] = Json::array();
    const auto chat = model.chatTemplate->render(variables);
    return chat ? chat->text : chat.error().message;
}

} // namespace

class TestTextModel : public QObject {
    Q_OBJECT
private slots:
    void tokenizerAloneIsEnough();
    void readsTokensAsTransformersDoes();
    void specialTokensMapCountsWithoutAddedTokensDecoder();
    void generationConfigGivesMissingIds();
    void choosesTheTemplate();
    void bareFileReadsItsNeighbours();
    void readsGguf();
    void refusesWithAReason();
    void damagedNeighboursAreNamed_data();
    void damagedNeighboursAreNamed();
};

void TestTextModel::tokenizerAloneIsEnough()
{
    const ModelFolder folder;
    const auto model = openTextModel(folder.path());
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QVERIFY(!model->chatTemplate && !model->bos && !model->eos && !model->pad);
    QVERIFY(model->templateVariables.empty());
}

void TestTextModel::readsTokensAsTransformersDoes()
{
    const ModelFolder folder;
    folder.write("tokenizer_config.json", R"({"added_tokens_decoder": {}, "bos_token": "<|im_start|>",
        "eos_token": {"__type": "AddedToken", "content": "<|im_end|>"}, "unk_token": null, "pad_token": "nowhere",
        "extra_special_tokens": {"image_token": "<image>"}})");
    folder.write("special_tokens_map.json", R"({"bos_token": "ignored"})");
    const auto model = openTextModel(folder.path());
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QVERIFY(model->templateVariables
        == Json::parse(R"({"bos_token": "<|im_start|>", "eos_token": "<|im_end|>", "pad_token": "nowhere",
            "image_token": "<image>"})"));
    QCOMPARE(model->bos, std::optional<TokenId>(1));
    QCOMPARE(model->eos, std::optional<TokenId>(2));
    QVERIFY(!model->pad);
}

void TestTextModel::specialTokensMapCountsWithoutAddedTokensDecoder()
{
    const ModelFolder folder;
    folder.write("tokenizer_config.json", R"({"eos_token": "<|im_end|>", "bos_token": "<|im_end|>"})");
    folder.write("special_tokens_map.json", R"({"bos_token": {"content": "<|im_start|>"}})");
    const auto model = openTextModel(folder.path());
    QVERIFY(model);
    QCOMPARE(model->bos, std::optional<TokenId>(1));
    QCOMPARE(model->eos, std::optional<TokenId>(2));
}

void TestTextModel::generationConfigGivesMissingIds()
{
    const ModelFolder folder;
    folder.write("generation_config.json", R"({"bos_token_id": 1, "eos_token_id": [2, 0], "pad_token_id": 99999999})");
    const auto model = openTextModel(folder.path());
    QVERIFY(model);
    QCOMPARE(model->bos, std::optional<TokenId>(1));
    QCOMPARE(model->eos, std::optional<TokenId>(2));
    QVERIFY(!model->pad);
    QVERIFY(model->templateVariables.empty());
}

void TestTextModel::choosesTheTemplate()
{
    const ModelFolder folder;
    folder.write("chat_template.json", R"({"chat_template": "own"})");
    auto own = openTextModel(folder.path());
    QVERIFY(own && own->chatTemplate);
    QCOMPARE(rendered(*own), std::string("own"));
    folder.write(
        "tokenizer_config.json", R"({"bos_token": "<|im_start|>", "chat_template": "string {{ bos_token }}"})");
    auto model = openTextModel(folder.path());
    QVERIFY(model && model->chatTemplate);
    QCOMPARE(rendered(*model), std::string("string <|im_start|>"));
    folder.write("tokenizer_config.json",
        R"({"chat_template": [{"name": "tool_use", "template": "t"}, {"name": "default", "template": "d"}]})");
    model = openTextModel(folder.path());
    QVERIFY(model && model->chatTemplate);
    QCOMPARE(rendered(*model), std::string("d"));
    QVERIFY(model->templateFor(true) && model->templateFor(true)->source() == "t");
    folder.write("chat_template.jinja", "file");
    model = openTextModel(folder.path());
    QVERIFY(model && model->chatTemplate);
    QCOMPARE(rendered(*model), std::string("file"));
    QVERIFY(model->templateFor(true) == model->templateFor(false));
    std::filesystem::create_directory(folder.path() / "additional_chat_templates");
    folder.write("additional_chat_templates/tool_use.jinja", "tools");
    model = openTextModel(folder.path());
    QVERIFY(model && model->templateFor(true)->source() == "tools");
}

void TestTextModel::bareFileReadsItsNeighbours()
{
    const ModelFolder folder;
    folder.write("tokenizer_config.json", R"({"eos_token": "<|im_end|>"})");
    const auto model = openTextModel(folder.path() / "tokenizer.json");
    QVERIFY(model);
    QCOMPARE(model->eos, std::optional<TokenId>(2));
}

void TestTextModel::readsGguf()
{
    const nlohmann::json pieces = fixture::json("sentencepiece.json");
    const QTemporaryDir folder;
    const QString path = folder.filePath("model.gguf");
    QVERIFY(GgufWriter::write(path,
        { { "tokenizer.ggml.model", "llama" }, { "tokenizer.ggml.tokens", pieces["tokens"] },
            { "tokenizer.ggml.scores", pieces["scores"] }, { "tokenizer.ggml.token_type", pieces["types"] },
            { "tokenizer.ggml.bos_token_id", 1 }, { "tokenizer.ggml.eos_token_id", 2 },
            { "tokenizer.ggml.unknown_token_id", 0 }, { "tokenizer.chat_template", "{{ bos_token }}!" } }));
    const auto model = openTextModel(path.toStdString());
    QVERIFY2(model, model ? "" : model.error().message.c_str());
    QVERIFY(
        model->templateVariables == Json::parse(R"({"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"})"));
    QCOMPARE(model->eos, std::optional<TokenId>(2));
    QVERIFY(model->chatTemplate);
    QCOMPARE(rendered(*model), std::string("<s>!"));
}

void TestTextModel::refusesWithAReason()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const auto says = [](const std::filesystem::path& model, const std::string& part) {
        const auto opened = openTextModel(model);
        return !opened && opened.error().message.find(part) != std::string::npos;
    };
    QVERIFY(says(path / "nowhere", "does not exist"));
    QVERIFY(says(path, "no tokenizer.json"));
    QVERIFY(writeFileAtomically(path / "tokenizer.model", "x"));
    QVERIFY(says(path, "tokenizer.model"));
    QVERIFY(writeFileAtomically(path / "model.txt", "x"));
    QVERIFY(says(path / "model.txt", "neither"));
    QVERIFY(writeFileAtomically(path / "cut.gguf", "GGUF"));
    QVERIFY(says(path / "cut.gguf", "cut.gguf"));
}

void TestTextModel::damagedNeighboursAreNamed_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("text");
    QTest::newRow("cut config") << "tokenizer_config.json"
                                << R"({"bos_token": )";
    QTest::newRow("config list") << "tokenizer_config.json"
                                 << "[]";
    QTest::newRow("template number") << "tokenizer_config.json"
                                     << R"({"chat_template": 3})";
    QTest::newRow("template list") << "tokenizer_config.json"
                                   << R"({"chat_template": [{"name": "default"}]})";
    QTest::newRow("map") << "special_tokens_map.json"
                         << "no JSON";
    QTest::newRow("generation") << "generation_config.json"
                                << "3";
    QTest::newRow("jinja") << "chat_template.jinja"
                           << "{% for %}";
}

void TestTextModel::damagedNeighboursAreNamed()
{
    QFETCH(QString, file);
    QFETCH(QString, text);
    const ModelFolder folder;
    folder.write(file.toStdString(), text.toStdString());
    const auto model = openTextModel(folder.path());
    QVERIFY(!model);
    QVERIFY2(model.error().message.find(file.toStdString()) != std::string::npos, model.error().message.c_str());
}

QTEST_APPLESS_MAIN(TestTextModel)
#include "tst_text_model.moc"
