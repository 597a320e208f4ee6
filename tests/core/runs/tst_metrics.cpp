#include "core/runs/metrics.h"

#include <QTest>
#include <limits>
#include <nlohmann/json.hpp>

using namespace tunebench;

namespace {

StepMetrics fullStep()
{
    StepMetrics step;
    step.step = 3;
    step.epoch = 0.1;
    step.loss = 1.0 / 3;
    step.gradNorm = 0.19;
    step.learningRate = 2e-4;
    step.supervisedTokens = 895;
    step.tokens = 1255;
    step.paddedTokens = 1260;
    step.seconds = 1.2;
    step.allocated = int64_t { 1 } << 40;
    step.reserved = 7;
    return step;
}

} // namespace

class TestMetrics : public QObject {
    Q_OBJECT

private slots:
    void keysOfAStep();
    void keysOfAnEvaluation();
    void anAnswerReadsBack();
    void numbersReadBackExactly_data();
    void numbersReadBackExactly();
    void notFinite_data();
    void notFinite();
    void foreignLines_data();
    void foreignLines();
    void olderAndNewerLines();
    void everyFormReadsTheSame_data();
    void everyFormReadsTheSame();
};

void TestMetrics::keysOfAStep()
{
    std::vector<std::string> keys;
    const auto object = metricsToJson(fullStep());
    for (const auto& [key, value] : object.items()) {
        keys.push_back(key);
    }
    const std::vector<std::string> expected { "type", "step", "epoch", "loss", "grad_norm", "learning_rate",
        "supervised_tokens", "tokens", "padded_tokens", "seconds", "data_seconds", "forward_seconds",
        "backward_seconds", "recompute_seconds", "optimizer_seconds", "courtesy_seconds", "tokens_per_second",
        "allocated", "peak_allocated", "reserved", "device_used", "device_shared", "process", "peak_process",
        "cpu_utilization", "device_utilization", "power_watts", "temperature", "clock_mhz", "loss_scale",
        "rewards_chosen", "rewards_rejected", "margin", "accuracy" };
    QCOMPARE(keys, expected);
    QVERIFY(object["type"] == "step");
    QVERIFY(object["allocated"].is_number_integer());
    QVERIFY(object["device_used"].is_null());
    QVERIFY(object["power_watts"].is_null());
}

void TestMetrics::keysOfAnEvaluation()
{
    EvalMetrics evaluation;
    evaluation.step = 10;
    evaluation.loss = 1.4;
    evaluation.tokens = 55;
    QCOMPARE(metricsToJson(evaluation).dump(),
        std::string(
            R"({"type":"eval","step":10,"loss":1.4,"tokens":55,"perplexity":null,"training_loss":null,"gap":null,"rewards_chosen":null,"rewards_rejected":null,"margin":null,"accuracy":null,"seconds":0.0})"));
}

void TestMetrics::anAnswerReadsBack()
{
    AnswerMetrics answer;
    answer.step = 10;
    answer.prompt = "Was \"ist\", das?\n";
    answer.text = "손실, {x}";
    answer.tokens = 3;
    const std::string line = metricsToJson(answer).dump();
    const std::string expected
        = R"({"type":"answer","step":10,"prompt":"Was \"ist\", das?\n","text":"손실, {x}","tokens":3,"seconds":0.0})";
    QCOMPARE(line, expected);
    const auto back = std::get<AnswerMetrics>(*metricsFromJson(line));
    QCOMPARE(back.prompt, answer.prompt);
    QCOMPARE(back.text, answer.text);
    answer.note = "cut at 3 tokens";
    QCOMPARE(std::get<AnswerMetrics>(*metricsFromJson(metricsToJson(answer).dump())).note, answer.note);
}

void TestMetrics::numbersReadBackExactly_data()
{
    QTest::addColumn<double>("loss");
    for (const double value : { 1.0 / 3, 0.1, 2e-4, 1e-300, 5e-324, 1.7976931348623157e308, 12345678.9, 0.0, -1.5 }) {
        QTest::addRow("%.17g", value) << value;
    }
}

void TestMetrics::numbersReadBackExactly()
{
    QFETCH(double, loss);
    StepMetrics step = fullStep();
    step.loss = loss;
    const auto read = metricsFromJson(metricsToJson(step).dump());
    QVERIFY(read.has_value());
    const auto& back = std::get<StepMetrics>(*read);
    QVERIFY(*back.loss == loss);
    QCOMPARE(back.allocated, step.allocated);
    QCOMPARE(back.reserved, step.reserved);
    QCOMPARE(back.deviceUsed, step.deviceUsed);
    QCOMPARE(metricsToJson(back).dump(), metricsToJson(step).dump());
}

void TestMetrics::notFinite_data()
{
    QTest::addColumn<double>("loss");
    QTest::addColumn<QString>("note");
    QTest::newRow("nan") << std::numeric_limits<double>::quiet_NaN() << "the loss is not a number";
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << "the loss is infinite";
    QTest::newRow("negative") << -std::numeric_limits<double>::infinity() << "the loss is infinite";
}

void TestMetrics::notFinite()
{
    QFETCH(double, loss);
    QFETCH(QString, note);
    StepMetrics step = fullStep();
    step.loss = loss;
    step.gradNorm = loss;
    const auto object = metricsToJson(step);
    QVERIFY(object["loss"].is_null());
    QVERIFY(object["grad_norm"].is_null());
    QCOMPARE(QString::fromStdString(object["note"]), note);
    const auto back = std::get<StepMetrics>(*metricsFromJson(object.dump()));
    QVERIFY(!back.loss);
    QCOMPARE(QString::fromStdString(back.note), note);

    step.note = "step 3 skipped";
    QCOMPARE(metricsToJson(step)["note"].get<std::string>(), step.note);
}

void TestMetrics::foreignLines_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::newRow("empty") << QByteArray("");
    QTest::newRow("torn") << QByteArray(R"({"type":"step","step":3,"lo)");
    QTest::newRow("not an object") << QByteArray("[1]");
    QTest::newRow("no type") << QByteArray(R"({"step":3})");
    QTest::newRow("another type") << QByteArray(R"({"type":"sample","step":3})");
    QTest::newRow("no step") << QByteArray(R"({"type":"step"})");
    QTest::newRow("step is a text") << QByteArray(R"({"type":"step","step":"3"})");
    QTest::newRow("step is real") << QByteArray(R"({"type":"step","step":3.5})");
    QTest::newRow("loss is a text") << QByteArray(R"({"type":"step","step":3,"loss":"low"})");
    QTest::newRow("tokens are a list") << QByteArray(R"({"type":"eval","step":3,"tokens":[1]})");
    QTest::newRow("prompt is a number") << QByteArray(R"({"type":"answer","step":3,"prompt":4,"text":""})");
    QTest::newRow("zeros") << QByteArray(30, '\0');
    QTest::newRow("deep") << QByteArray(100000, '[');
    QTest::newRow("huge number") << QByteArray(R"({"type":"step","step":1,"loss":1e999})");
}

void TestMetrics::foreignLines()
{
    QFETCH(QByteArray, line);
    QVERIFY(!metricsFromJson(std::string_view(line.constData(), static_cast<size_t>(line.size()))).has_value());
}

void TestMetrics::olderAndNewerLines()
{
    const auto less = metricsFromJson(R"({"type":"step","step":3,"loss":2})");
    QCOMPARE(std::get<StepMetrics>(*less).loss, std::optional(2.0));
    const auto more = metricsFromJson(R"({"type":"eval","step":3,"loss":null,"tokens":4,"added":{"later":[1]}})");
    QCOMPARE(std::get<EvalMetrics>(*more).tokens, 4);
    QVERIFY(!std::get<EvalMetrics>(*more).loss);
}

void TestMetrics::everyFormReadsTheSame_data()
{
    QTest::addColumn<QByteArray>("line"); // as metricsToJson lays it out; the test also reads it with spaces
    QTest::addColumn<bool>("good");
    QTest::newRow("numbers") << QByteArray(R"({"type":"step","step":1,"loss":-0.5e-3,"tokens":0,"grad_norm":1E+2})")
                             << true;
    QTest::newRow("other order") << QByteArray(R"({"type":"step","tokens":5,"loss":2,"step":1,"epoch":0})") << true;
    QTest::newRow("key twice") << QByteArray(R"({"type":"step","step":1,"step":2})") << true;
    QTest::newRow("note") << QByteArray(R"({"type":"eval","step":1,"loss":null,"note":"a, b} c"})") << true;
    QTest::newRow("escaped note") << QByteArray(R"({"type":"eval","step":1,"note":"a \"b\" \u00e9"})") << true;
    QTest::newRow("Korean note") << QByteArray(R"({"type":"eval","step":1,"note":"손실"})") << true;
    QTest::newRow("list") << QByteArray(R"({"type":"step","step":1,"more":[1,2],"loss":3})") << true;
    QTest::newRow("truth") << QByteArray(R"({"type":"step","step":1,"more":true,"loss":3})") << true;
    QTest::newRow("largest") << QByteArray(R"({"type":"step","step":9223372036854775807})") << true;
    QTest::newRow("no digits after the point") << QByteArray(R"({"type":"step","step":1,"loss":1.})") << false;
    QTest::newRow("no digits before the point") << QByteArray(R"({"type":"step","step":1,"loss":.5})") << false;
    QTest::newRow("leading zero") << QByteArray(R"({"type":"step","step":01})") << false;
    QTest::newRow("plus") << QByteArray(R"({"type":"step","step":+1})") << false;
    QTest::newRow("minus alone") << QByteArray(R"({"type":"step","step":-})") << false;
    QTest::newRow("no exponent") << QByteArray(R"({"type":"step","step":1,"loss":1e})") << false;
    QTest::newRow("nan") << QByteArray(R"({"type":"step","step":1,"loss":nan})") << false;
    QTest::newRow("last comma") << QByteArray(R"({"type":"step","step":1,})") << false;
    QTest::newRow("text after it") << QByteArray(R"({"type":"step","step":1}{)") << false;
    QTest::newRow("two lines in one") << QByteArray(R"({"type":"step","step":1}{"type":"step","step":2})") << false;
}

void TestMetrics::everyFormReadsTheSame()
{
    QFETCH(QByteArray, line);
    QFETCH(bool, good);
    const auto read = metricsFromJson(line.toStdString());
    const auto spaced = metricsFromJson(" " + line.toStdString());
    QCOMPARE(read.has_value(), good);
    QCOMPARE(spaced.has_value(), good);
    if (good) {
        QCOMPARE(metricsToJson(*read).dump(), metricsToJson(*spaced).dump());
    }
}

QTEST_GUILESS_MAIN(TestMetrics)
#include "tst_metrics.moc"
