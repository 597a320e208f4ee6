#include "core/model/model_files.h"
#include "core/model/safetensors.h"
#include "model_test_files.h"

#include <QTemporaryDir>
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tunebench;
namespace fs = std::filesystem;
using nlohmann::json;

namespace {

/// A copy of a fixed model that a test may spoil.
class ModelCopy {
public:
    explicit ModelCopy(const std::string& name)
        : path(fs::path(m_folder.path().toStdString()) / name)
    {
        fs::copy(modelData(name), path, fs::copy_options::recursive);
    }

private:
    QTemporaryDir m_folder;

public:
    fs::path path;
};

std::vector<float> allRows(const WeightSource& weights, size_t tensor)
{
    const auto& shape = weights.tensors()[tensor].shape;
    std::vector<float> values(static_cast<size_t>(elementCount(shape).value_or(0)));
    if (!weights.readRows(tensor, 0, shape.front(), values))
        values.clear();
    return values;
}

/// Tensors of a file that a test changes before it writes them again.
std::map<std::string, std::pair<TensorInfo, std::vector<std::byte>>> loadTensors(const fs::path& path)
{
    std::map<std::string, std::pair<TensorInfo, std::vector<std::byte>>> tensors;
    const auto file = SafetensorsFile::open(path);
    for (size_t i = 0; file && i < file->tensors().size(); ++i) {
        const auto bytes = file->bytes(i);
        tensors[file->tensors()[i].name] = { file->tensors()[i], { bytes.begin(), bytes.end() } };
    }
    return tensors;
}

template <class Tensors> void storeTensors(const fs::path& path, const Tensors& tensors)
{
    std::vector<TensorToWrite> list;
    for (const auto& [name, tensor] : tensors) {
        list.push_back({ tensor.first, tensor.second });
        list.back().info.name = name;
    }
    VERIFY_OK(writeSafetensors(path, list));
}

void changeConfig(const fs::path& folder, const char* key, const json& value)
{
    json config = readJson(folder / "config.json");
    config[key] = value;
    writeBytes(folder / "config.json", QByteArray::fromStdString(config.dump()));
}

} // namespace

class TestModelFiles : public QObject {
    Q_OBJECT

private slots:
    void folderAndGgufAgree_data();
    void folderAndGgufAgree();
    void rowsInSlices();
    void readsOutsideAreRefused();
    void namesWithoutModelPrefix();
    void textPartOfALargerModel();
    void tiedHeadMayBeThere();
    void inverseFrequenciesAreLeftOut();
    void onlyFileOfAnotherName();
    void refusesFolder_data();
    void refusesFolder();
    void refusesTensors_data();
    void refusesTensors();
    void refusesIndex_data();
    void refusesIndex();
    void refusesPaths();
    void names_data();
    void names();
    void fingerprints();
};

void TestModelFiles::folderAndGgufAgree_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("llama, one file, reordered in GGUF") << "llama";
    QTest::newRow("qwen2, shards, biases, own head") << "qwen2";
    QTest::newRow("qwen3, norms of q and k, own head size") << "qwen3";
    QTest::newRow("gemma, norms of 1 + weight") << "gemma";
    QTest::newRow("gemma2, four norms, soft caps, windows") << "gemma2";
    QTest::newRow("gemma3, two ropes") << "gemma3";
    QTest::newRow("phi3, fused projections, longrope of a part of each head") << "phi3";
    QTest::newRow("yarn") << "yarn";
}

void TestModelFiles::folderAndGgufAgree()
{
    QFETCH(QString, name);
    const auto folder = openModelFiles(modelData(name.toStdString()));
    const auto gguf = openModelFiles(modelData(name.toStdString() + ".gguf"));
    VERIFY_OK(folder);
    VERIFY_OK(gguf);
    // The converter's float32 keeps only some digits of epsilon, and of the bounds of llama3 only what the factors
    // show.
    QVERIFY(std::abs(gguf->spec.normEpsilon - folder->spec.normEpsilon) < 1e-12);
    const auto divisors = ropeDivisors(folder->spec.rope, folder->spec.headSize);
    const auto found = ropeDivisors(gguf->spec.rope, gguf->spec.headSize);
    for (size_t i = 0; i < divisors.size(); ++i)
        QVERIFY(std::abs(divisors[i] - found[i]) < 1e-6 * divisors[i]);
    ModelSpec spec = gguf->spec;
    spec.normEpsilon = folder->spec.normEpsilon;
    QVERIFY(std::abs(spec.rope.attentionFactor - folder->spec.rope.attentionFactor) < 1e-6);
    spec.rope = folder->spec.rope;
    QVERIFY(spec == folder->spec);

    const auto needed = neededTensors(spec);
    QCOMPARE(folder->weights->tensors().size(), needed.size());
    for (size_t i = 0; i < needed.size(); ++i) {
        QCOMPARE(folder->weights->tensors()[i].name, needed[i].name);
        QCOMPARE(gguf->weights->find(needed[i].name), static_cast<int64_t>(i));
        const auto values = allRows(*folder->weights, i);
        QVERIFY(!values.empty());
        const auto stored = allRows(*gguf->weights, i);
        if (spec.normAddsOne && needed[i].name.ends_with("norm.weight")) // 1 + weight has lost a few digits
            QVERIFY(std::ranges::equal(values, stored, [](float a, float b) { return std::abs(a - b) < 2e-7F; }));
        else
            QVERIFY2(values == stored, needed[i].name.c_str());
    }
    QCOMPARE(folder->weights->find("no.such.tensor"), -1);
}

void TestModelFiles::rowsInSlices()
{
    const auto model = openModelFiles(modelData("llama.gguf"));
    VERIFY_OK(model);
    const auto index = static_cast<size_t>(model->weights->find("model.layers.0.self_attn.q_proj.weight"));
    const auto whole = allRows(*model->weights, index);
    std::vector<float> slice(5 * 32);
    VERIFY_OK(model->weights->readRows(index, 6, 5, slice));
    QVERIFY(std::equal(slice.begin(), slice.end(), whole.begin() + 6 * 32));
    VERIFY_OK(model->weights->readRows(index, 32, 0, {}));
    const auto norm = static_cast<size_t>(model->weights->find("model.norm.weight"));
    std::vector<float> two(2);
    VERIFY_OK(model->weights->readRows(norm, 30, 2, two));
}

void TestModelFiles::readsOutsideAreRefused()
{
    const auto model = openModelFiles(modelData("llama"));
    VERIFY_OK(model);
    std::vector<float> row(32);
    QVERIFY(!model->weights->readRows(0, 40, 1, row));
    QVERIFY(!model->weights->readRows(0, -1, 1, row));
    QVERIFY(!model->weights->readRows(0, 1, INT64_MAX, row));
    QVERIFY(!model->weights->readRows(0, 0, 2, row));
}

void TestModelFiles::namesWithoutModelPrefix()
{
    const ModelCopy copy("llama");
    std::map<std::string, std::pair<TensorInfo, std::vector<std::byte>>> bare;
    for (const auto& [name, tensor] : loadTensors(copy.path / "model.safetensors"))
        bare[name.substr(6)] = tensor;
    storeTensors(copy.path / "model.safetensors", bare);
    const auto model = openModelFiles(copy.path);
    VERIFY_OK(model);
    QCOMPARE(model->weights->tensors().front().name, std::string("model.embed_tokens.weight"));
}

/// What sees images is left aside, whether transformers 4 or 5 named the tensors.
void TestModelFiles::textPartOfALargerModel()
{
    const ModelCopy copy("gemma3_images");
    const json sums = readJson(copy.path / "sums.json");
    std::map<std::string, std::pair<TensorInfo, std::vector<std::byte>>> renamed;
    for (const auto& [name, tensor] : loadTensors(copy.path / "model.safetensors"))
        renamed[name.starts_with("language_model.") ? "model." + std::string(name).replace(15, 6, "") : "model." + name]
            = tensor;
    for (const bool newNames : { false, true }) {
        if (newNames)
            storeTensors(copy.path / "model.safetensors", renamed);
        const auto model = openModelFiles(copy.path);
        VERIFY_OK(model);
        QCOMPARE(model->spec.family, std::string("gemma3_text"));
        QCOMPARE(model->weights->tensors().size(), sums.size());
        for (size_t i = 0; i < sums.size(); ++i) {
            const auto values = allRows(*model->weights, i);
            const double sum = std::accumulate(values.begin(), values.end(), 0.0);
            QVERIFY(std::abs(sum - sums.at(model->weights->tensors()[i].name).get<double>()) < 1e-6);
        }
    }
}

void TestModelFiles::tiedHeadMayBeThere()
{
    const ModelCopy copy("llama");
    auto tensors = loadTensors(copy.path / "model.safetensors");
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"];
    storeTensors(copy.path / "model.safetensors", tensors);
    const auto model = openModelFiles(copy.path);
    VERIFY_OK(model);
    QCOMPARE(model->weights->find("lm_head.weight"), -1);

    tensors["lm_head.weight"].second[5] ^= std::byte { 1 };
    storeTensors(copy.path / "model.safetensors", tensors);
    VERIFY_REFUSED(openModelFiles(copy.path), "tie_word_embeddings");
    changeConfig(copy.path, "tie_word_embeddings", false);
    VERIFY_OK(openModelFiles(copy.path));
}

void TestModelFiles::inverseFrequenciesAreLeftOut()
{
    const ModelCopy copy("llama");
    auto tensors = loadTensors(copy.path / "model.safetensors");
    tensors["model.layers.0.self_attn.rotary_emb.inv_freq"]
        = { { "", StorageType::f32, { 1 } }, std::vector<std::byte>(4) };
    storeTensors(copy.path / "model.safetensors", tensors);
    VERIFY_OK(openModelFiles(copy.path));
}

void TestModelFiles::onlyFileOfAnotherName()
{
    const ModelCopy copy("llama");
    fs::rename(copy.path / "model.safetensors", copy.path / "weights.safetensors");
    VERIFY_OK(openModelFiles(copy.path));
    fs::copy(copy.path / "weights.safetensors", copy.path / "more.safetensors");
    VERIFY_REFUSED(openModelFiles(copy.path), "several .safetensors files");
}

void TestModelFiles::refusesFolder_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QByteArray>("content"); // null: the file is removed
    QTest::addColumn<QString>("reason");
    const QByteArray pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 42\n";
    QTest::newRow("no config") << "config.json" << QByteArray() << "has no config.json";
    QTest::newRow("empty config") << "config.json" << QByteArray("") << "0 bytes";
    QTest::newRow("cut config") << "config.json" << QByteArray("{\"model_type\"") << "not a JSON object";
    QTest::newRow("deep config") << "config.json" << QByteArray("[").repeated(1000000) << "not a JSON object";
    QTest::newRow("config is a pointer") << "config.json" << pointer << "Git LFS pointer of";
    QTest::newRow("config is a list") << "config.json" << QByteArray("[]") << "not a JSON object";
    QTest::newRow("no weights") << "model.safetensors" << QByteArray() << "has no weights";
    QTest::newRow("weights are a pointer") << "model.safetensors" << pointer << "(42 bytes)";
    QTest::newRow("empty weights") << "model.safetensors" << QByteArray("") << "0 bytes";
}

void TestModelFiles::refusesFolder()
{
    QFETCH(QString, file);
    QFETCH(QByteArray, content);
    QFETCH(QString, reason);
    const ModelCopy copy("llama");
    if (content.isNull())
        fs::remove(copy.path / file.toStdString());
    else
        writeBytes(copy.path / file.toStdString(), content);
    VERIFY_REFUSED(openModelFiles(copy.path), reason);
}

void TestModelFiles::refusesTensors_data()
{
    QTest::addColumn<QString>("tensor");
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("reason");
    const char* query = "model.layers.0.self_attn.q_proj.weight";
    QTest::newRow("missing") << query << "remove"
                             << "lacks 1 of the tensors of this model: model.layers.0.self_attn.q_proj";
    QTest::newRow("extra") << "model.layers.0.self_attn.q_norm.weight"
                           << "add"
                           << "1 tensors that a llama model";
    QTest::newRow("layer too many") << "model.layers.1.mlp.up_proj.weight"
                                    << "add"
                                    << "model.layers.1.mlp.up_proj";
    QTest::newRow("shape") << query << "reshape"
                           << "with the shape [16, 64], but its config asks for [32, 32]";
    QTest::newRow("whole numbers") << query << "integers"
                                   << "as I32";
}

void TestModelFiles::refusesTensors()
{
    QFETCH(QString, tensor);
    QFETCH(QString, change);
    QFETCH(QString, reason);
    const ModelCopy copy("llama");
    auto tensors = loadTensors(copy.path / "model.safetensors");
    const std::string name = tensor.toStdString();
    if (change == "remove")
        tensors.erase(name);
    else if (change == "add")
        tensors[name] = tensors["model.norm.weight"];
    else if (change == "reshape")
        tensors[name].first.shape = { 16, 64 };
    else
        tensors[name].first.type = StorageType::i32;
    storeTensors(copy.path / "model.safetensors", tensors);
    VERIFY_REFUSED(openModelFiles(copy.path), reason);
}

void TestModelFiles::refusesIndex_data()
{
    QTest::addColumn<QString>("change");
    QTest::addColumn<QString>("reason");
    QTest::newRow("missing shards") << "shards"
                                    << "model-00001-of-00003.safetensors, model-00003-of-00003.safetensors; download";
    QTest::newRow("maps a part") << "part"
                                 << "lacks 1 of the tensors of this model: lm_head.weight";
    QTest::newRow("maps to the wrong shard") << "wrong"
                                             << "but it does not";
    QTest::newRow("leaves the folder") << "outside"
                                       << "no file of this folder";
    QTest::newRow("no map") << "nothing"
                            << "weight_map";
    QTest::newRow("names no file") << "number"
                                   << "no file of this folder";
}

void TestModelFiles::refusesIndex()
{
    QFETCH(QString, change);
    QFETCH(QString, reason);
    const ModelCopy copy("qwen2");
    const fs::path path = copy.path / "model.safetensors.index.json";
    json index = readJson(path);
    auto& head = index["weight_map"]["lm_head.weight"];
    if (change == "shards") {
        fs::remove(copy.path / "model-00001-of-00003.safetensors");
        fs::remove(copy.path / "model-00003-of-00003.safetensors");
    } else if (change == "part") {
        index["weight_map"].erase("lm_head.weight");
    } else if (change == "wrong") {
        head = "model-00001-of-00003.safetensors";
    } else if (change == "outside") {
        head = "../model-00003-of-00003.safetensors";
    } else if (change == "number") {
        head = 3;
    } else {
        index.erase("weight_map");
    }
    writeBytes(path, QByteArray::fromStdString(index.dump()));
    VERIFY_REFUSED(openModelFiles(copy.path), reason);
}

void TestModelFiles::refusesPaths()
{
    VERIFY_REFUSED(openModelFiles("/nowhere/model"), "no such file or folder");
    VERIFY_REFUSED(openModelFiles("/nowhere/model.gguf"), "no such file or folder");
    VERIFY_REFUSED(openModelFiles(modelData("llama") / "model.safetensors"), "choose the folder");
    VERIFY_REFUSED(readModelSpec(modelData("adapter")), "PEFT adapter");
    VERIFY_REFUSED(readModelSpec(modelData("")), ".gguf, choose that file itself");
    const ModelCopy copy("llama");
    fs::rename(copy.path / "model.safetensors", copy.path / "pytorch_model.bin");
    VERIFY_REFUSED(openModelFiles(copy.path), "pytorch_model.bin");
}

void TestModelFiles::names_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("name");
    QTest::newRow("folder") << "/home/me/models/my model"
                            << "my model";
    QTest::newRow("folder with a slash") << "/home/me/models/mine/"
                                         << "mine";
    QTest::newRow("gguf") << "/home/me/SmolLM2.Q4_1.gguf"
                          << "SmolLM2.Q4_1";
    QTest::newRow("hub cache") << "/c/hub/models--meta-llama--Llama-3.2-1B/snapshots/0123"
                               << "meta-llama/Llama-3.2-1B";
    QTest::newRow("hub cache without organisation") << "/c/hub/models--gpt2/snapshots/0123"
                                                    << "gpt2";
}

void TestModelFiles::names()
{
    QFETCH(QString, path);
    QFETCH(QString, name);
    QCOMPARE(QString::fromStdString(modelName(path.toStdString())), name);
    const ModelCopy copy("llama");
    changeConfig(copy.path, "_name_or_path", "Qwen/Qwen2.5-0.5B");
    QCOMPARE(modelName(copy.path), std::string("Qwen/Qwen2.5-0.5B"));
    for (const char* local : { "C:\\models\\m", "/home/me/m", "./m", "a/b/c", "" }) {
        changeConfig(copy.path, "_name_or_path", local);
        QCOMPARE(modelName(copy.path), std::string("llama"));
    }
}

void TestModelFiles::fingerprints()
{
    const ModelCopy copy("llama");
    const auto fingerprint = [&] { return openModelFiles(copy.path).value().fingerprint(); };
    const std::string before = fingerprint();
    QCOMPARE(before, openModelFiles(modelData("llama"))->fingerprint());
    changeConfig(copy.path, "rms_norm_eps", 1e-5);
    const std::string otherConfig = fingerprint();
    QVERIFY(otherConfig != before);
    auto tensors = loadTensors(copy.path / "model.safetensors");
    tensors["model.norm.weight"].second[0] ^= std::byte { 1 };
    storeTensors(copy.path / "model.safetensors", tensors);
    QVERIFY(fingerprint() != otherConfig);
}

QTEST_GUILESS_MAIN(TestModelFiles)
#include "tst_model_files.moc"
