#include "core/model/model_files.h"
#include "core/model/model_folder.h"
#include "model_test_files.h"

#include <QTemporaryDir>

using namespace tunebench;
namespace fs = std::filesystem;

namespace {

/// Every tensor of a model as float32.
struct LoadedModel {
    explicit LoadedModel(const WeightSource& weights)
    {
        numbers.reserve(weights.tensors().size());
        for (size_t i = 0; i < weights.tensors().size(); ++i) {
            TensorInfo info = weights.tensors()[i];
            info.type = StorageType::f32;
            auto& values = numbers.emplace_back(static_cast<size_t>(elementCount(info.shape).value_or(0)));
            if (weights.readRows(i, 0, info.shape.front(), values))
                tensors.push_back({ info, std::as_bytes(std::span(values)) });
        }
    }

    std::vector<std::vector<float>> numbers;
    std::vector<TensorToWrite> tensors;
};

} // namespace

class TestModelFolder : public QObject {
    Q_OBJECT

private slots:
    void folderIsCopied();
    void textPartGetsItsOwnConfig();
    void configSaysHowWeightsAreHeld_data();
    void configSaysHowWeightsAreHeld();
    void ggufGetsAConfig_data();
    void ggufGetsAConfig();
    void failureLeavesNothing();
};

void TestModelFolder::folderIsCopied()
{
    const auto model = openModelFiles(modelData("llama"));
    VERIFY_OK(model);
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "new";
    const LoadedModel loaded(*model->weights);
    const auto notices = writeModelFolder(path, modelData("llama"), loaded.tensors);
    VERIFY_OK(notices);
    QVERIFY(notices->empty());
    for (const char* name : { "config.json", "generation_config.json", "model.safetensors" })
        QCOMPARE(readBytes(path / name), readBytes(modelData("llama") / name));
}

/// The folder of a model that sees images becomes that of the part that was trained.
void TestModelFolder::textPartGetsItsOwnConfig()
{
    const auto model = openModelFiles(modelData("gemma3_images"));
    VERIFY_OK(model);
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "new";
    VERIFY_OK(writeModelFolder(path, modelData("gemma3_images"), LoadedModel(*model->weights).tensors));
    const auto config = readJson(path / "config.json");
    QCOMPARE(config.at("model_type").get<std::string>(), std::string("gemma3_text"));
    QCOMPARE(config.at("architectures").at(0).get<std::string>(), std::string("Gemma3ForCausalLM"));
    const auto again = openModelFiles(path);
    VERIFY_OK(again);
    QVERIFY(again->spec == model->spec);
}

void TestModelFolder::configSaysHowWeightsAreHeld_data()
{
    QTest::addColumn<QString>("key");
    QTest::newRow("now") << "dtype";
    QTest::newRow("before transformers 5") << "torch_dtype";
}

void TestModelFolder::configSaysHowWeightsAreHeld()
{
    QFETCH(QString, key);
    QTemporaryDir folder;
    const fs::path root = folder.path().toStdString();
    fs::copy(modelData("llama"), root / "half");
    auto config = readJson(root / "half" / "config.json");
    config.erase("dtype");
    config[key.toStdString()] = "bfloat16";
    writeBytes(root / "half" / "config.json", QByteArray::fromStdString(config.dump()));
    const auto model = openModelFiles(root / "half");
    VERIFY_OK(model);
    VERIFY_OK(writeModelFolder(root / "new", root / "half", LoadedModel(*model->weights).tensors));
    config[key.toStdString()] = "float32";
    QVERIFY(readJson(root / "new" / "config.json") == config);
}

void TestModelFolder::ggufGetsAConfig_data()
{
    QTest::addColumn<QString>("file");
    for (const char* file : { "qwen2.gguf", "gemma.gguf", "gemma2.gguf", "gemma3.gguf", "phi3.gguf", "yarn.gguf" })
        QTest::newRow(file) << file;
}

void TestModelFolder::ggufGetsAConfig()
{
    QFETCH(QString, file);
    const auto model = openModelFiles(modelData(file.toStdString()));
    VERIFY_OK(model);
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "new";
    const LoadedModel loaded(*model->weights);
    const auto notices = writeModelFolder(path, modelData(file.toStdString()), loaded.tensors);
    VERIFY_OK(notices);
    QCOMPARE(notices->size(), size_t { 1 });
    QCOMPARE(readJson(path / "config.json").at("eos_token_id").get<int>(), 2);
    const auto again = openModelFiles(path);
    VERIFY_OK(again);
    QVERIFY(again->spec == model->spec);
    QVERIFY(LoadedModel(*again->weights).numbers == loaded.numbers);
}

void TestModelFolder::failureLeavesNothing()
{
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "new";
    const std::vector<std::byte> bytes(4);
    const std::vector wrong { TensorToWrite { { "a", StorageType::f32, { 2 } }, bytes } };
    QVERIFY(!writeModelFolder(path, modelData("llama"), wrong));
    QVERIFY(!writeModelFolder(path, "/nowhere/model.gguf", {}));
    QVERIFY(QDir(folder.path()).isEmpty());
}

QTEST_GUILESS_MAIN(TestModelFolder)
#include "tst_model_folder.moc"
