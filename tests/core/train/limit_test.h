#pragma once

#include "tests/core/train/trainer_test.h"

namespace tunebench {

/// Runs whose need is planned, and that are then limited to some memory.
class LimitTest : public TrainerTest {
protected:
    /// Rows of the given lengths, all tokens supervised, in a file.
    std::string tokenRows(const std::string& name, const std::vector<int>& lengths) const
    {
        std::string text;
        for (const int length : lengths) {
            nlohmann::json row;
            for (int i = 0; i < length; ++i)
                row["input_ids"].push_back((i * 7 + length) % 90 + 3);
            text += row.dump() + "\n";
        }
        const std::string file = path(name + ".jsonl");
        if (!writeFileAtomically(file, text))
            qFatal("cannot write the rows");
        return file;
    }

    static MemoryPlan planOf(const TrainingJob& job)
    {
        const auto plan = planned(job.config);
        if (!plan)
            qFatal("%s", plan.error().message.c_str());
        return *plan;
    }

    static TrainingJob limited(TrainingJob job, int64_t bytes, const std::string& name = {})
    {
        job.config.values.memoryLimit = bytes;
        job.config.set.insert("memory_limit");
        job.name = name;
        return job;
    }
};

} // namespace tunebench
