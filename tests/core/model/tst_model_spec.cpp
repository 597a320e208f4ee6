#include "core/model/model_config.h"
#include "core/model/model_shapes.h"
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
    void publishedConfigs_data();
    void publishedConfigs();
    void shapesOfPublishedModels_data();
    void shapesOfPublishedModels();
    void ropeOfEachLayerType();
    void longropeOfPhi();
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
    row("dynamic, which the context never reaches", R"({"rope_scaling": {"type": "dynamic", "factor": 2}})", 10000,
        none, 1);
    row("yarn", R"({"rope_scaling": {"type": "yarn", "factor": 4, "original_max_position_embeddings": 2048}})", 10000,
        yarn, 4);
    row("yarn, factor of the contexts",
        R"({"rope_parameters": {"rope_type": "yarn", "original_max_position_embeddings": 2048}})", 10000, yarn, 4);
    row("one for each layer type, alike",
        R"({"rope_theta": 3, "rope_parameters": {"full_attention": {"rope_theta": 7}, "sliding_attention": {"rope_theta": 7}}})",
        7, none, 1);
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
    QCOMPARE(llama->paddingToken, -1);
    const auto gemma = modelSpecFromConfig(changed(sparse, "model_type", "gemma"), "config.json");
    VERIFY_OK(gemma);
    QCOMPARE(gemma->paddingToken, 0);
    QVERIFY(gemma->tiedEmbeddings && gemma->normAddsOne && gemma->activation == Activation::geluTanh);
    QCOMPARE(modelSpecFromConfig(changed(sparse, "model_type", "phi3"), "config.json")->normEpsilon, 1e-5);
    QCOMPARE(modelSpecFromConfig(changed(smolLm2(), "pad_token_id", -1), "config.json")->paddingToken, 49151);
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
    QTest::addColumn<qint64>("window");
    QTest::addColumn<QString>("layers"); // which of the first ten slide
    const auto row = [](const char* name, const json& config, qint64 window, const char* layers) {
        QTest::newRow(name) << QString::fromStdString(config.dump()) << window << layers;
    };
    const char* none = "..........";
    const char* all = "ssssssssss";
    const json used = changed(changed(qwen(), "use_sliding_window", true), "sliding_window", 1000);
    row("qwen2, not used", changed(used, "use_sliding_window", false), 0, none);
    row("qwen2, used", changed(used, "max_window_layers", 3), 1000, "...sssssss");
    row("qwen2, beyond its layers", changed(used, "max_window_layers", 24), 0, none);
    std::vector<std::string> types(24, "full_attention");
    row("qwen2, no layer", changed(used, "layer_types", types), 0, none);
    types[1] = types[8] = "sliding_attention";
    row("qwen2, some layers", changed(used, "layer_types", types), 1000, ".s......s.");
    const json mistral = changed(without(qwen(), "sliding_window"), "model_type", "mistral");
    row("mistral, not said", mistral, 4096, all);
    row("mistral, none", changed(mistral, "sliding_window", nullptr), 0, none);
    row("mistral, given", changed(mistral, "sliding_window", 1000), 1000, all);
    row("mistral, whatever its layer types", changed(mistral, "layer_types", types), 4096, all);
    row("llama has none", changed(smolLm2(), "sliding_window", 1000), 0, none);
    const json gemma2 = changed(without(qwen(), "sliding_window"), "model_type", "gemma2");
    row("gemma2, not said", gemma2, 4096, "s.s.s.s.s.");
    row("gemma2, none", changed(gemma2, "sliding_window", nullptr), 0, none);
    row("gemma2, by layer", changed(changed(gemma2, "layer_types", types), "sliding_window", 9), 9, ".s......s.");
    const json gemma3 = changed(gemma2, "model_type", "gemma3_text");
    row("gemma3", gemma3, 4096, "sssss.ssss");
    row("gemma3, old spelling", changed(gemma3, "sliding_window_pattern", 3), 4096, "ss.ss.ss.s");
    const json phi3 = changed(without(qwen(), "sliding_window"), "model_type", "phi3");
    row("phi3, not said", phi3, 0, none);
    row("phi3, given", changed(phi3, "sliding_window", 2047), 2047, all);
}

void TestModelSpec::slidingWindow()
{
    QFETCH(QString, config);
    QFETCH(QString, layers);
    const auto spec = modelSpecFromConfig(json::parse(config.toStdString()), "config.json");
    VERIFY_OK(spec);
    QTEST(qint64(spec->slidingWindow), "window");
    QVERIFY(spec->contextLength > 4096);
    for (int i = 0; i < layers.size(); ++i)
        QCOMPARE(spec->slides(i), layers[i] == 's');
}

/// config.json files as their makers published them, against what transformers reads in them.
void TestModelSpec::publishedConfigs_data()
{
    QTest::addColumn<QString>("name");
    const json published = readJson(modelData("published.json"));
    for (const auto& entry : published.items())
        QTest::newRow(entry.key().c_str()) << QString::fromStdString(entry.key());
}

void TestModelSpec::publishedConfigs()
{
    QFETCH(QString, name);
    const json entry = readJson(modelData("published.json")).at(name.toStdString());
    const json& right = entry.at("right");
    const auto spec = modelSpecFromConfig(entry.at("config"), "config.json");
    VERIFY_OK(spec);
    QCOMPARE(parameterCount(*spec), right.at("parameters").get<int64_t>());
    QCOMPARE(neededTensors(*spec).size(), right.at("tensors").get<size_t>());
    QCOMPARE(spec->attentionScale(), right.at("scale").get<double>());
    QCOMPARE(spec->contextLength, right.at("context").get<int64_t>());
    const auto types = right.at("types").get<std::vector<std::string>>();
    const bool everyLayer = types.empty() && !right.at("window").is_null();
    for (int64_t i = 0; i < spec->layers; ++i)
        QCOMPARE(spec->slides(i), types.empty() ? everyLayer : types[static_cast<size_t>(i)] == "sliding_attention");
    if (spec->slides(0))
        QCOMPARE(spec->slidingWindow, right.at("window").get<int64_t>());
    const auto again = modelSpecFromConfig(json::parse(configFromModelSpec(*spec).dump()), "config.json");
    VERIFY_OK(again);
    QVERIFY(*again == *spec);
}

void TestModelSpec::shapesOfPublishedModels_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<qint64>("parameters"); // as published with the model's files
    QTest::newRow("0") << "SmolLM2-135M" << qint64 { 134515008 };
    QTest::newRow("1") << "SmolLM2-360M" << qint64 { 361821120 };
    QTest::newRow("2") << "Qwen2.5-0.5B" << qint64 { 494032768 };
    QTest::newRow("3") << "TinyLlama-1.1B" << qint64 { 1100048384 };
    QTest::newRow("4") << "Llama-3.2-1B" << qint64 { 1235814400 };
    QTest::newRow("5") << "Qwen2.5-1.5B" << qint64 { 1543714304 };
    QTest::newRow("6") << "SmolLM2-1.7B" << qint64 { 1711376384 };
    QTest::newRow("7") << "Gemma-2-2B" << qint64 { 2614341888 };
    QTest::newRow("8") << "Qwen2.5-3B" << qint64 { 3085938688 };
    QTest::newRow("9") << "Llama-3.2-3B" << qint64 { 3212749824 };
    QTest::newRow("10") << "Phi-3.5-mini" << qint64 { 3821079552 };
}

void TestModelSpec::shapesOfPublishedModels()
{
    QFETCH(QString, name);
    QFETCH(qint64, parameters);
    QCOMPARE(modelShapes().size(), size_t { 11 });
    const auto shape = std::ranges::find(modelShapes(), name.toStdString(), &ModelShape::name);
    QVERIFY(shape != modelShapes().end());
    QCOMPARE(parameterCount(shape->spec), parameters);
}

void TestModelSpec::ropeOfEachLayerType()
{
    const json gemma3 = changed(without(without(qwen(), "rope_theta"), "sliding_window"), "model_type", "gemma3_text");
    const auto usual = modelSpecFromConfig(gemma3, "config.json");
    VERIFY_OK(usual);
    QCOMPARE(usual->rope.theta, 1e6);
    QCOMPARE(usual->slidingRope.value().theta, 1e4);
    json old = changed(changed(gemma3, "rope_theta", 5e5), "rope_local_base_freq", 300);
    old["rope_scaling"] = { { "rope_type", "linear" }, { "factor", 8 } };
    const auto before = modelSpecFromConfig(old, "config.json");
    VERIFY_OK(before);
    const json now = { { "full_attention", { { "rope_type", "linear" }, { "factor", 8 }, { "rope_theta", 5e5 } } },
        { "sliding_attention", { { "rope_type", "default" }, { "rope_theta", 300 } } } };
    const auto after = modelSpecFromConfig(changed(gemma3, "rope_parameters", now), "config.json");
    VERIFY_OK(after);
    QVERIFY(*before == *after);
    QCOMPARE(after->rope.factor, 8.0);
    QVERIFY(after->slidingRope->scaling == RopeSpec::Scaling::none);
}

/// Early files call it su or yarn; the original context stands beside the rope's numbers.
void TestModelSpec::longropeOfPhi()
{
    json config = without(without(changed(qwen(), "model_type", "phi3"), "rope_theta"), "sliding_window");
    config["max_position_embeddings"] = 131072;
    config["original_max_position_embeddings"] = 4096;
    config["partial_rotary_factor"] = 0.25;
    for (const char* type : { "su", "yarn", "longrope" }) {
        config["rope_scaling"] = { { "type", type }, { "short_factor", std::vector<double>(8, 1.5) },
            { "long_factor", std::vector<double>(8, 9.0) } };
        const auto spec = modelSpecFromConfig(config, "config.json");
        VERIFY_OK(spec);
        QVERIFY(spec->rope.scaling == RopeSpec::Scaling::longrope);
        QCOMPARE(rotatedSize(spec->rope, spec->headSize), 16);
        QCOMPARE(spec->rope.attentionFactor, std::sqrt(1 + std::log(32.0) / std::log(4096.0)));
        QCOMPARE(ropeDivisors(spec->rope, spec->headSize, true), std::vector<double>(8, 9.0));
    }
    config["rope_scaling"]["long_factor"] = { 1, 2 };
    VERIFY_REFUSED(modelSpecFromConfig(config, "c"), "8 positive numbers");
    config["rope_scaling"].erase("long_factor");
    VERIFY_REFUSED(modelSpecFromConfig(config, "c"), "\"long_factor\"");
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
    row("unknown family", changed(smolLm2(), "model_type", "gpt2"),
        "\"gpt2\"; known are llama, mistral, qwen2, qwen3, gemma, gemma2, gemma3_text, phi3");
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
    row("rope type", changed(smolLm2(), "rope_parameters", { { "rope_type", "proportional" } }),
        "\"proportional\"; known are default, linear, dynamic, llama3, yarn and longrope");
    row("yarn by 0", changed(smolLm2(), "rope_parameters", { { "rope_type", "yarn" }, { "factor", 0 } }),
        "rope factor");
    row("yarn of no context",
        changed(smolLm2(), "rope_parameters",
            { { "rope_type", "yarn" }, { "factor", 2 }, { "original_max_position_embeddings", 0 } }),
        "original_max_position_embeddings");
    row("yarn bounds",
        changed(smolLm2(), "rope_parameters", { { "rope_type", "yarn" }, { "factor", 2 }, { "beta_fast", 0.5 } }),
        "do not fit one another");
    row("dynamic without factor", changed(smolLm2(), "rope_scaling", { { "type", "dynamic" } }), "\"factor\"");
    const json gemma2 = changed(qwen(), "model_type", "gemma2");
    row("layer type", changed(gemma2, "layer_types", { "chunked_attention" }), "\"chunked_attention\"; known are");
    row("layer types of too few layers", changed(gemma2, "layer_types", { "full_attention" }),
        "1 entries for 24 layers");
    row("layer types are no texts", changed(gemma2, "layer_types", { 1 }), "list of texts");
    row("window of 0", changed(gemma2, "sliding_window", 0), "sliding_window");
    row("pattern of 0", changed(gemma2, "sliding_window_pattern", 0), "sliding_window_pattern");
    row("negative cap", changed(gemma2, "final_logit_softcapping", -1), "final_logit_softcapping");
    row("cap of 0", changed(gemma2, "attn_logit_softcapping", 0), "attn_logit_softcapping");
    row("query scalar of 0", changed(gemma2, "query_pre_attn_scalar", 0), "query_pre_attn_scalar");
    row("both ways", changed(gemma2, "use_bidirectional_attention", true), "use_bidirectional_attention");
    row("rope of a layer type", changed(gemma2, "rope_parameters", { { "full_attention", 3 } }), "not an object");
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
    for (const char* name : { "yarn", "yarn with everything", "longrope" })
        QTest::newRow(name) << QString::fromStdString(readJson(modelData("rope.json")).at(name).at("config").dump());
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
    for (const char* name :
        { "default", "linear", "llama3.1", "llama3.2", "yarn", "yarn with everything", "dynamic", "longrope" })
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
    QVERIFY(std::abs(spec->rope.attentionFactor - row.at("attention_factor").get<double>()) < 1e-12);
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
