#include "core/data/micro_batches.h"
#include "core/memory/device.h"
#include "core/train/checkpoint.h"
#include "core/train/cooling.h"
#include "core/train/evaluate.h"
#include "tests/core/train/tiny_models.h"
#include "tests/core/train/trainer_test.h"

#include <ATen/Parallel.h>
#include <algorithm>
#include <map>
#include <set>
#include <thread>

using namespace tunebench;
using namespace tunebench::test;

namespace {

/// What is looked at to see that an option counts.
enum class Seen {
    losses,
    rates,
    tokens,
    slots,
    steps,
    evaluations,
    checkpoints,
    lines,
    peak,
    end,
    threads,
    positions,
    evaluationBatches,
    pauses,
    courtesy,
    answers
};

/// An option that is not its default, what else must be set for it to count, and where its effect shows.
struct Effect {
    const char* option; ///< key=value
    Seen seen;
    QStringList given {};
};

const std::vector<Effect>& effects()
{
    static const QStringList texts { "model=TEXTS", "dataset=TEXTS/rows.jsonl" };
    static const QStringList pairs { "model=TEXTS", "dataset=TEXTS/pairs.jsonl", "objective=dpo" };
    static const QStringList heldOut { "eval_share=0.4", "eval_every=1" };
    static const QStringList patient { "eval_dataset=ROWS", "eval_every=1", "epochs=4", "early_stopping_patience=2" };
    static const QStringList hasty
        = heldOut + QStringList { "epochs=30", "max_steps=20", "learning_rate=0.01", "accumulation_steps=1" };
    static const QStringList polynomial { "scheduler=polynomial" };
    static const QStringList sgd { "optimizer=sgd", "learning_rate=0.1" };
    static const std::vector<Effect> all {
        { "model=DATA/qwen2", Seen::losses },
        { "adapter=DATA/llama_adapter", Seen::losses, { "lora_rank=4", "lora_alpha=8" } },
        { "objective=dpo", Seen::end, { "model=TEXTS", "dataset=TEXTS/pairs.jsonl" } },
        { "dpo_beta=0.9", Seen::losses, pairs },
        { "dpo_loss=ipo", Seen::losses, pairs },
        { "method=full", Seen::losses },
        { "lora_rank=3", Seen::losses },
        { "lora_alpha=40", Seen::losses },
        { "lora_dropout=0.3", Seen::losses },
        { "lora_targets=v_proj", Seen::losses },
        { "use_rslora=true", Seen::losses },
        { "use_dora=true", Seen::losses },
        { "modules_to_save=norm", Seen::losses },
        { "dataset=DATA/other.jsonl", Seen::losses },
        { "eval_dataset=DATA/other.jsonl", Seen::evaluations },
        { "dataset_format=text", Seen::losses, texts },
        { "dataset_columns=OTHER", Seen::losses, texts },
        { "max_rows=5", Seen::tokens },
        { "eval_share=0.4", Seen::evaluations },
        { "eval_at_start=false", Seen::evaluations, heldOut },
        { "max_length=9", Seen::tokens },
        { "truncation=left", Seen::losses, { "max_length=9" } },
        { "loss_on=all", Seen::losses, texts },
        { "order=shuffle", Seen::losses },
        { "padding=longest", Seen::slots },
        { "padding_side=left", Seen::positions, { "padding=longest" } },
        { "packing=true", Seen::tokens },
        { "precision=bf16", Seen::losses },
        { "precision=nf4", Seen::losses },
        { "compute=bf16", Seen::losses },
        { "gradient_checkpointing=full", Seen::peak },
        { "checkpoint_every_layers=3", Seen::peak, { "gradient_checkpointing=full" } },
        { "batch_size=2", Seen::tokens },
        { "accumulation_steps=1", Seen::tokens },
        { "effective_batch=12", Seen::tokens },
        { "eval_batch_size=1", Seen::evaluationBatches },
        { "device=cuda:77", Seen::end },
        { "threads=3", Seen::threads },
        { "card=300 KiB", Seen::end },
        { "memory_limit=300000", Seen::end },
        { "on_out_of_memory=split", Seen::end, { "memory_limit=450000" } },
        { "courtesy=low", Seen::courtesy },
        { "loss_normalization=micro_batch_mean", Seen::losses },
        { "epochs=2", Seen::steps },
        { "max_steps=1", Seen::steps },
        { "max_hours=0.0000001", Seen::steps },
        { "max_temperature=60", Seen::pauses },
        { "learning_rate=0.004", Seen::rates },
        { "scheduler=cosine", Seen::rates },
        { "warmup_steps=2", Seen::rates },
        { "warmup_ratio=0.6", Seen::rates },
        { "scheduler_cycles=2", Seen::rates, { "scheduler=cosine_restarts" } },
        { "scheduler_power=3", Seen::rates, polynomial },
        { "learning_rate_end=0.0005", Seen::rates, polynomial },
        { "optimizer=lion", Seen::losses },
        { "beta1=0.5", Seen::losses },
        { "beta2=0.6", Seen::losses },
        { "epsilon=0.01", Seen::losses },
        { "momentum=0.9", Seen::losses, sgd },
        { "weight_decay=2", Seen::losses },
        { "max_grad_norm=0.01", Seen::losses, sgd },
        { "loss_scale=8", Seen::losses, { "compute=fp16" } },
        { "seed=7", Seen::losses },
        { "log_every=2", Seen::lines },
        { "eval_every=1", Seen::evaluations, { "eval_share=0.4" } },
        { "save_every=1", Seen::checkpoints },
        { "keep_checkpoints=1", Seen::checkpoints, { "save_every=1" } },
        { "early_stopping_patience=2", Seen::steps, hasty },
        { "early_stopping_min_delta=5", Seen::steps, patient },
        { "stop_at_eval_loss=100", Seen::steps, heldOut },
        { "eval_prompts=abc,de", Seen::answers, { "model=TEXTS" } },
        { "overfitting_intended=true", Seen::end, hasty },
    };
    return all;
}

std::string keyOf(const Effect& effect)
{
    const std::string option = effect.option;
    return option.substr(0, option.find('='));
}

QString number(const std::optional<double>& value)
{
    return value ? QString::number(*value, 'g', 17) : QString("none");
}

/// One figure of each step.
template <class Figure> QString listed(const Record& record, Figure figure)
{
    QStringList all;
    for (const StepMetrics& step : record.steps)
        all << QString(figure(step));
    return all.join(' ');
}

} // namespace

/// Each option of the table, set to something else than its default, changes what it is there to change. A new option
/// without a row here fails.
class TestEveryOption : public TrainerTest {
    Q_OBJECT

    /// A model with letters, and rows of letters.
    void writeTexts()
    {
        writeLetterModel("texts");
        std::string rows, pairs;
        for (int row = 0; row < 16; ++row) {
            const auto letters = [row](int first, int count) {
                std::string text;
                for (int i = 0; i < count; ++i)
                    text += static_cast<char>('a' + (row * 7 + first + i * 11) % 26);
                return text;
            };
            rows += nlohmann::json({ { "prompt", letters(1, 4) }, { "completion", letters(2, 3 + row % 4) },
                                       { "text", letters(3, 6) }, { "other", letters(4, 5) } })
                        .dump()
                + "\n";
            pairs += nlohmann::json({ { "prompt", letters(1, 4) }, { "chosen", letters(2, 3 + row % 4) },
                                        { "rejected", letters(5, 3) } })
                         .dump()
                + "\n";
        }
        QVERIFY(writeFileAtomically(path("texts/rows.jsonl"), rows).has_value());
        QVERIFY(writeFileAtomically(path("texts/pairs.jsonl"), pairs).has_value());
    }

    std::vector<std::string> resolved(const QStringList& options)
    {
        std::vector<std::string> all;
        for (QString option : options) {
            option.replace("DATA/other.jsonl", QString::fromStdString(path("other.jsonl")));
            option.replace("DATA", QString::fromStdString(dataFolder()));
            option.replace("TEXTS", QString::fromStdString(path("texts")));
            option.replace("=OTHER", R"(={"completion":"other"})");
            option.replace("=ROWS", "=" + QString::fromStdString(rowsFile("llama")));
            all.push_back(option.toStdString());
        }
        return all;
    }

    ConfigChoice choiceOf(const QStringList& options) { return job(resolved(options)).config; }

    /// How many threads LibTorch gives a thread that is born while the run trains.
    QString threadsOf(const QStringList& options)
    {
        Trainer trainer(job(resolved(options + QStringList { "epochs=1000" })));
        Record record;
        follow(trainer, record, [](const Record& r) { return !r.steps.empty(); });
        int threads = 0;
        std::jthread([&] { threads = at::get_num_threads(); }).join();
        return QString::number(threads);
    }

    QString positionsOf(const QStringList& options)
    {
        const TinyModel model = openTinyModel("llama");
        const Sequence first { 0 }, second { 1 };
        const std::array sequences { first, second };
        const MicroBatch batch = collate(model.rows, sequences, choiceOf(options).values, 0);
        QStringList ids;
        for (const int64_t id : batch.ids)
            ids << QString::number(id);
        return ids.join(' ');
    }

    QString evaluationBatchesOf(const QStringList& options)
    {
        const TinyModel model = openTinyModel("llama");
        const RunConfig config = choiceOf(options).values;
        Trainee trainee = makeTrainee(config, model.files.spec, model.files.weights.get(), nullptr, at::kCPU).value();
        int batches = 0;
        const auto metrics
            = evaluate(trainee.decoder, model.rows, config, 100000, [&](const MicroBatch&) { return ++batches > 0; });
        return metrics ? QString::number(batches) : QString();
    }

    QString checkpointsOf(const Record& record)
    {
        QStringList steps;
        for (const int64_t step : checkpointSteps(record.outcome.value_or("")))
            steps << QString::number(step);
        return steps.join(' ');
    }

    QString evaluationsOf(const Record& record)
    {
        QStringList all;
        for (const EvalMetrics& one : record.evaluations)
            all << QString::number(one.step) + ":" + number(one.loss);
        return all.join(' ');
    }

    /// What a run that ended well shows.
    QString figureOf(const Record& record, Seen seen)
    {
        switch (seen) {
        case Seen::losses:
            return listed(record, [](const StepMetrics& s) { return number(s.loss) + "/" + number(s.gradNorm); });
        case Seen::rates:
            return listed(record, [](const StepMetrics& s) { return number(s.learningRate); });
        case Seen::tokens:
            return listed(record, [](const StepMetrics& s) { return QString::number(s.tokens); });
        case Seen::slots:
            return listed(record, [](const StepMetrics& s) { return QString::number(s.paddedTokens); });
        case Seen::courtesy:
            return listed(record, [](const StepMetrics& s) { return s.courtesySeconds > 0 ? "pauses" : "works on"; });
        case Seen::steps:
            return QString::number(record.states.back().summary.step);
        case Seen::evaluations:
            return evaluationsOf(record);
        case Seen::answers:
            return QString::number(record.answers.size());
        case Seen::checkpoints:
            return checkpointsOf(record);
        case Seen::lines:
            return QString::number(readCurves(*record.outcome).value().steps.size());
        default:
            return QString::number(record.states.back().summary.peakAllocated);
        }
    }

    QString look(const QStringList& options, Seen seen)
    {
        if (seen == Seen::threads)
            return threadsOf(options);
        if (seen == Seen::positions)
            return positionsOf(options);
        if (seen == Seen::evaluationBatches)
            return evaluationBatchesOf(options);
        if (seen == Seen::pauses)
            return Cooling(choiceOf(options).values.maxTemperature).mustWait(80) ? "waits" : "goes on";
        TrainingJob made = job(resolved(options));
        if (made.config.values.effectiveBatch) // which says how many, where the job does not
            made.config.set.erase("accumulation_steps");
        const Record record = run(made);
        if (seen == Seen::end)
            return record.outcome ? QString::fromStdString(record.states.back().summary.overfitting)
                                  : QString::fromStdString(record.outcome.error().message);
        if (!record.outcome)
            return "failed: " + QString::fromStdString(record.outcome.error().message);
        return figureOf(record, seen);
    }

private Q_SLOTS:
    void initTestCase()
    {
        initializeEngine();
        writeTexts();
        std::string other;
        for (int row = 0; row < 16; ++row)
            other += R"({"input_ids":[5,6,7,8,9,)" + std::to_string(row) + R"(],"labels":[-100,6,7,8,9,)"
                + std::to_string(row) + "]}\n";
        QVERIFY(writeFileAtomically(path("other.jsonl"), other).has_value());
    }

    void everyOptionHasARow()
    {
        std::set<std::string> shown;
        for (const Effect& effect : effects())
            shown.insert(keyOf(effect));
        for (const Option& option : options())
            QVERIFY2(shown.contains(option.key), ("no test shows that " + option.key + " counts").c_str());
        QCOMPARE(shown.size(), options().size());
    }

    void optionCounts_data()
    {
        QTest::addColumn<int>("row");
        for (size_t i = 0; i < effects().size(); ++i)
            QTest::newRow(effects()[i].option) << static_cast<int>(i);
    }

    void optionCounts()
    {
        QFETCH(int, row);
        const Effect& effect = effects()[static_cast<size_t>(row)];
        QVERIFY(choiceOf(effect.given).values != choiceOf(effect.given + QStringList { effect.option }).values);
        const QString without = look(effect.given, effect.seen);
        QVERIFY2(!without.startsWith("failed"), qPrintable(without));
        const QString with = look(effect.given + QStringList { effect.option }, effect.seen);
        QVERIFY2(!with.startsWith("failed"), qPrintable(with));
        QVERIFY2(with != without, qPrintable("both: " + with));
    }
};

QTEST_GUILESS_MAIN(TestEveryOption)
#include "tst_every_option.moc"
