#include "core/data/record_hash.h"

#include "core/base/fingerprint.h"

namespace tunebench {
namespace {

using nlohmann::ordered_json;

/// Texts with their lengths, so that "ab", "c" and "a", "bc" differ.
void addText(Fingerprint& fingerprint, std::string_view text)
{
    const size_t size = text.size();
    fingerprint.add(std::as_bytes(std::span(&size, 1)));
    fingerprint.add(text);
}

void addIds(Fingerprint& fingerprint, const std::vector<TokenId>& ids)
{
    fingerprint.add(std::as_bytes(std::span(ids)));
}

void addJson(Fingerprint& fingerprint, const ordered_json& value)
{
    if (value.is_string()) {
        addText(fingerprint, value.get_ref<const std::string&>());
    } else if (value.is_structured()) {
        addText(fingerprint, value.is_array() ? "[" : "{");
        for (const auto& [key, element] : value.items()) {
            addText(fingerprint, key);
            addJson(fingerprint, element);
        }
        addText(fingerprint, "}");
    } else {
        addText(fingerprint, value.dump());
    }
}

struct Adder {
    Fingerprint& fingerprint;

    void operator()(const ChatRecord& chat) const
    {
        addJson(fingerprint, chat.messages);
        addJson(fingerprint, chat.tools);
        addText(fingerprint, std::to_string(chat.promptMessages));
    }
    void operator()(const PromptRecord& row) const
    {
        addText(fingerprint, row.prompt);
        addText(fingerprint, row.completion);
    }
    void operator()(const TextRecord& row) const { addText(fingerprint, row.text); }
    void operator()(const TokenRow& row) const
    {
        addIds(fingerprint, row.ids);
        addIds(fingerprint, row.labels);
    }
    void operator()(const PreferenceRecord& pair) const
    {
        std::visit(*this, pair.chosen);
        std::visit(*this, pair.rejected);
    }
};

} // namespace

uint64_t recordHash(const Record& record)
{
    Fingerprint fingerprint;
    std::visit(Adder { fingerprint }, record);
    return fingerprint.value();
}

} // namespace tunebench
