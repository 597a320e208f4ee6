#include "core/model/model_spec.h"
#include "core/model/rope_fit.h"
#include "model_test_files.h"

#include <algorithm>
#include <cmath>

using namespace tunebench;
using nlohmann::json;

namespace {

json smolLm2()
{
    return json::parse(
        R"({"model_type": "llama", "hidden_size": 576, "intermediate_size": 1536, "num_hidden_layers": 30,
        "num_attention_heads": 9, "num_key_value_heads": 3, "vocab_size": 49152, "max_position_embeddings": 8192,
        "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": true,
        "rope_parameters": {"rope_type": "default", "rope_theta": 100000.0}})");
}

json qwen()
{
    return json::parse(
        R"({"model_type": "qwen2", "hidden_size": 896, "intermediate_size": 4864, "num_hidden_layers": 24,
        "num_attention_heads": 14, "num_key_value_heads": 2, "vocab_size": 151936, "max_position_embeddings": 32768,
        "rms_norm_eps": 1e-6, "tie_word_embeddings": true, "rope_theta": 1000000.0, "use_sliding_window": false,
        "sliding_window": 32768, "max_window_layers": 21})");
}

json changed(json config, const char* key, const json& value)
{
    config[key] = value;
    return config;
}

json without(json config, const char* key)
{
    config.erase(key);
    return config;
}

} // namespace

class TestModelSpec : public QObject {
    Q_OBJECT

private slots:
    void smolLm2Model();
    void qwenModel();
    void spellingsOfRope_data();
    void spellingsOfRope();
    void defaultsOfFamilies();
    void biasOptions();
    void slidingWindow_data();
    void slidingWindow();
    void queryKeyNorms();
    void refuses_data();
    void refuses();
    void configReadsBack_data();
    void configReadsBack();
    void frequenciesAsTransformers_data();
    void frequenciesAsTransformers();
    void llama3FoundFromFactors();
};

void TestModelSpec::smolLm2Model()
{
    const auto spec = modelSpecFromConfig(smolLm2(), "config.json");
    VERIFY_OK(spec);
    QCOMPARE(spec->headSize, 64);
    QCOMPARE(spec->rope.theta, 100000.0);
    QCOMPARE(parameterCount(*spec), 134515008); // as transformers counts
    const auto needed = neededTensors(*spec);
    QCOMPARE(needed.size(), size_t { 2 + 30 * 9 });
    QCOMPARE(needed.front().name, std::string("model.embed_tokens.weight"));
    QCOMPARE(needed[3].name, std::string("model.layers.0.self_attn.k_proj.weight"));
    QCOMPARE(needed[3].shape, (std::vector<int64_t> { 192, 576 }));
}

void TestModelSpec::qwenModel()
{
    const auto spec = modelSpecFromConfig(qwen(), "config.json");
    VERIFY_OK(spec);
    QVERIFY(spec->queryKeyValueBias && !spec->outputBias && !spec->mlpBias);
    QCOMPARE(spec->rope.theta, 1000000.0);
    QCOMPARE(parameterCount(*spec), 494032768); // as transformers counts
}

void TestModelSpec::spellingsOfRope_data()
{
    QTest::addColumn<QString>("rope"); // merged over a config without any
    QTest::addColumn<double>("theta");
    QTest::addColumn<int>("scaling");
    QTest::addColumn<double>("factor");
    using enum RopeSpec::Scaling;
    const auto row = [](const char* name, const char* rope, double theta, RopeSpec::Scaling scaling, double factor) {
        QTest::newRow(name) << QString(rope) << theta << static_cast<int>(scaling) << factor;
    };
    row("nothing", "{}", 10000, none, 1);
    row("old theta", R"({"rope_theta": 5e5, "rope_scaling": null})", 5e5, none, 1);
    row("new theta", R"({"rope_parameters": {"rope_type": "default", "rope_theta": 5e5}})", 5e5, none, 1);
    row("theta inside wins", R"({"rope_theta": 1.5, "rope_parameters": {"rope_theta": 5e5}})", 5e5, none, 1);
    row("whole theta", R"({"rope_theta": 10000})", 10000, none, 1);
    row("old linear", R"({"rope_scaling": {"type": "linear", "factor": 2.0}})", 10000, linear, 2);
    row("new linear", R"({"rope_parameters": {"rope_type": "linear", "factor": 2}})", 10000, linear, 2);
    row("rope_scaling wins",
        R"({"rope_scaling": {"rope_type": "linear", "factor": 4}, "rope_parameters": {"rope_type": "default", "rope_theta": 7}})",
        10000, linear, 4);
    row("empty rope_scaling", R"({"rope_scaling": {}, "rope_parameters": {"rope_theta": 7}})", 7, none, 1);
    row("llama3",
        R"({"rope_theta": 5e5, "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
            "original_max_position_embeddings": 8192}})",
        5e5, llama3, 8);
}

void TestModelSpec::spellingsOfRope()
{
    QFETCH(QString, rope);
    QFETCH(double, theta);
    QFETCH(int, scaling);
    QFETCH(double, factor);
    json config = without(smolLm2(), "rope_parameters");
    config.update(json::parse(rope.toStdString()));
    const auto spec = modelSpecFromConfig(config, "config.json");
    VERIFY_OK(spec);
    QCOMPARE(spec->rope.theta, theta);
    QCOMPARE(static_cast<int>(spec->rope.scaling), scaling);
    QCOMPARE(spec->rope.factor, factor);
}

void TestModelSpec::defaultsOfFamilies()
{
    const json sparse = json::parse(R"({"hidden_size": 64, "intermediate_size": 64, "num_hidden_layers": 1,
        "num_attention_heads": 32, "vocab_size": 8})");
    const auto llama = modelSpecFromConfig(changed(sparse, "model_type", "llama"), "config.json");
    VERIFY_OK(llama);
    QCOMPARE(llama->keyValueHeads, 32);
    QCOMPARE(llama->contextLength, 2048);
    QCOMPARE(llama->normEpsilon, 1e-6);
    QVERIFY(!llama->tiedEmbeddings);
    const auto qwen2 = modelSpecFromConfig(changed(sparse, "model_type", "qwen2"), "config.json");
    VERIFY_OK(qwen2);
    QCOMPARE(qwen2->contextLength, 32768);
    const auto wide = modelSpecFromConfig(changed(smolLm2(), "head_dim", 128), "config.json");
    VERIFY_OK(wide);
    QCOMPARE(wide->headSize, 128);
    const auto nulls = modelSpecFromConfig(changed(changed(smolLm2(), "head_dim", {}), "num_key_value_heads", {}), "c");
    VERIFY_OK(nulls);
    QCOMPARE(nulls->headSize, 64);
    QCOMPARE(nulls->keyValueHeads, 9);
}

void TestModelSpec::biasOptions()
{
    const auto spec
        = modelSpecFromConfig(changed(changed(smolLm2(), "attention_bias", true), "mlp_bias", true), "config.json");
    VERIFY_OK(spec);
    QVERIFY(spec->queryKeyValueBias && spec->outputBias && spec->mlpBias);
    QCOMPARE(neededTensors(*spec).size(), size_t { 2 + 30 * (9 + 7) });
}

void TestModelSpec::slidingWindow_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<qint64>("context");
    const auto row = [](const char* name, const json& config, qint64 context) {
        QTest::newRow(name) << QString::fromStdString(config.dump()) << context;
    };
    const json used = changed(changed(qwen(), "use_sliding_window", true), "sliding_window", 1000);
    row("qwen2, not used", changed(used, "use_sliding_window", false), 32768);
    row("qwen2, used", used, 1000);
    row("qwen2, beyond its layers", changed(used, "max_window_layers", 24), 32768);
    row("qwen2, no layer", changed(used, "layer_types", std::vector<std::string>(24, "full_attention")), 32768);
    row("qwen2, some layer", changed(used, "layer_types", { "sliding_attention" }), 1000);
    const json mistral = changed(without(qwen(), "sliding_window"), "model_type", "mistral");
    row("mistral, not said", mistral, 4096);
    row("mistral, none", changed(mistral, "sliding_window", nullptr), 32768);
    row("mistral, given", changed(mistral, "sliding_window", 1000), 1000);
    row("mistral, longer than the context", changed(mistral, "sliding_window", 100000), 32768);
    row("llama has none", changed(smolLm2(), "sliding_window", 1000), 8192);
}

/// A window bounds the context: shorter rows see all of themselves.
void TestModelSpec::slidingWindow()
{
    QFETCH(QString, config);
    const auto spec = modelSpecFromConfig(json::parse(config.toStdString()), "config.json");
    VERIFY_OK(spec);
    QTEST(qint64(spec->contextLength), "context");
}

void TestModelSpec::queryKeyNorms()
{
    const auto spec = modelSpecFromConfig(changed(qwen(), "model_type", "qwen3"), "config.json");
    VERIFY_OK(spec);
    QCOMPARE(spec->headSize, 128);
    QVERIFY(spec->queryKeyNorm && !spec->queryKeyValueBias);
    const auto needed = neededTensors(*spec);
    const auto norm = std::ranges::find(needed, "model.layers.3.self_attn.k_norm.weight", &TensorInfo::name);
    QVERIFY(norm != needed.end());
    QCOMPARE(norm->shape, std::vector<int64_t> { 128 });
}

void TestModelSpec::refuses_data()
{
    QTest::addColumn<QString>("config");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char* name, const json& config, const char* reason) {
        QTest::newRow(name) << QString::fromStdString(config.dump()) << QString(reason);
    };
    row("list", json::array(), "not a JSON object");
    row("empty object", json::object(), "\"model_type\"");
    row("unknown family", changed(smolLm2(), "model_type", "gpt2"), "\"gpt2\"; known are llama, mistral, qwen2, qwen3");
    row("family is a number", changed(smolLm2(), "model_type", 3), "not text");
    row("quantised", changed(smolLm2(), "quantization_config", { { "bits", 4 } }), "quantization_config");
    row("activation", changed(smolLm2(), "hidden_act", "gelu"), "\"gelu\"");
    row("missing size", without(smolLm2(), "hidden_size"), "\"hidden_size\"");
    row("size is text", changed(smolLm2(), "hidden_size", "576"), "whole number");
    row("fractional size", changed(smolLm2(), "num_hidden_layers", 1.5), "whole number");
    row("zero heads", changed(smolLm2(), "num_attention_heads", 0), "multiple of num_attention_heads");
    row("negative layers", changed(smolLm2(), "num_hidden_layers", -1), "layers");
    row("a billion layers", changed(smolLm2(), "num_hidden_layers", 1000000000), "layers");
    row("huge vocabulary", changed(smolLm2(), "vocab_size", 1LL << 60), "vocabulary");
    row("number over 63 bits", changed(smolLm2(), "vocab_size", UINT64_MAX), "vocabulary");
    row("heads that do not fit", changed(smolLm2(), "num_key_value_heads", 2), "2 key/value heads");
    row("odd head size", changed(smolLm2(), "head_dim", 63), "does not fit");
    row("hidden size that does not divide", changed(smolLm2(), "hidden_size", 577), "multiple of num_attention_heads");
    row("tie is text", changed(smolLm2(), "tie_word_embeddings", "yes"), "true or false");
    row("epsilon 0", changed(smolLm2(), "rms_norm_eps", 0), "epsilon");
    row("yarn", changed(smolLm2(), "rope_parameters", { { "rope_type", "yarn" }, { "factor", 2 } }), "\"yarn\"");
    row("rope foo", changed(smolLm2(), "rope_scaling", "foo"), "not an object");
    row("linear without factor", changed(smolLm2(), "rope_scaling", { { "type", "linear" } }), "\"factor\"");
    row("linear by 0", changed(smolLm2(), "rope_scaling", { { "type", "linear" }, { "factor", 0 } }), "rope factor");
    row("llama3 without bounds", changed(smolLm2(), "rope_scaling", { { "type", "llama3" }, { "factor", 8 } }),
        "\"low_freq_factor\"");
    row("partial rotation", changed(smolLm2(), "partial_rotary_factor", 0.5), "partial_rotary_factor");
}

void TestModelSpec::refuses()
{
    QFETCH(QString, config);
    QFETCH(QString, reason);
    const auto spec = modelSpecFromConfig(json::parse(config.toStdString()), "m/config.json");
    VERIFY_REFUSED(spec, reason);
    VERIFY_REFUSED(spec, "m/config.json ");
}

void TestModelSpec::configReadsBack_data()
{
    QTest::addColumn<QString>("config");
    const json llama3 = { { "rope_type", "llama3" }, { "factor", 8 }, { "low_freq_factor", 1 },
        { "high_freq_factor", 4 }, { "original_max_position_embeddings", 8192 } };
    QTest::newRow("smollm2") << QString::fromStdString(smolLm2().dump());
    QTest::newRow("qwen2") << QString::fromStdString(qwen().dump());
    QTest::newRow("qwen3") << QString::fromStdString(changed(qwen(), "model_type", "qwen3").dump());
    QTest::newRow("mistral") << QString::fromStdString(changed(qwen(), "model_type", "mistral").dump());
    QTest::newRow("llama3") << QString::fromStdString(changed(smolLm2(), "rope_scaling", llama3).dump());
    QTest::newRow("biases") << QString::fromStdString(changed(smolLm2(), "attention_bias", true).dump());
}

void TestModelSpec::configReadsBack()
{
    QFETCH(QString, config);
    const auto spec = modelSpecFromConfig(json::parse(config.toStdString()), "config.json");
    VERIFY_OK(spec);
    const auto again = modelSpecFromConfig(json::parse(configFromModelSpec(*spec).dump()), "config.json");
    VERIFY_OK(again);
    QVERIFY(*again == *spec);
}

void TestModelSpec::frequenciesAsTransformers_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : { "default", "linear", "llama3.1", "llama3.2" })
        QTest::newRow(name) << name;
}

void TestModelSpec::frequenciesAsTransformers()
{
    QFETCH(QString, name);
    const json row = readJson(modelData("rope.json")).at(name.toStdString());
    const auto spec = modelSpecFromConfig(row.at("config"), "config.json");
    VERIFY_OK(spec);
    const auto divisors = ropeDivisors(spec->rope, spec->headSize);
    const auto expected = row.at("inv_freq").get<std::vector<double>>();
    QCOMPARE(divisors.size(), expected.size());
    for (size_t i = 0; i < divisors.size(); ++i) {
        const double exponent = 2 * static_cast<double>(i) / static_cast<double>(spec->headSize);
        const double frequency = std::pow(spec->rope.theta, -exponent) / divisors[i];
        QVERIFY(std::abs(frequency - expected[i]) <= 1e-6 * expected[i]);
    }
}

void TestModelSpec::llama3FoundFromFactors()
{
    for (const char* name : { "llama3.1", "llama3.2" }) {
        const json row = readJson(modelData("rope.json")).at(name);
        const auto spec = modelSpecFromConfig(row.at("config"), "config.json");
        VERIFY_OK(spec);
        auto factors = row.at("factors").get<std::vector<float>>();
        const auto found = fitLlama3(factors, spec->rope.theta, spec->headSize);
        QVERIFY(found.has_value());
        QVERIFY(*found == spec->rope);
        factors[3] = 2;
        QVERIFY(!fitLlama3(factors, spec->rope.theta, spec->headSize));
    }
    const RopeSpec unusual { .theta = 10000,
        .scaling = RopeSpec::Scaling::llama3,
        .factor = 5,
        .lowFrequencyFactor = 1,
        .highFrequencyFactor = 7.5,
        .originalContext = 3000 };
    const auto divisors = ropeDivisors(unusual, 128);
    const auto found = fitLlama3(std::vector<float>(divisors.begin(), divisors.end()), 10000, 128);
    QVERIFY(found && *found == unusual);
    QVERIFY(!fitLlama3({}, 10000, 128));
    QVERIFY(!fitLlama3(std::vector<float> { NAN, 0, -1, INFINITY }, 10000, 8));
}

QTEST_GUILESS_MAIN(TestModelSpec)
#include "tst_model_spec.moc"
