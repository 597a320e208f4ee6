#include "core/data/prompt_ids.h"
#include "tests/core/train/trainer_test.h"

#include <algorithm>

using namespace tunebench;

/// Prompts that a run answers at its evaluations (eval_prompts).
class TestAnswers : public TrainerTest {
    Q_OBJECT

    TrainingJob asking(const std::vector<std::string>& more, const std::string& name = {})
    {
        std::vector<std::string> all { "model=" + path("letters"), "eval_prompts=[\"abc\",\"z\"]" };
        all.insert(all.end(), more.begin(), more.end());
        return job(all, name);
    }

    static std::vector<int64_t> stepsOf(const std::vector<AnswerMetrics>& answers)
    {
        std::vector<int64_t> steps;
        for (const AnswerMetrics& answer : answers)
            steps.push_back(answer.step);
        return steps;
    }

    static void compareAnswers(const std::vector<AnswerMetrics>& some, const std::vector<AnswerMetrics>& others)
    {
        QCOMPARE(some.size(), others.size());
        for (size_t i = 0; i < some.size(); ++i) {
            QCOMPARE(some[i].step, others[i].step);
            QCOMPARE(some[i].prompt, others[i].prompt);
            QCOMPARE(some[i].text, others[i].text);
            QCOMPARE(some[i].tokens, others[i].tokens);
            QCOMPARE(some[i].note, others[i].note);
        }
    }

private slots:
    void initTestCase()
    {
        writeLetterModel("letters");
        writeLetterModel("chat",
            { { "chat_template",
                "{% for m in messages %}{{ m.content }}b{% endfor %}{% if add_generation_prompt %}c{% endif %}" } });
        writeJson("chat/generation_config.json", { { "eos_token_id", { 3, 26 } } });
    }

    void promptsAreWrittenAsTheModelReadsThem()
    {
        const auto plain = openTextModel(path("letters")).value(), chat = openTextModel(path("chat")).value();
        QCOMPARE(promptIds("az", plain, "2026-01-01").value(), (std::vector<TokenId> { 0, 25 }));
        QCOMPARE(promptIds("az", chat, "2026-01-01").value(), (std::vector<TokenId> { 0, 25, 1, 2 }));
        QVERIFY(!promptIds("", plain, "2026-01-01").has_value());
        QCOMPARE(plain.ends, (std::vector<TokenId> { 26, 2 })); // the tokenizer's, and that of config.json
        QCOMPARE(chat.ends, (std::vector<TokenId> { 26, 3 }));
    }

    void answersAreToldAndKept()
    {
        const Record record = run(asking({ "eval_share=0.3", "eval_every=2", "epochs=2" }));
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        QCOMPARE(stepsOf(record.answers), (std::vector<int64_t> { 0, 0, 2, 2, 4, 4, 6, 6 }));
        for (size_t i = 0; i < record.answers.size(); ++i) {
            const AnswerMetrics& answer = record.answers[i];
            QCOMPARE(answer.prompt, std::string(i % 2 == 0 ? "abc" : "z"));
            QVERIFY(answer.tokens >= 0 && answer.tokens <= 128 && answer.seconds > 0);
            QCOMPARE(answer.note.empty(), answer.tokens < 128);
        }
        compareAnswers(readCurves(*record.outcome).value().answers, record.answers);
        const auto text = readFile(record.outcome->string() + "/metrics.jsonl").value();
        QVERIFY(text.starts_with("{\"type\":\"answer\",\"step\":0,\"prompt\":\"abc\",\"text\":"));
    }

    void answersWithoutHeldOutRows()
    {
        const Record record = run(asking({ "eval_share=0" }));
        QCOMPARE(stepsOf(record.answers), (std::vector<int64_t> { 0, 0, 4, 4 }));
        QVERIFY(record.evaluations.empty());
        const Record later = run(asking({ "eval_share=0", "eval_at_start=false" }));
        QCOMPARE(stepsOf(later.answers), (std::vector<int64_t> { 4, 4 }));
        compareAnswers({ record.answers.begin() + 2, record.answers.end() }, later.answers);
    }

    void trainingIsTheSameWithThem()
    {
        const std::vector<std::string> options { "eval_share=0.3", "eval_every=1", "lora_dropout=0.2",
            "order=shuffle" };
        const Record with = run(asking(options));
        auto none = options;
        none.emplace_back("eval_prompts=none");
        const Record without = run(asking(none));
        QVERIFY(without.answers.empty() && !with.answers.empty());
        QCOMPARE(with.steps.size(), without.steps.size());
        for (size_t i = 0; i < with.steps.size(); ++i) {
            QCOMPARE(with.steps[i].loss, without.steps[i].loss);
            QCOMPARE(with.steps[i].gradNorm, without.steps[i].gradNorm);
        }
        for (size_t i = 0; i < with.evaluations.size(); ++i)
            QCOMPARE(with.evaluations[i].loss, without.evaluations[i].loss);
        const std::string weights = "/adapter/adapter_model.safetensors";
        QVERIFY(readFile(with.outcome->string() + weights).value()
            == readFile(without.outcome->string() + weights).value());
    }

    /// Wherever it was stopped, also within an answer.
    void resumedRunHasTheSame_data()
    {
        QTest::addColumn<int>("answersBefore");
        QTest::addColumn<QString>("share");
        for (const char* share : { "0", "0.3" }) {
            for (const int answers : { 0, 1, 3, 4 })
                QTest::newRow(qPrintable(QString("after %1, share %2").arg(answers).arg(share))) << answers << share;
        }
    }

    void resumedRunHasTheSame()
    {
        QFETCH(int, answersBefore);
        QFETCH(QString, share);
        const std::vector<std::string> options { "eval_share=" + share.toStdString(), "eval_every=1", "save_every=1" };
        const Record whole = run(asking(options));
        const std::string name = "parted" + std::to_string(answersBefore) + share.toStdString();
        {
            Trainer trainer(asking(options, name));
            Record record;
            follow(trainer, record, [&](const Record& r) {
                const bool asked = std::ranges::any_of(
                    r.lines, [](const LogLine& line) { return line.text.starts_with("Answering"); });
                return asked && static_cast<int>(r.answers.size()) >= answersBefore;
            });
            trainer.stop();
            trainer.wait();
        }
        const Record rest = run(this->rest(name));
        QVERIFY2(rest.outcome.has_value(), rest.outcome ? "" : rest.outcome.error().message.c_str());
        const auto curves = readCurves(*rest.outcome).value(), right = readCurves(*whole.outcome).value();
        compareAnswers(curves.answers, right.answers);
        for (size_t i = 0; i < right.steps.size(); ++i)
            QCOMPARE(curves.steps[i].loss, right.steps[i].loss);
    }

    void planCoversThem_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("steps need more") << QStringList {};
        QTest::newRow("answers need more") << QStringList { "batch_size=1", "max_rows=3", "lora_targets=v_proj",
            "gradient_checkpointing=full", "max_length=6", "eval_prompts=[\"" + QString(120, 'q') + "\",\"ab\"]" };
    }

    void planCoversThem()
    {
        QFETCH(QStringList, options);
        const TrainingJob made = asking(assignments(options));
        const auto plan = planned(made.config);
        QVERIFY2(plan.has_value(), plan ? "" : plan.error().message.c_str());
        QCOMPARE(plan->place.pass == "answer", !options.isEmpty());
        const Record record = run(made);
        QVERIFY2(record.outcome.has_value(), record.outcome ? "" : record.outcome.error().message.c_str());
        QCOMPARE(plan->peakAllocated, record.states.back().summary.peakAllocated);
    }

    void whatCannotBeAskedIsRefused_data()
    {
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("words");
        const QString letters = "model=" + QString::fromStdString(path("letters"));
        QTest::newRow("no tokenizer") << QStringList { "model=" + QString::fromStdString(dataFolder()) + "llama" }
                                      << "eval_prompts need the model's tokenizer";
        QTest::newRow("too long") << QStringList { letters, "eval_prompts=[\"ab\",\"" + QString(129, 'q') + "\"]" }
                                  << "prompt 2 has 129 tokens";
        QTest::newRow("nothing left") << QStringList { letters, "eval_prompts=[\"#!?\"]" } << "prompt 1";
    }

    void whatCannotBeAskedIsRefused()
    {
        QFETCH(QStringList, options);
        QFETCH(QString, words);
        const TrainingJob made = asking(assignments(options));
        const Record record = run(made);
        QVERIFY(!record.outcome.has_value());
        const QString message = QString::fromStdString(record.outcome.error().message);
        QVERIFY2(message.contains(words), qPrintable(message));
        QVERIFY(record.outcome.error().fault == Fault::input);
        const auto plan = planned(made.config);
        QVERIFY(!plan.has_value());
        QCOMPARE(plan.error().message, record.outcome.error().message);
    }
};

QTEST_GUILESS_MAIN(TestAnswers)
#include "tst_answers.moc"
