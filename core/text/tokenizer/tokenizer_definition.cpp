#include "core/text/tokenizer/tokenizer_definition.h"

namespace tunebench {

using nlohmann::json;

namespace {

constexpr size_t deepestNesting = 64;

/// Receives nlohmann's events. Values outside `model.vocab` and `model.merges` become a JSON document.
class DefinitionReader : public nlohmann::json_sax<json> {
public:
    bool null() override { return value(nullptr); }
    bool boolean(bool flag) override { return value(flag); }
    bool number_integer(int64_t number) override { return m_table == Table::none ? value(number) : entry(number); }
    bool number_unsigned(uint64_t number) override
    {
        constexpr uint64_t tooLarge = Vocabulary::highestId + 1;
        return m_table == Table::none ? value(number) : entry(static_cast<int64_t>(std::min(number, tooLarge)));
    }
    bool number_float(double number, const std::string& /*text*/) override { return value(number); }
    bool string(std::string& text) override { return m_table == Table::none ? value(std::move(text)) : merge(text); }
    bool binary(json::binary_t& /*bytes*/) override { return false; }

    bool start_object(size_t /*size*/) override
    {
        if (m_table == Table::none && atModelKey("vocab")) {
            m_table = Table::vocabulary;
            return true;
        }
        return m_table == Table::none ? open(json::object()) : wrongEntry();
    }

    bool end_object() override { return m_table == Table::none ? close() : endTable(); }

    bool start_array(size_t /*size*/) override
    {
        if (m_table == Table::none && atModelKey("merges")) {
            m_table = Table::merges;
            return true;
        }
        if (m_table == Table::merges && !m_inPair) {
            m_inPair = true;
            m_pair.clear();
            return true;
        }
        return m_table == Table::none ? open(json::array()) : wrongEntry();
    }

    bool end_array() override
    {
        if (m_table == Table::none) {
            return close();
        }
        if (!m_inPair) {
            return endTable();
        }
        m_inPair = false;
        if (m_pair.size() != 2) {
            return wrongEntry();
        }
        definition.merges.add(m_pair[0], m_pair[1]);
        return true;
    }

    bool key(std::string& text) override
    {
        m_key = std::move(text);
        return true;
    }

    bool parse_error(size_t position, const std::string& /*token*/, const json::exception& /*error*/) override
    {
        return fail("is not valid JSON (at byte " + std::to_string(position) + "); the file may be cut or damaged");
    }

    TokenizerDefinition definition;
    std::string error;

private:
    enum class Table { none, vocabulary, merges };

    bool fail(std::string message)
    {
        error = std::move(message);
        return false;
    }

    bool wrongEntry()
    {
        return fail(m_table == Table::vocabulary ? "\"model.vocab\" must be an object of tokens and their ids"
                                                 : "\"model.merges\" must be a list of \"a b\" or [\"a\", \"b\"]");
    }

    bool atModelKey(std::string_view name) const
    {
        return m_key == name && m_open.size() == 2 && m_open.back() == m_model && m_open.back()->is_object();
    }

    bool value(json content)
    {
        if (m_table != Table::none) {
            return wrongEntry();
        }
        place(std::move(content));
        return true;
    }

    json* place(json content)
    {
        if (m_open.empty()) {
            definition.document = std::move(content);
            return &definition.document;
        }
        json& parent = *m_open.back();
        if (parent.is_array()) {
            parent.push_back(std::move(content));
            return &parent.back();
        }
        json& member = parent[m_key];
        member = std::move(content);
        if (m_open.size() == 1 && m_key == "model") {
            m_model = &member;
        }
        return &member;
    }

    bool open(json container)
    {
        if (m_open.size() == deepestNesting) {
            return fail("is nested too deeply");
        }
        m_open.push_back(place(std::move(container)));
        return true;
    }

    bool close()
    {
        m_open.pop_back();
        return true;
    }

    bool endTable()
    {
        m_table = Table::none;
        return true;
    }

    bool entry(int64_t id)
    {
        if (m_table != Table::vocabulary) {
            return wrongEntry();
        }
        const Result<void> added = definition.vocabulary.add(m_key, id);
        return added ? true : fail("does not fit: " + added.error().message);
    }

    bool merge(std::string& text)
    {
        if (m_table != Table::merges) {
            return wrongEntry();
        }
        if (m_inPair) {
            m_pair.push_back(std::move(text));
            return m_pair.size() <= 2 || wrongEntry();
        }
        if (text.starts_with("#version")) {
            return true;
        }
        const size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos) {
            return wrongEntry();
        }
        const std::string_view line = text;
        definition.merges.add(line.substr(0, space), line.substr(space + 1));
        return true;
    }

    Table m_table = Table::none;
    bool m_inPair = false;
    std::vector<std::string> m_pair;
    std::string m_key;
    std::vector<json*> m_open; ///< the containers that we are in; an array's elements move only while none is open
    const json* m_model = nullptr;
};

} // namespace

Result<TokenizerDefinition> readTokenizerJson(std::string_view text)
{
    DefinitionReader reader;
    if (!json::sax_parse(text.begin(), text.end(), &reader)) {
        return failure(reader.error.empty() ? "is not valid JSON" : reader.error);
    }
    return std::move(reader.definition);
}

} // namespace tunebench
