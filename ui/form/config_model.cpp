#include "ui/form/config_model.h"

#include <QUndoCommand>

#include <nlohmann/json.hpp>
#include <utility>

namespace tunebench {

/// One step back or forth. Successive edits of one field are one step.
class ConfigModel::Change : public QUndoCommand {
public:
    Change(ConfigModel& model, ConfigChoice after, const QString& text, std::string mergeKey)
        : QUndoCommand(text)
        , m_model(model)
        , m_before(model.choice())
        , m_after(std::move(after))
        , m_mergeKey(std::move(mergeKey))
    {
    }

    int id() const override { return m_mergeKey.empty() ? -1 : 1; }

    bool mergeWith(const QUndoCommand* other) override
    {
        const auto* change = dynamic_cast<const Change*>(other);
        if (change == nullptr || change->m_mergeKey != m_mergeKey) {
            return false;
        }
        m_after = change->m_after;
        return true;
    }

    void undo() override { m_model.apply(m_before); }

    void redo() override
    {
        // The first time the field shows what was typed already.
        if (std::exchange(m_fresh, false) && !m_mergeKey.empty()) {
            m_model.m_choice = m_after;
        } else {
            m_model.apply(m_after);
        }
    }

private:
    ConfigModel& m_model;
    ConfigChoice m_before, m_after;
    std::string m_mergeKey;
    bool m_fresh = true;
};

ConfigModel::ConfigModel(QObject* parent)
    : QObject(parent)
    , m_choice(defaultChoice())
{
    revalidate();
}

void ConfigModel::edit(const std::string& key, const nlohmann::json& value)
{
    if (const auto result = change(key, value, key); result) {
        m_refused.erase(key);
    } else {
        m_refused[key] = result.error().message;
    }
    revalidate();
}

void ConfigModel::set(const std::string& key, const nlohmann::json& value)
{
    const auto result = change(key, value, {});
    Q_ASSERT(result);
}

Result<void> ConfigModel::change(const std::string& key, const nlohmann::json& value, const std::string& mergeKey)
{
    ConfigChoice after = m_choice;
    if (auto result = setOption(after.values, key, value); !result) {
        return result;
    }
    if (optionValue(after.values, key) == optionValue(RunConfig {}, key)) {
        after.set.erase(key);
    } else {
        after.set.insert(key);
    }
    if (after.values != m_choice.values || after.set != m_choice.set) {
        push(std::move(after), tr("change of %1").arg(QString::fromStdString(findOption(key)->label)), mergeKey);
    }
    return {};
}

void ConfigModel::reset(const std::string& key)
{
    ConfigChoice after = m_choice;
    const auto result = setOption(after.values, key, optionValue(RunConfig {}, key));
    Q_ASSERT(result);
    after.set.erase(key);
    push(std::move(after), tr("reset of %1").arg(QString::fromStdString(findOption(key)->label)), {});
}

void ConfigModel::resetAll()
{
    replace(defaultChoice(), tr("reset of all options"));
}

void ConfigModel::replace(ConfigChoice choice, const QString& undoText)
{
    push(std::move(choice), undoText, {});
}

const Finding* ConfigModel::blocker() const
{
    for (const Finding& finding : m_findings) {
        if (!finding.warning) {
            return &finding;
        }
    }
    return nullptr;
}

void ConfigModel::revalidate()
{
    m_findings.clear();
    for (const auto& [key, message] : m_refused) {
        m_findings.push_back({ key, message });
    }
    for (Finding& finding : validate(m_choice)) {
        if (!m_refused.contains(finding.key)) {
            m_findings.push_back(std::move(finding));
        }
    }
    emit changed();
}

void ConfigModel::apply(const ConfigChoice& choice)
{
    m_choice = choice;
    m_refused.clear();
    emit replaced();
    revalidate();
}

void ConfigModel::push(ConfigChoice after, const QString& text, const std::string& mergeKey)
{
    m_undo.push(new Change(*this, std::move(after), text, mergeKey));
}

ConfigChoice defaultChoice()
{
    return {};
}

ConfigChoice choiceFromConfig(const RunConfig& config)
{
    ConfigChoice choice { config, {} };
    for (const Option& option : options()) {
        if (optionValue(config, option.key) != optionValue(RunConfig {}, option.key)) {
            choice.set.insert(option.key);
        }
    }
    return choice;
}

std::string choiceToText(const ConfigChoice& choice)
{
    nlohmann::ordered_json object = nlohmann::ordered_json::object();
    for (const Option& option : options()) {
        if (choice.set.contains(option.key)) {
            object[option.key] = optionValue(choice.values, option.key);
        }
    }
    return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace tunebench
