#include "core/config/choices.h"
#include "core/config/number_text.h"
#include "core/config/options.h"

#include <QTest>
#include <nlohmann/json.hpp>

using namespace tunebench;
using nlohmann::json;

namespace {

json parsed(const QString& text)
{
    return json::parse(text.toStdString());
}

} // namespace

class TestOptions : public QObject {
    Q_OBJECT

private slots:
    void everyRowIsComplete();
    void everyValueReadsBack();
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void unknownKeys_data();
    void unknownKeys();
    void search_data();
    void search();
    void numbers_data();
    void numbers();
    void choiceNamesFollowTheEnumerations();
};

void TestOptions::everyRowIsComplete()
{
    std::set<std::string> keys;
    for (const Option& option : options()) {
        QVERIFY2(keys.insert(option.key).second, option.key.c_str());
        QVERIFY2(!option.label.empty() && option.help.size() > 10 && option.help.ends_with('.'), option.key.c_str());
        QCOMPARE(option.choices.empty(), option.kind != OptionKind::choice && option.kind != OptionKind::textMap);
        const bool number = option.kind == OptionKind::integer || option.kind == OptionKind::real;
        QVERIFY2(!number || (option.least && option.most), option.key.c_str());
        QCOMPARE(findOption(option.key), &option);
        QVERIFY(!allowedValues(option).empty());
    }
    QCOMPARE(findOption("no_such_key"), nullptr);
}

void TestOptions::everyValueReadsBack()
{
    RunConfig copy;
    copy.batchSize = 99;
    for (const Option& option : options()) {
        const auto set = setOption(copy, option.key, optionValue(RunConfig {}, option.key));
        QVERIFY2(set.has_value(), set ? "" : set.error().message.c_str());
    }
    QVERIFY(copy == RunConfig {});
}

void TestOptions::accepts_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("stored");
    const auto add = [](const char* key, const char* given, const char* stored) {
        QTest::addRow("%s = %s", key, given) << QString(key) << QString(given) << QString(stored);
    };
    add("batch_size", "8", "8");
    add("batch_size", "8.0", "8");
    add("batch_size", "\"8\"", "8");
    add("batch_size", "\" 8 \"", "8");
    add("batch_size", "\"4.0\"", "4");
    add("batch_size", "\"1e2\"", "100");
    add("learning_rate", "1", "1.0");
    add("learning_rate", "1e-4", "0.0001");
    add("learning_rate", "\"1e-4\"", "0.0001");
    add("learning_rate", "\"1E-4\"", "0.0001");
    add("seed", "9007199254740991", "9007199254740991");
    add("seed", "\"9007199254740991\"", "9007199254740991");
    add("max_steps", "null", "null");
    add("max_steps", "\"none\"", "null");
    add("max_steps", "\"50\"", "50");
    add("adapter", "\"none\"", "null");
    add("adapter", "\"\"", "null");
    add("adapter", "null", "null");
    add("adapter", "\"some/folder\"", "\"some/folder\"");
    add("eval_at_start", "false", "false");
    add("eval_at_start", "\"false\"", "false");
    add("eval_at_start", "\"True\"", "true");
    add("padding", "\"max_length\"", "\"max_length\"");
    add("padding", "\"none\"", "\"none\"");
    add("precision", "\"auto\"", "\"auto\"");
    add("precision", "\"nf4\"", "\"nf4\"");
    add("loss_normalization", "\"micro_batch_mean\"", "\"micro_batch_mean\"");
    add("dataset_format", "\"prompt_completion\"", "\"prompt_completion\"");
    add("lora_targets", "\"q_proj, v_proj\"", "[\"q_proj\",\"v_proj\"]");
    add("lora_targets", "[\"q_proj\"]", "[\"q_proj\"]");
    add("lora_targets", "\"[\\\"q_proj\\\",\\\"k_proj\\\"]\"", "[\"q_proj\",\"k_proj\"]");
    add("dataset", "\"rows.jsonl\"", "[\"rows.jsonl\"]");
    add("dataset", "\"a.json,b.json\"", "[\"a.json\",\"b.json\"]");
    add("dataset", "[\"with, comma.json\"]", "[\"with, comma.json\"]");
    add("dataset", "\"\"", "[]");
    add("eval_dataset", "null", "null");
    add("eval_dataset", "\"none\"", "null");
    for (const char* key :
        { "adapter", "eval_dataset", "max_rows", "max_steps", "eval_batch_size", "dataset_columns" }) {
        add(key, "\"null\"", "null");
    }
    add("dataset_columns", R"({"prompt":"q","completion":"답"})", R"({"completion":"답","prompt":"q"})");
    add("dataset_columns", R"("{\"text\": \"body\"}")", R"({"text":"body"})");
    add("dataset_columns", "{}", "null");
    add("dataset_columns", "\"\"", "null");
    add("device", "\"cuda:3\"", "\"cuda:3\"");
    add("eval_share", "0", "0.0");
    add("beta1", "0", "0.0");
}

void TestOptions::accepts()
{
    QFETCH(QString, key);
    QFETCH(QString, given);
    QFETCH(QString, stored);
    RunConfig config;
    const auto set = setOption(config, key.toStdString(), parsed(given));
    QVERIFY2(set.has_value(), set ? "" : set.error().message.c_str());
    QCOMPARE(QString::fromStdString(optionValue(config, key.toStdString()).dump()), stored);
}

void TestOptions::refuses_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("named"); // what the sentence must say beside the key
    const auto add = [](const char* key, const char* given, const char* named) {
        QTest::addRow("%s = %s", key, given) << QString(key) << QString(given) << QString(named);
    };
    add("batch_size", "1.9", "from 1 to 65536");
    add("batch_size", "null", "from 1 to 65536");
    add("dataset_columns", "3", "a JSON object");
    add("dataset_columns", "\"q\"", "a JSON object");
    add("dataset_columns", "[\"q\"]", "a JSON object");
    add("dataset_columns", R"({"prompt":1})", "a JSON object");
    add("dataset_columns", R"({"prompt":""})", "a JSON object");
    add("dataset_columns", R"({"promt":"q"})", "knows no column \"promt\"; the names are instruction");
    add("batch_size", "true", "whole number");
    add("batch_size", "0", "from 1");
    add("batch_size", "-1", "from 1");
    add("batch_size", "65537", "to 65536");
    add("batch_size", "3000000000", "to 65536");
    add("batch_size", "18446744073709551615", "to 65536");
    add("batch_size", "1e300", "to 65536");
    add("batch_size", "null", "whole number");
    add("batch_size", "[4]", "a list");
    add("batch_size", "{}", "an object");
    add("batch_size", "\"4 rows\"", "whole number");
    add("batch_size", "\"4,0\"", "whole number");
    add("batch_size", "\"0x10\"", "whole number");
    add("batch_size", "\"\"", "whole number");
    add("max_steps", "0", "or none");
    add("max_steps", "\"all\"", "or none");
    add("learning_rate", "0", "above 0 to 10");
    add("learning_rate", "\"0,0001\"", "above 0 to 10");
    add("learning_rate", "\"E-4\"", "above 0 to 10");
    add("learning_rate", "\"4e07\"", "above 0 to 10");
    add("learning_rate", "\"1e\"", "number");
    add("learning_rate", "\"inf\"", "number");
    add("learning_rate", "\"nan\"", "number");
    add("learning_rate", "\"1e999\"", "number");
    add("learning_rate", "false", "number");
    add("beta1", "1", "below 1");
    add("eval_share", "0.6", "to 0.5");
    add("eval_at_start", "1", "true or false");
    add("eval_at_start", "\"yes\"", "true or false");
    add("method", "\"LoRA\"", "lora, full");
    add("method", "1", "lora, full");
    add("gradient_checkpointing", "true", "off, full");
    add("precision", "\"q4\"", "auto, fp32, fp16, bf16, nf4");
    add("compute", "\"nf4\"", "auto, fp32, fp16, bf16");
    add("model", "7", "text");
    add("model", "null", "text");
    add("model", "\"a\\u0000b\"", "text");
    add("lora_targets", "[]", "at least one");
    add("lora_targets", "\"\"", "at least one");
    add("lora_targets", "[\"q_proj\",1]", "list");
    add("dataset", "[\"\"]", "list");
    add("dataset", "\"a.json,,b.json\"", "list");
    add("device", "\"gpu\"", "cuda:N");
    add("device", "\"cuda:\"", "cuda:N");
    add("device", "\"cuda:-1\"", "cuda:N");
    add("device", "\"cuda:99999\"", "cuda:N");
}

void TestOptions::refuses()
{
    QFETCH(QString, key);
    QFETCH(QString, given);
    QFETCH(QString, named);
    RunConfig config;
    const auto set = setOption(config, key.toStdString(), parsed(given));
    QVERIFY(!set.has_value());
    const QString message = QString::fromStdString(set.error().message);
    QVERIFY2(message.startsWith(key) && message.contains(named), qPrintable(message));
    QVERIFY2(message.endsWith('.') && message.size() < 300, qPrintable(message));
    QVERIFY(config == RunConfig {});
}

void TestOptions::unknownKeys_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("meant");
    const auto add = [](const char* key, const char* meant) { QTest::newRow(key) << QString(key) << QString(meant); };
    add("batchsize", "batch_size");
    add("learning_rat", "learning_rate");
    add("Learning_Rate", "learning_rate");
    add("lora_ranks", "lora_rank");
    add("per_device_train_batch_size", "batch_size");
    add("gradient_accumulation_steps", "accumulation_steps");
    add("num_train_epochs", "epochs");
    add("lr_scheduler_type", "scheduler");
    add("target_modules", "lora_targets");
    add("fp16", "compute");
    add("something_else_altogether", "README");
    add("", "no option");
}

void TestOptions::unknownKeys()
{
    QFETCH(QString, key);
    QFETCH(QString, meant);
    RunConfig config;
    const auto set = setOption(config, key.toStdString(), 1);
    QVERIFY(!set.has_value());
    const QString message = QString::fromStdString(set.error().message);
    QVERIFY2(message.contains(meant), qPrintable(message));
}

void TestOptions::search_data()
{
    QTest::addColumn<QString>("typed");
    QTest::addColumn<QString>("first");
    const auto add
        = [](const char* typed, const char* first) { QTest::newRow(typed) << QString(typed) << QString(first); };
    add("learning", "learning_rate");
    add("LR", "learning_rate");
    add("per_device_train_batch_size", "batch_size");
    add("batch", "batch_size");
    add("evaluation batch", "eval_batch_size");
    add("bf16", "compute");
    add("qwertyuiop", "");
}

void TestOptions::search()
{
    QFETCH(QString, typed);
    QFETCH(QString, first);
    const auto found = searchOptions(typed.toStdString());
    QCOMPARE(QString::fromStdString(found.empty() ? "" : found.front()), first);
}

void TestOptions::numbers_data()
{
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("small") << 2e-4 << "0.0002";
    QTest::newRow("smaller") << 1e-8 << "1e-8";
    QTest::newRow("two digits") << 2.5e-10 << "2.5e-10";
    QTest::newRow("whole") << 65536.0 << "65536";
    QTest::newRow("zero") << 0.0 << "0";
    QTest::newRow("third") << 1.0 / 3 << "0.3333333333333333";
    QTest::newRow("large") << 1e100 << "1e+100";
}

void TestOptions::numbers()
{
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(numberText(value)), text);
    QCOMPARE(parseReal(text.toStdString()), std::optional(value));
}

void TestOptions::choiceNamesFollowTheEnumerations()
{
    QCOMPARE(choiceName(NumberType::bf16), std::string_view("bf16"));
    QCOMPARE(choiceName(DatasetFormat::promptCompletion), std::string_view("prompt_completion"));
    QCOMPARE(choiceName(DatasetFormat::tokens), std::string_view("tokens"));
    QCOMPARE(choiceName(LossNormalization::microBatchMean), std::string_view("micro_batch_mean"));
    QCOMPARE(choiceName(Padding::maxLength), std::string_view("max_length"));
    QCOMPARE(choiceName(Scheduler::cosine), std::string_view("cosine"));
    QCOMPARE(choiceName(OptimizerKind::sgd), std::string_view("sgd"));
    QCOMPARE(choiceName(Truncation::drop), std::string_view("drop"));
}

QTEST_GUILESS_MAIN(TestOptions)
#include "tst_options.moc"
