#pragma once

#include "core/config/options.h"

#include <QObject>
#include <QUndoStack>

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace tunebench {

/// The options that the form edits: the values, what was set, what is wrong with them, and the way back (undo).
class ConfigModel : public QObject {
    Q_OBJECT
public:
    explicit ConfigModel(QObject* parent = nullptr);

    const ConfigChoice& choice() const { return m_choice; }
    bool isSet(const std::string& key) const { return m_choice.set.contains(key); }

    /// What a field's user typed. A value that the option refuses leaves the old one in place and becomes a finding.
    void edit(const std::string& key, const nlohmann::json& value);

    /// What was chosen elsewhere than in the option's field; a step of its own for undo.
    void set(const std::string& key, const nlohmann::json& value);
    void reset(const std::string& key);
    void resetAll();

    /// Takes a whole configuration, as from a file or a saved run.
    void replace(ConfigChoice choice, const QString& undoText);

    /// Refused input first, then what validation says of the values.
    const std::vector<Finding>& findings() const { return m_findings; }

    /// The first finding that stands against a start, or nullptr.
    const Finding* blocker() const;

    /// Looks at the files again: they may have appeared or gone since the last edit.
    void revalidate();

    QUndoStack* undoStack() { return &m_undo; }

signals:
    /// A value or a finding is different.
    void changed();
    /// Values are different that no field's user has typed: fields show them anew.
    void replaced();

private:
    class Change;
    Result<void> change(const std::string& key, const nlohmann::json& value, const std::string& mergeKey);
    void apply(const ConfigChoice& choice);
    void push(ConfigChoice after, const QString& text, const std::string& mergeKey);

    ConfigChoice m_choice;
    std::map<std::string, std::string> m_refused; ///< key to message
    std::vector<Finding> m_findings;
    QUndoStack m_undo;
};

/// A choice with nothing set.
ConfigChoice defaultChoice();

/// What differs from the defaults counts as set.
ConfigChoice choiceFromConfig(const RunConfig& config);

/// The set options alone, as a config file.
std::string choiceToText(const ConfigChoice& choice);

} // namespace tunebench
