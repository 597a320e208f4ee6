#pragma once

#include "core/base/files.h"
#include "core/base/fingerprint.h"
#include "core/data/row_outcome.h"

#include <optional>
#include <stop_token>

namespace tunebench {

// Encoded rows are kept from run to run, each set in a file of its own in one folder. The file's name is a key made of
// all that decides about the rows, so an edited dataset, another tokenizer or another program never finds them.

/// The key of the rows that a source gives with a setup: from the content of the data, of the model's text files and of
/// this very program, the template, the options that matter before truncation and, where the template asks for it, the
/// date. Empty where something cannot be read.
std::string keptRowsKey(const std::string& data, DatasetFormat format, const RunConfig& config,
    const EncodingSetup& setup, const std::string& today);

/// Rows that an earlier run kept, in the order of the file.
class KeptRows {
public:
    /// Nothing where there are none, where the file is damaged in any way, or when it was stopped.
    static std::optional<KeptRows> open(
        const std::filesystem::path& folder, const std::string& key, const std::stop_token& stop = {});

    /// The next row, or nothing after the last.
    std::optional<RowOutcome> next();

private:
    explicit KeptRows(MappedFile file);

    MappedFile m_file;
    std::string_view m_left; ///< what was not read yet
    size_t m_released = 0; ///< bytes that no longer count as this process's memory
    std::vector<std::string> m_columns; ///< of the row before
};

/// Keeps rows as they come. What goes wrong with it (a full disk, say) is nobody's concern: then there are none.
class KeptRowsWriter {
public:
    /// An empty key keeps nothing.
    KeptRowsWriter(const std::filesystem::path& folder, const std::string& key);

    void add(const RowOutcome& outcome);

    /// Makes the rows known to later runs, and removes the oldest sets where the folder has grown too large.
    void finish();

private:
    void flush();

    std::filesystem::path m_folder;
    std::optional<AtomicFile> m_file;
    std::string m_buffer;
    Fingerprint m_fingerprint;
    size_t m_size = 0;
    std::vector<std::string> m_columns; ///< of the row before
};

} // namespace tunebench
