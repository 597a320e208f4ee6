#pragma once

#include "core/base/files.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

namespace tunebench {

/// The real program with a small random model, in a folder of its own.
class CliProgram {
public:
    QString path(const QString& name) const { return m_folder.filePath(name); }
    QString runs() const { return path("runs"); }
    std::string runsPath() const { return runs().toStdString(); }

    /// A config that trains the small Llama on the rows of its reference.
    QString config() const
    {
        const std::string data = std::string(TUNEBENCH_TEST_DATA) + "/train/";
        const auto reference = nlohmann::json::parse(readFile(data + "llama_reference.json").value());
        std::string rows;
        for (const auto& row : reference.at("rows"))
            rows += row.dump() + "\n";
        const nlohmann::json options { { "model", data + "llama" }, { "dataset", "rows.jsonl" }, { "batch_size", 4 },
            { "accumulation_steps", 2 }, { "eval_share", 0 }, { "max_length", 128 }, { "device", "cpu" },
            { "threads", 1 } };
        const bool written = writeFileAtomically(path("rows.jsonl").toStdString(), rows)
            && writeFileAtomically(path("config.json").toStdString(), options.dump());
        return written ? path("config.json") : QString();
    }

    /// Starts the program with an empty data folder, so that no stored measurement has a say.
    void start(QProcess& process, const QStringList& arguments) const
    {
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("XDG_DATA_HOME", path("data"));
        process.setProcessEnvironment(environment);
        process.start(TUNEBENCH_CLI, arguments);
    }

    /// The exit status; -1 when it crashed or hung.
    int run(const QStringList& arguments, QByteArray& out, QByteArray& err) const
    {
        QProcess process;
        start(process, arguments);
        if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit)
            return -1;
        out = process.readAllStandardOutput();
        err = process.readAllStandardError();
        return process.exitCode();
    }

private:
    QTemporaryDir m_folder;
};

} // namespace tunebench
