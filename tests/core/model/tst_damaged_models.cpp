#include "core/model/model_files.h"
#include "core/model/peft_adapter.h"
#include "model_test_files.h"

#include <QTemporaryDir>
#include <random>

using namespace tunebench;
namespace fs = std::filesystem;

/// Files with random damage must give a model or a sentence: no crash, no hang, no absurd memory. Run with sanitizers
/// (preset asan) and with TUNEBENCH_FUZZ_ROUNDS set, this is a small fuzzer; the seed is fixed.
class TestDamagedModels : public QObject {
    Q_OBJECT

private slots:
    void damage_data();
    void damage();

private:
    static QByteArray damaged(QByteArray bytes, qsizetype header, std::mt19937& random)
    {
        const auto below
            = [&random](qsizetype end) { return static_cast<qsizetype>(random() % static_cast<uint64_t>(end)); };
        constexpr std::array<char, 8> telling { '\0', '\xff', '\x7f', '\x80', '"', '{', '9', '-' };
        if (random() % 4 == 0)
            bytes.truncate(below(bytes.size()));
        for (auto changes = 1 + random() % 4; changes > 0 && !bytes.isEmpty(); --changes) {
            const qsizetype at = below(std::min(header, bytes.size()));
            switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
                break;
            case 1:
                bytes[at] = telling[random() % telling.size()];
                break;
            case 2:
                bytes.remove(at, 1 + below(8));
                break;
            default:
                bytes.insert(at, bytes.mid(below(bytes.size()), 1 + below(16)));
            }
        }
        return bytes;
    }
};

void TestDamagedModels::damage_data()
{
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("file"); // empty: the model is the file
    QTest::addColumn<int>("header"); // bytes at the beginning where the damage is done
    QTest::newRow("gguf") << "llama.gguf"
                          << "" << 2200;
    QTest::newRow("safetensors") << "llama"
                                 << "model.safetensors" << 1200;
    QTest::newRow("config") << "llama"
                            << "config.json" << 2000;
    QTest::newRow("index") << "qwen2"
                           << "model.safetensors.index.json" << 2000;
    QTest::newRow("adapter") << "adapter"
                             << "adapter_model.safetensors" << 600;
    QTest::newRow("adapter config") << "adapter"
                                    << "adapter_config.json" << 1000;
}

void TestDamagedModels::damage()
{
    QFETCH(QString, model);
    QFETCH(QString, file);
    QFETCH(int, header);
    const int rounds = qEnvironmentVariableIsSet("TUNEBENCH_FUZZ_ROUNDS")
        ? qEnvironmentVariableIntValue("TUNEBENCH_FUZZ_ROUNDS")
        : 300;
    QTemporaryDir folder;
    const fs::path path = fs::path(folder.path().toStdString()) / model.toStdString();
    fs::copy(modelData(model.toStdString()), path, fs::copy_options::recursive);
    const fs::path target = file.isEmpty() ? path : path / file.toStdString();
    const QByteArray whole = readBytes(target);
    QVERIFY(!whole.isEmpty());
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < rounds; ++round) {
        writeBytes(target, damaged(whole, header, random));
        std::string reason;
        if (model == "adapter") {
            const auto opened = openPeftAdapter(path);
            reason = opened ? "" : opened.error().message;
        } else {
            const auto opened = openModelFiles(path);
            reason = opened ? "" : opened.error().message;
        }
        QVERIFY2(reason.empty() || reason.ends_with('.'), reason.c_str());
        refused += reason.empty() ? 0 : 1;
    }
    QVERIFY(refused > rounds / 4);
}

QTEST_GUILESS_MAIN(TestDamagedModels)
#include "tst_damaged_models.moc"
