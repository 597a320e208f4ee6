#include "tests/ui/ui_test.h"
#include "ui/form/config_form.h"
#include "ui/form/option_editor.h"
#include "ui/form/option_field.h"
#include "ui/form/path_editor.h"
#include "ui/form/precision_note.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QToolButton>

#include <nlohmann/json.hpp>

#include <algorithm>

using namespace tunebench;
using nlohmann::json;

namespace {

struct Form {
    ConfigModel model;
    ConfigForm form { model };

    Form()
    {
        form.resize(480, 700);
        form.show();
    }

    template <class Widget> Widget* widget(const char* key) const
    {
        return form.field(key)->editor()->findChild<Widget*>();
    }

    /// Replaces the text of a field key by key.
    void type(const char* key, const char* text) const
    {
        auto* line = widget<QLineEdit>(key);
        line->setFocus();
        line->selectAll();
        QTest::keyClick(line, Qt::Key_Backspace);
        QTest::keyClicks(line, QString::fromUtf8(text));
    }

    json value(const char* key) const { return optionValue(model.choice().values, key); }
};

/// A value other than the default that the option allows.
json otherValue(const Option& option)
{
    const json standard = optionValue(RunConfig {}, option.key);
    switch (option.kind) {
    case OptionKind::boolean:
        return !standard.get<bool>();
    case OptionKind::choice:
        return option.choices.front() == standard ? option.choices.back() : option.choices.front();
    case OptionKind::integer:
        return standard.is_null() ? json(7) : json(standard.get<int64_t>() + 1);
    case OptionKind::real:
        return standard.is_null() ? json(option.least.value_or(0) + 0.5)
                                  : json(standard.get<double>() * 0.5 + 0.0123456789012345);
    case OptionKind::text:
        return option.key == "device" ? "cpu" : option.key == "card" ? "RTX 3060" : "/somewhere/a folder, with a comma";
    case OptionKind::textList:
        return isPathOption(option.key) ? json { "/rows/one, two.json", "/rows/three.jsonl" }
                                        : json { "q_proj", "v_proj" };
    case OptionKind::textMap:
        return { { "prompt", "q, the \"question\"" }, { "completion", "답" } };
    }
    return {};
}

} // namespace

class TestConfigForm : public QObject {
    Q_OBJECT
private slots:
    void roundTrip_data();
    void roundTrip();
    void typing_data();
    void typing();
    void editorsTakeMouseAndKeys();
    void promptsAreLinesWithCommas();
    void contradictionsStandAtTheField();
    void resetGoesBackToTheDefault();
    void undoGoesOverTheWholeForm();
    void searchHidesTheRest_data();
    void searchHidesTheRest();
    void helpFollowsTheFocus();
    void precisionIsWeighed_data();
    void precisionIsWeighed();
    void precisionNoteFollowsTheForm();
    void everyOptionIsThereAndReachable();
};

void TestConfigForm::roundTrip_data()
{
    QTest::addColumn<QString>("key");
    for (const Option& option : options()) {
        QTest::newRow(option.key.c_str()) << QString::fromStdString(option.key);
    }
}

void TestConfigForm::roundTrip()
{
    QFETCH(QString, key);
    Form form;
    const Option& option = *findOption(key.toStdString());
    OptionEditor* editor = form.form.field(option.key)->editor();
    for (const json& value : { otherValue(option), optionValue(RunConfig {}, option.key) }) {
        editor->setValue(value);
        RunConfig config;
        QVERIFY2(setOption(config, option.key, editor->value()), qPrintable(key));
        QCOMPARE(QString::fromStdString(optionValue(config, option.key).dump()), QString::fromStdString(value.dump()));
    }
}

void TestConfigForm::typing_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("value"); // JSON after typing
    QTest::addColumn<bool>("refused");
    QTest::newRow("integer") << QByteArray("batch_size") << QByteArray("16") << QByteArray("16") << false;
    QTest::newRow("zero batch") << QByteArray("batch_size") << QByteArray("0") << QByteArray("4") << true;
    QTest::newRow("no number") << QByteArray("batch_size") << QByteArray("many") << QByteArray("4") << true;
    QTest::newRow("empty") << QByteArray("batch_size") << QByteArray("") << QByteArray("4") << true;
    QTest::newRow("beyond int32") << QByteArray("memory_limit") << QByteArray("4000000000") << QByteArray("4000000000")
                                  << false;
    QTest::newRow("exponent") << QByteArray("learning_rate") << QByteArray("1e-4") << QByteArray("0.0001") << false;
    QTest::newRow("decimal comma") << QByteArray("weight_decay") << QByteArray("0,01") << QByteArray("0.0") << true;
    QTest::newRow("optional number") << QByteArray("max_steps") << QByteArray("100") << QByteArray("100") << false;
    QTest::newRow("optional left empty") << QByteArray("max_steps") << QByteArray("") << QByteArray("null") << false;
    QTest::newRow("list") << QByteArray("lora_targets") << QByteArray("q_proj, k_proj")
                          << QByteArray(R"(["q_proj","k_proj"])") << false;
}

void TestConfigForm::typing()
{
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, value);
    QFETCH(bool, refused);
    Form form;
    form.type(key, text);
    QCOMPARE(QByteArray::fromStdString(form.value(key).dump()), value);
    QCOMPARE(form.widget<QLineEdit>(key)->text(), QString::fromUtf8(text));
    QCOMPARE(form.form.field(key.toStdString())->message().contains(QString::fromUtf8(key)), refused);
    const Finding* blocker = form.model.blocker();
    QCOMPARE(blocker != nullptr && blocker->key == key.toStdString(), refused);
}

void TestConfigForm::editorsTakeMouseAndKeys()
{
    Form form;
    auto* evalAtStart = form.widget<QCheckBox>("eval_at_start");
    QTest::keyClick(evalAtStart, Qt::Key_Space);
    QCOMPARE(form.value("eval_at_start"), json(false));
    auto* scheduler = form.widget<QComboBox>("scheduler");
    QTest::keyClicks(scheduler, QStringLiteral("cos"));
    QCOMPARE(form.value("scheduler"), json("cosine"));
    auto* dataset = form.widget<QPlainTextEdit>("dataset");
    QTest::keyClicks(dataset, QStringLiteral("/rows/a, b.json"));
    QTest::keyClick(dataset, Qt::Key_Return);
    QTest::keyClicks(dataset, QStringLiteral("/rows/c.json"));
    QCOMPARE(form.value("dataset"), json({ "/rows/a, b.json", "/rows/c.json" }));
    QVERIFY(form.model.isSet("dataset"));
}

void TestConfigForm::promptsAreLinesWithCommas()
{
    Form form;
    auto* prompts = form.widget<QPlainTextEdit>("eval_prompts");
    QTest::keyClicks(prompts, QStringLiteral("First, this"));
    QTest::keyClick(prompts, Qt::Key_Return);
    QTest::keyClick(prompts, Qt::Key_Return);
    QTest::keyClicks(prompts, QStringLiteral("[\"Then\", that"));
    QTest::keyClick(prompts, Qt::Key_Return, Qt::ShiftModifier);
    QTest::keyClicks(prompts, QStringLiteral(" in two lines"));
    const json expected { "First, this", "[\"Then\", that\n in two lines" };
    QCOMPARE(form.value("eval_prompts"), expected);
    form.model.set("eval_prompts", json({ "a,\nb", "c" }));
    QCOMPARE(prompts->blockCount(), 2);
    QTest::keyClicks(prompts, QStringLiteral("x")); // at the beginning
    QCOMPARE(form.value("eval_prompts"), json({ "xa,\nb", "c" }));
    prompts->selectAll();
    QTest::keyClick(prompts, Qt::Key_Delete);
    QCOMPARE(form.value("eval_prompts"), json());
}

void TestConfigForm::contradictionsStandAtTheField()
{
    Form form;
    form.model.edit("method", "full");
    form.model.edit("precision", "bf16");
    QVERIFY(form.model.blocker() != nullptr);
    const std::string key = form.model.blocker()->key;
    QVERIFY(!form.form.field(key)->message().isEmpty());
    form.model.edit("precision", "fp32");
    QVERIFY(form.form.field(key)->message().isEmpty());
}

void TestConfigForm::resetGoesBackToTheDefault()
{
    Form form;
    auto* reset = form.form.field("epochs")->findChild<QToolButton*>();
    QVERIFY(!reset->isVisible());
    form.type("epochs", "3");
    QVERIFY(reset->isVisible());
    QVERIFY(form.model.isSet("epochs"));
    QTest::mouseClick(reset, Qt::LeftButton);
    QCOMPARE(form.widget<QLineEdit>("epochs")->text(), QStringLiteral("1"));
    QVERIFY(!form.model.isSet("epochs"));
    QVERIFY(!reset->isVisible());
}

void TestConfigForm::undoGoesOverTheWholeForm()
{
    Form form;
    form.type("batch_size", "12");
    form.type("epochs", "3");
    form.type("seed", "oops");
    form.model.undoStack()->undo();
    QCOMPARE(form.value("epochs"), json(1.0));
    QCOMPARE(form.widget<QLineEdit>("epochs")->text(), QStringLiteral("1"));
    QCOMPARE(form.widget<QLineEdit>("seed")->text(), QStringLiteral("42"));
    QCOMPARE(form.value("batch_size"), json(12));
    form.model.undoStack()->undo();
    QCOMPARE(form.value("batch_size"), json(4));
    form.model.undoStack()->redo();
    QCOMPARE(form.widget<QLineEdit>("batch_size")->text(), QStringLiteral("12"));
    QVERIFY(form.model.isSet("batch_size"));
}

void TestConfigForm::searchHidesTheRest_data()
{
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("found");
    QTest::addColumn<QString>("hidden");
    QTest::newRow("key") << "batch_size"
                         << "batch_size"
                         << "seed";
    QTest::newRow("Hugging Face name") << "per_device_train_batch_size"
                                       << "batch_size"
                                       << "seed";
    QTest::newRow("nothing") << ""
                             << "batch_size"
                             << "";
    QTest::newRow("no match") << "qqqqqqqq"
                              << ""
                              << "batch_size";
}

void TestConfigForm::searchHidesTheRest()
{
    QFETCH(QString, words);
    QFETCH(QString, found);
    QFETCH(QString, hidden);
    Form form;
    auto* box = form.form.findChild<QLineEdit*>(QStringLiteral("search"));
    QTest::keyClicks(box, words);
    QVERIFY(found.isEmpty() || !form.form.field(found.toStdString())->isHidden());
    QVERIFY(hidden.isEmpty() || !form.form.field(hidden.toStdString())->isVisible());
    box->clear();
    QVERIFY(form.form.field("seed")->isVisible());
}

void TestConfigForm::helpFollowsTheFocus()
{
    Form form;
    form.form.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&form.form));
    form.form.showField("learning_rate");
    const QString help = QString::fromStdString(findOption("learning_rate")->help).toHtmlEscaped();
    bool shown = false;
    for (const auto* label : form.form.findChildren<QLabel*>()) {
        shown = shown || (label->text().contains(help) && label->text().contains(QStringLiteral("learning_rate")));
    }
    QVERIFY(shown);
}

void TestConfigForm::everyOptionIsThereAndReachable()
{
    Form form;
    for (const Option& option : options()) {
        const OptionField* field = form.form.field(option.key);
        QVERIFY2(field != nullptr, option.key.c_str());
        const QWidget* proxy = field->editor()->focusProxy();
        QVERIFY2(proxy != nullptr && (proxy->focusPolicy() & Qt::TabFocus), option.key.c_str());
        QCOMPARE(proxy->accessibleName(), QString::fromStdString(option.label));
    }
}

void TestConfigForm::precisionIsWeighed_data()
{
    QTest::addColumn<double>("fp16");
    QTest::addColumn<bool>("right");
    QTest::addColumn<QString>("words");
    QTest::newRow("not measured") << -1.0 << true << "has not been measured";
    QTest::newRow("slower") << 500.0 << true << "is not true here: 0.25";
    QTest::newRow("slower, with the better choice") << 500.0 << true << "compute fp32 is 4 times as fast";
    QTest::newRow("faster") << 4000.0 << true << "is true here: 2";
    QTest::newRow("figures") << 4000.0 << true << "Measured on GTX 1650: fp32 2,000 GFLOP/s, fp16 4,000 GFLOP/s.";
    QTest::newRow("apart") << 500.0 << true << "Held in bf16, multiplied in fp16.";
    QTest::newRow("wrong") << 4000.0 << false << "fail the self-test";
    QTest::newRow("not there") << 0.0 << true << "cannot multiply in fp16";
}

void TestConfigForm::precisionIsWeighed()
{
    QFETCH(double, fp16);
    QFETCH(bool, right);
    QFETCH(QString, words);
    KnownTypes known { {}, { .device = "cuda:0", .name = "GTX 1650" } };
    known.config.precision = NumberType::bf16;
    known.config.compute = NumberType::fp16;
    if (fp16 >= 0) {
        known.device.types = { { NumberType::fp32, 2000, 1e-7, true },
            { NumberType::fp16, fp16 > 0 ? std::optional(fp16) : std::nullopt, 1e-4, right } };
    }
    QVERIFY2(precisionText(known).contains(words), qPrintable(precisionText(known)));
}

void TestConfigForm::precisionNoteFollowsTheForm()
{
    Form form;
    RunPlanner planner;
    planner.types = [](const RunConfig& config) -> Result<KnownTypes> {
        return config.device == "cpu"
            ? Result<KnownTypes>(KnownTypes { config, { .device = "cpu", .name = "Some CPU" } })
            : failure("no such device");
    };
    auto* note = new PrecisionNote(form.model, form.form, planner);
    const auto shown = [&](const QString& text) {
        const auto labels = form.form.field("compute")->findChildren<QLabel*>();
        return std::ranges::any_of(
            labels, [&](const QLabel* label) { return label->isVisible() && label->text().contains(text); });
    };
    form.model.edit("device", "cpu");
    form.model.edit("compute", "bf16");
    QVERIFY(QTest::qWaitFor([&] { return shown(QStringLiteral("multiplied in bf16. Some CPU has not been")); }));
    form.model.edit("precision", "fp16");
    QVERIFY(QTest::qWaitFor([&] { return shown(QStringLiteral("Held in fp16, multiplied in bf16.")); }));
    form.model.edit("precision", "nf4");
    QVERIFY(QTest::qWaitFor(
        [&] { return shown(QStringLiteral("Projections held in 4 bits, the rest in bf16; multiplied in bf16.")); }));
    form.model.edit("device", "cuda:0");
    QVERIFY(QTest::qWaitFor([&] { return note->text().isEmpty() && !shown(QStringLiteral("Held in")); }));
}

TUNEBENCH_UI_TEST(TestConfigForm)
#include "tst_config_form.moc"
