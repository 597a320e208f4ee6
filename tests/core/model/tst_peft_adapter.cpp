#include "core/model/model_files.h"
#include "core/model/peft_adapter.h"
#include "core/model/safetensors.h"
#include "model_test_files.h"

#include <QTemporaryDir>
#include <csignal>
#include <list>
#include <sys/resource.h>

using namespace tunebench;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// The adapter with its numbers, ready to be written.
struct LoadedAdapter {
    explicit LoadedAdapter(const PeftAdapter& adapter)
        : written { adapter, {} }
    {
        written.baseModelName = "organisation/model";
        const auto add = [&](const std::string& name, size_t index) {
            const auto& shape = adapter.file->tensors()[index].shape;
            auto& values = numbers.emplace_back(static_cast<size_t>(elementCount(shape).value()));
            adapter.read(index, values);
            written.tensors.push_back({ name, shape, values });
        };
        for (const auto& pair : adapter.tensors) {
            add(pair.module + ".lora_A.weight", pair.fileIndexA);
            add(pair.module + ".lora_B.weight", pair.fileIndexB);
            if (pair.fileIndexMagnitude)
                add(pair.module + ".lora_magnitude_vector", *pair.fileIndexMagnitude);
        }
        for (const auto& [name, index] : adapter.whole)
            add(name, index);
    }

    std::list<std::vector<float>> numbers;
    AdapterToWrite written;
};

} // namespace

class TestPeftAdapter : public QObject {
    Q_OBJECT

private slots:
    void init();
    void readsWhatPeftWrites();
    void writesWhatPeftReads();
    void allLinearIsSpelledOut();
    void fractionalAlpha();
    void rankStabilisedScale();
    void namesWithDefault();
    void everyKindComesBack_data();
    void everyKindComesBack();
    void refusesWholeModules_data();
    void refusesWholeModules();
    void refusesConfig_data();
    void refusesConfig();
    void refusesTensors_data();
    void refusesTensors();
    void refusesMissingFiles();
    void holdsAgainstTheModel();
    void replacesAFolder();
    void fullDiskLeavesNothing();

private:
    fs::path copyOfAdapter() const
    {
        const fs::path copy = m_path / "adapter";
        fs::copy(modelData("adapter"), copy);
        return copy;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_path;
};

void TestPeftAdapter::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_path = m_folder->path().toStdString();
}

void TestPeftAdapter::readsWhatPeftWrites()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    QCOMPARE(adapter->rank, 4);
    QCOMPARE(adapter->alpha, 8.0);
    auto targets = adapter->targets;
    std::ranges::sort(targets);
    QCOMPARE(targets, (std::vector<std::string> { "down_proj", "q_proj" }));
    QCOMPARE(adapter->tensors.size(), size_t { 2 });
    QCOMPARE(adapter->tensors[0].module, std::string("model.layers.0.mlp.down_proj"));
    QCOMPARE(adapter->tensors[0].inputs, 64);
    QCOMPARE(adapter->tensors[0].outputs, 32);
    const auto spec = readModelSpec(modelData("llama"));
    VERIFY_OK(spec);
    VERIFY_OK(checkPeftAdapter(*adapter, *spec));
}

void TestPeftAdapter::writesWhatPeftReads()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    const LoadedAdapter loaded(*adapter);
    VERIFY_OK(writePeftAdapter(m_path / "runs" / "new", loaded.written));
    QCOMPARE(readBytes(m_path / "runs/new/adapter_model.safetensors"),
        readBytes(modelData("adapter") / "adapter_model.safetensors"));
    const json ours = readJson(m_path / "runs/new/adapter_config.json");
    json theirs = readJson(modelData("adapter") / "adapter_config.json");
    std::sort(theirs["target_modules"].begin(), theirs["target_modules"].end());
    for (const auto& [key, value] : ours.items()) {
        if (key != "base_model_name_or_path" && key != "init_lora_weights" && key != "layers_pattern")
            QVERIFY2(theirs.contains(key) && theirs[key] == value, key.c_str());
    }
    QCOMPARE(ours["base_model_name_or_path"].get<std::string>(), std::string("organisation/model"));
    QCOMPARE(QDir(QString::fromStdString((m_path / "runs").string()))
                 .entryList(QDir::AllEntries | QDir::NoDotAndDotDot)
                 .size(),
        1);
}

void TestPeftAdapter::allLinearIsSpelledOut()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    LoadedAdapter loaded(*adapter);
    loaded.written.targets = { "all-linear" };
    VERIFY_OK(writePeftAdapter(m_path / "new", loaded.written));
    QCOMPARE(openPeftAdapter(m_path / "new")->targets, (std::vector<std::string> { "down_proj", "q_proj" }));
}

void TestPeftAdapter::fractionalAlpha()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    LoadedAdapter loaded(*adapter);
    loaded.written.alpha = 0.1;
    VERIFY_OK(writePeftAdapter(m_path / "new", loaded.written));
    QCOMPARE(openPeftAdapter(m_path / "new")->alpha, 0.1);
}

void TestPeftAdapter::rankStabilisedScale()
{
    const fs::path given = copyOfAdapter();
    json config = readJson(given / "adapter_config.json");
    config["use_rslora"] = true;
    writeBytes(given / "adapter_config.json", QByteArray::fromStdString(config.dump()));
    const auto adapter = openPeftAdapter(given);
    VERIFY_OK(adapter);
    QVERIFY(adapter->rslora);
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / "again";
    VERIFY_OK(writePeftAdapter(path, LoadedAdapter(*adapter).written));
    QVERIFY(readJson(path / "adapter_config.json").at("use_rslora") == true);
}

void TestPeftAdapter::namesWithDefault()
{
    const fs::path copy = copyOfAdapter();
    const auto file = SafetensorsFile::open(copy / "adapter_model.safetensors");
    VERIFY_OK(file);
    std::vector<TensorToWrite> tensors;
    for (size_t i = 0; i < file->tensors().size(); ++i) {
        TensorInfo info = file->tensors()[i];
        info.name.insert(info.name.rfind(".weight"), ".default");
        tensors.push_back({ info, file->bytes(i) });
    }
    VERIFY_OK(writeSafetensors(copy / "adapter_model.safetensors", tensors));
    const auto adapter = openPeftAdapter(copy);
    VERIFY_OK(adapter);
    QCOMPARE(adapter->tensors[0].module, std::string("model.layers.0.mlp.down_proj"));
}

void TestPeftAdapter::everyKindComesBack_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<QString>("kind");
    for (const char* family : { "llama", "qwen2" }) {
        for (const char* kind : { "dora", "whole" })
            QTest::addRow("%s %s", family, kind) << family << kind;
    }
}

/// Adapters as PEFT saves them fit their model, and are written with the same names and numbers.
void TestPeftAdapter::everyKindComesBack()
{
    QFETCH(QString, family);
    QFETCH(QString, kind);
    const fs::path data = fs::path(TUNEBENCH_TEST_DATA) / "train";
    const auto adapter = openPeftAdapter(data / (family + "_" + kind + "_adapter").toStdString());
    VERIFY_OK(adapter);
    const auto spec = readModelSpec(data / family.toStdString());
    VERIFY_OK(spec);
    VERIFY_OK(checkPeftAdapter(*adapter, *spec));
    QCOMPARE(adapter->dora, kind == "dora");
    QCOMPARE(adapter->modulesToSave.empty(), kind == "dora");
    VERIFY_OK(writePeftAdapter(m_path / "new", LoadedAdapter(*adapter).written));
    const auto again = openPeftAdapter(m_path / "new");
    VERIFY_OK(again);
    QCOMPARE(again->dora, adapter->dora);
    QCOMPARE(again->rslora, adapter->rslora);
    QCOMPARE(again->modulesToSave, adapter->modulesToSave);
    QCOMPARE(again->file->tensors().size(), adapter->file->tensors().size());
    for (size_t i = 0; i < adapter->file->tensors().size(); ++i) {
        const auto found = std::ranges::find(
            again->file->tensors(), adapter->file->tensors()[i].name, [](const TensorInfo& info) { return info.name; });
        QVERIFY(found != again->file->tensors().end());
        const auto index = static_cast<size_t>(found - again->file->tensors().begin());
        QVERIFY(std::ranges::equal(again->file->bytes(index), adapter->file->bytes(i)));
    }
}

void TestPeftAdapter::refusesWholeModules_data()
{
    QTest::addColumn<QString>("change"); // merged into the config
    QTest::addColumn<QString>("reason");
    QTest::newRow("more than there is") << R"({"modules_to_save": ["embed_tokens", "norm", "lm_head"]})"
                                        << "no tensor for it";
    QTest::newRow("less than there is") << R"({"modules_to_save": ["norm"]})"
                                        << "modules_to_save, or is there twice";
    QTest::newRow("tied") << R"({"ensure_weight_tying": true})"
                          << "ensure_weight_tying";
}

void TestPeftAdapter::refusesWholeModules()
{
    QFETCH(QString, change);
    QFETCH(QString, reason);
    const fs::path data = fs::path(TUNEBENCH_TEST_DATA) / "train";
    const fs::path copy = m_path / "adapter";
    fs::copy(data / "llama_whole_adapter", copy);
    json config = readJson(copy / "adapter_config.json");
    config.update(json::parse(change.toStdString()));
    writeBytes(copy / "adapter_config.json", QByteArray::fromStdString(config.dump()));
    const auto checked = openPeftAdapter(copy).and_then(
        [&](const PeftAdapter& adapter) { return checkPeftAdapter(adapter, readModelSpec(data / "llama").value()); });
    VERIFY_REFUSED(checked, reason);
}

void TestPeftAdapter::refusesConfig_data()
{
    QTest::addColumn<QString>("change"); // merged into the config
    QTest::addColumn<QString>("reason");
    const auto row
        = [](const char* change, const char* reason) { QTest::newRow(change) << QString(change) << QString(reason); };
    row(R"({"use_rslora": 1})", "use_rslora");
    row(R"({"use_dora": true})", "no magnitude");
    row(R"({"use_dora": "yes"})", "use_dora that is neither");
    row(R"({"lora_dropout": 1})", "lora_dropout");
    row(R"({"lora_dropout": "0.1"})", "lora_dropout");
    row(R"({"modules_to_save": "lm_head"})", "modules_to_save that is no list");
    row(R"({"modules_to_save": [1]})", "modules_to_save that is no list");
    row(R"({"rank_pattern": {"q_proj": 2}})", "rank_pattern");
    row(R"({"alpha_pattern": {"q_proj": 2}})", "alpha_pattern");
    row(R"({"bias": "lora_only"})", "sets bias to \"lora_only\"");
    row(R"({"fan_in_fan_out": true})", "fan_in_fan_out");
    row(R"({"layers_to_transform": [0]})", "layers_to_transform");
    row(R"({"layers_to_transform": 3})", "layers_to_transform");
    row(R"({"lora_bias": true})", "lora_bias");
    row(R"({"target_parameters": ["x"]})", "target_parameters");
    row(R"({"init_lora_weights": "pissa"})", "pissa");
    row(R"({"target_modules": ".*q_proj"})", "pattern \".*q_proj\"");
    row(R"({"target_modules": []})", "target_modules");
    row(R"({"target_modules": [3]})", "target_modules");
    row(R"({"target_modules": null})", "target_modules");
    row(R"({"peft_type": "IA3"})", "IA3");
    row(R"({"r": 0})", "no usable r");
    row(R"({"r": "4"})", "no usable r");
    row(R"({"r": 1e30})", "no usable r");
    row(R"({"lora_alpha": -1})", "lora_alpha");
}

void TestPeftAdapter::refusesConfig()
{
    QFETCH(QString, change);
    QFETCH(QString, reason);
    const fs::path copy = copyOfAdapter();
    json config = readJson(copy / "adapter_config.json");
    config.update(json::parse(change.toStdString()));
    writeBytes(copy / "adapter_config.json", QByteArray::fromStdString(config.dump()));
    VERIFY_REFUSED(openPeftAdapter(copy), reason);
}

void TestPeftAdapter::refusesTensors_data()
{
    QTest::addColumn<QString>("from"); // in the name of the lora_A of down_proj
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("reason");
    QTest::newRow("prefix") << "base_model.model."
                            << ""
                            << "no lora_A or lora_B";
    QTest::newRow("whole module") << "lora_A.weight"
                                  << "weight"
                                  << "no lora_A or lora_B";
    QTest::newRow("other adapter") << "lora_A.weight"
                                   << "lora_A.second.weight"
                                   << "no lora_A or lora_B";
    QTest::newRow("magnitude") << "lora_A.weight"
                               << "lora_magnitude_vector"
                               << "one half of the pair";
    QTest::newRow("no module") << "model.layers.0.mlp.down_proj.lora_A"
                               << "lora_A"
                               << "no lora_A or lora_B";
    QTest::newRow("half a pair") << "down_proj"
                                 << "up_proj"
                                 << "one half of the pair";
    QTest::newRow("two of the same half") << "lora_A.weight"
                                          << "lora_B.default.weight"
                                          << "is there twice";
}

void TestPeftAdapter::refusesTensors()
{
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, reason);
    const fs::path copy = copyOfAdapter();
    {
        const auto file = SafetensorsFile::open(copy / "adapter_model.safetensors");
        VERIFY_OK(file);
        std::vector<TensorToWrite> tensors;
        for (size_t i = 0; i < file->tensors().size(); ++i) {
            TensorInfo info = file->tensors()[i];
            if (info.name.find("down_proj.lora_A") != std::string::npos)
                info.name = QString::fromStdString(info.name).replace(from, to).toStdString();
            tensors.push_back({ info, file->bytes(i) });
        }
        VERIFY_OK(writeSafetensors(copy / "adapter_model.safetensors", tensors));
    }
    VERIFY_REFUSED(openPeftAdapter(copy), reason);
}

void TestPeftAdapter::refusesMissingFiles()
{
    VERIFY_REFUSED(openPeftAdapter("/nowhere"), "adapter_config.json");
    const fs::path copy = copyOfAdapter();
    writeBytes(copy / "adapter_model.safetensors", "");
    VERIFY_REFUSED(openPeftAdapter(copy), "0 bytes");
    fs::remove(copy / "adapter_model.safetensors");
    VERIFY_REFUSED(openPeftAdapter(copy), "adapter_model.safetensors");
    writeBytes(copy / "adapter_config.json", QByteArray(1000000, '['));
    VERIFY_REFUSED(openPeftAdapter(copy), "not a JSON object");
}

void TestPeftAdapter::holdsAgainstTheModel()
{
    auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    auto spec = readModelSpec(modelData("llama"));
    VERIFY_OK(spec);
    ModelSpec wide = *spec;
    wide.intermediateSize = 128;
    VERIFY_REFUSED(checkPeftAdapter(*adapter, wide), "shape [32, 64], but the model's has [32, 128]");
    ModelSpec deep = *spec;
    deep.layers = 2;
    VERIFY_REFUSED(checkPeftAdapter(*adapter, deep), "model.layers.1");
    adapter->targets = { "mlp.down_proj" };
    VERIFY_OK(checkPeftAdapter(*adapter, *spec));
    adapter->targets = { "all-linear" };
    VERIFY_REFUSED(checkPeftAdapter(*adapter, *spec), "no tensors for it");
    adapter->tensors[0].module = "model.layers.0.mlp.other";
    VERIFY_REFUSED(checkPeftAdapter(*adapter, *spec), "no such projection");
}

void TestPeftAdapter::replacesAFolder()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    const fs::path copy = copyOfAdapter();
    writeBytes(copy / "left over", "from before");
    VERIFY_OK(writePeftAdapter(copy, LoadedAdapter(*adapter).written));
    QVERIFY(!fs::exists(copy / "left over"));
    VERIFY_OK(openPeftAdapter(copy));
}

void TestPeftAdapter::fullDiskLeavesNothing()
{
    const auto adapter = openPeftAdapter(modelData("adapter"));
    VERIFY_OK(adapter);
    const LoadedAdapter loaded(*adapter);
    rlimit before {};
    getrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small { 1024, before.rlim_max };
    setrlimit(RLIMIT_FSIZE, &small);
    const auto written = writePeftAdapter(m_path / "new", loaded.written);
    setrlimit(RLIMIT_FSIZE, &before);
    QVERIFY(!written);
    QVERIFY(written.error().fault == Fault::work);
    QVERIFY(QDir(m_folder->path()).isEmpty());
}

QTEST_GUILESS_MAIN(TestPeftAdapter)
#include "tst_peft_adapter.moc"
