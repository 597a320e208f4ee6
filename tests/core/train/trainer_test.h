#pragma once

#include "core/base/files.h"
#include "core/runs/run_library.h"
#include "core/train/plan_memory.h"
#include "core/train/trainer.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace tunebench {

inline std::string dataFolder()
{
    return std::string(TUNEBENCH_TEST_DATA) + "/train/";
}

/// The events of a run by kind.
struct Record {
    std::vector<StepMetrics> steps;
    std::vector<EvalMetrics> evaluations;
    std::vector<AnswerMetrics> answers;
    std::vector<StateChange> states;
    std::vector<LogLine> lines;
    Result<std::filesystem::path> outcome;

    void take(std::vector<TrainerEvent> events)
    {
        for (TrainerEvent& event : events) {
            if (auto* step = std::get_if<StepMetrics>(&event))
                steps.push_back(*step);
            else if (auto* evaluation = std::get_if<EvalMetrics>(&event))
                evaluations.push_back(*evaluation);
            else if (auto* answer = std::get_if<AnswerMetrics>(&event))
                answers.push_back(*answer);
            else if (auto* state = std::get_if<StateChange>(&event))
                states.push_back(*state);
            else
                lines.push_back(std::get<LogLine>(event));
        }
    }
};

/// Runs of the small models, in a folder of their own.
class TrainerTest : public QObject {
protected:
    QTemporaryDir m_folder;

    std::string path(const std::string& name) const { return m_folder.path().toStdString() + "/" + name; }
    std::filesystem::path runs() const { return path("runs"); }

    /// The rows of the reference, in a file.
    std::string rowsFile(const std::string& family)
    {
        const auto reference = nlohmann::json::parse(readFile(dataFolder() + family + "_reference.json").value());
        std::string text;
        for (const auto& row : reference.at("rows"))
            text += row.dump() + "\n";
        const std::string file = path(family + ".jsonl");
        if (!writeFileAtomically(file, text))
            qFatal("cannot write the rows");
        return file;
    }

    void writeJson(const std::string& file, const nlohmann::json& content)
    {
        if (!writeFileAtomically(path(file), content.dump()))
            qFatal("cannot write %s", file.c_str());
    }

    /// A model whose tokens are the letters a to z (0 to 25) and <eos> (26); with more in its tokenizer_config.json.
    void writeLetterModel(const std::string& name, const nlohmann::json& more = nlohmann::json::object())
    {
        std::filesystem::create_directories(path(name));
        for (const char* file : { "config.json", "model.safetensors" })
            std::filesystem::copy_file(dataFolder() + "llama/" + file, path(name + "/") + file);
        nlohmann::json vocabulary;
        for (int letter = 0; letter < 26; ++letter)
            vocabulary[std::string(1, static_cast<char>('a' + letter))] = letter;
        writeJson(name + "/tokenizer.json",
            { { "version", "1.0" },
                { "added_tokens",
                    { { { "id", 26 }, { "content", "<eos>" }, { "special", true }, { "normalized", false },
                        { "single_word", false }, { "lstrip", false }, { "rstrip", false } } } },
                { "model", { { "type", "BPE" }, { "vocab", vocabulary }, { "merges", nlohmann::json::array() } } } });
        nlohmann::json config { { "eos_token", "<eos>" } };
        config.update(more);
        writeJson(name + "/tokenizer_config.json", config);
    }

    /// The options of a data row.
    static std::vector<std::string> assignments(const QStringList& options)
    {
        std::vector<std::string> all;
        for (const QString& option : options)
            all.push_back(option.toStdString());
        return all;
    }

    TrainingJob job(const std::vector<std::string>& assignments, const std::string& name = {})
    {
        TrainingJob made { .config = {}, .runs = runs(), .name = name };
        std::vector<std::string> all { "model=" + dataFolder() + "llama", "dataset=" + rowsFile("llama"), "device=cpu",
            "precision=fp32", "compute=fp32", "order=sequential", "eval_share=0", "batch_size=4",
            "accumulation_steps=2", "scheduler=constant", "warmup_ratio=0", "learning_rate=1e-3", "max_length=128",
            "threads=1" };
        all.insert(all.end(), assignments.begin(), assignments.end());
        for (const std::string& assignment : all) {
            if (const auto applied = applyAssignment(made.config, assignment); !applied)
                qFatal("%s", applied.error().message.c_str());
        }
        return made;
    }

    TrainingJob rest(const std::string& name, const std::vector<std::string>& assignments = {})
    {
        TrainingJob made;
        made.runs = runs();
        made.name = name;
        made.resumes = true;
        for (const std::string& assignment : assignments) {
            if (const auto applied = applyAssignment(made.config, assignment); !applied)
                qFatal("%s", applied.error().message.c_str());
        }
        return made;
    }

    /// By what stands in the files alone.
    static Result<MemoryPlan> planned(const ConfigChoice& choice)
    {
        return readExtents(choice.values, 0).and_then([&](const ReadExtents& extents) {
            return planMemory(choice, extents.view(), PlanDetail::all);
        });
    }

    Record run(TrainingJob made)
    {
        Record record;
        Trainer trainer(std::move(made));
        trainer.wait();
        record.take(trainer.drain());
        record.outcome = trainer.outcome();
        return record;
    }

    /// Takes events until `enough` is true of them or the run has ended.
    template <class Enough> static void follow(Trainer& trainer, Record& record, Enough enough)
    {
        QVERIFY(QTest::qWaitFor(
            [&] {
                const bool ended = trainer.finished();
                record.take(trainer.drain());
                return enough(record) || ended;
            },
            60000));
    }
};

} // namespace tunebench
