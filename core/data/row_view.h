#pragma once

#include "core/data/dataset.h"

#include <memory>
#include <string>
#include <vector>

namespace tunebench {

/// One token of a row as a person sees it.
struct TokenView {
    TokenId id = 0;
    std::string text; ///< what it adds to the text; empty where the next tokens complete its character
    bool supervised = false; ///< it is learned
    bool cut = false; ///< truncation takes it away
};

/// A row as it will be trained: its tokens in order, the cut ones in their place; or why it is left out.
struct RowView {
    std::string file;
    size_t line = 0;
    std::vector<TokenView> tokens;
    std::string refusal; ///< empty for a usable row
};

/// Shows single rows of a dataset, by the options' rules, without loading the others.
class RowViewer {
public:
    /// `files`, `config` and `setup` as for loadDataset; the setup's text must outlive the viewer. Without a text only
    /// rows of tokens can be shown; their text is the ids.
    static Result<RowViewer> open(
        std::span<const std::string> files, const RunConfig& config, const EncodingSetup& setup);
    RowViewer(RowViewer&&) noexcept;
    RowViewer& operator=(RowViewer&&) noexcept;
    ~RowViewer();

    /// Rows in the files, refused ones included.
    size_t count() const;

    /// The row with this number, from 0 and less than count().
    RowView row(size_t index) const;

private:
    struct State;
    explicit RowViewer(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

} // namespace tunebench
