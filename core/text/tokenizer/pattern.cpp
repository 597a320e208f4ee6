#include "core/text/tokenizer/pattern.h"

#include "core/text/tokenizer/regex_syntax.h"
#include "core/text/tokenizer/unicode.h"
#include "core/text/utf8.h"

#include <nlohmann/json.hpp>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace tunebench {

namespace {

PCRE2_SPTR unitsOf(std::string_view text)
{
    return reinterpret_cast<PCRE2_SPTR>(text.data());
}

std::string messageOf(int error)
{
    PCRE2_UCHAR buffer[256] = {};
    pcre2_get_error_message(error, buffer, sizeof buffer);
    return reinterpret_cast<const char*>(buffer);
}

using MatchData = std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)>;

void findLiteral(std::string_view text, std::string_view literal, std::vector<ByteSpan>& matches)
{
    if (literal.empty()) {
        return;
    }
    for (size_t at = text.find(literal); at != std::string_view::npos; at = text.find(literal, at + literal.size())) {
        matches.push_back({ at, at + literal.size() });
    }
}

} // namespace

struct Pattern::Code {
    std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> program { nullptr, pcre2_code_free };
    bool compiledToMachineCode = false;

    int match(std::string_view text, size_t start, pcre2_match_data* data) const
    {
        int found = PCRE2_ERROR_JIT_STACKLIMIT;
        if (compiledToMachineCode) {
            found = pcre2_jit_match(program.get(), unitsOf(text), text.size(), start, 0, data, nullptr);
        }
        if (found == PCRE2_ERROR_JIT_STACKLIMIT) {
            constexpr auto options = PCRE2_NO_JIT | PCRE2_NO_UTF_CHECK;
            found = pcre2_match(program.get(), unitsOf(text), text.size(), start, options, data, nullptr);
        }
        return found;
    }
};

Pattern Pattern::literal(std::string text)
{
    Pattern pattern;
    pattern.m_literal = std::move(text);
    return pattern;
}

Result<Pattern> Pattern::regex(std::string_view expression)
{
    const Result<std::string> translated = toPcreSyntax(expression);
    if (!translated) {
        return tl::unexpected(translated.error());
    }
    int error = 0;
    PCRE2_SIZE where = 0;
    auto code = std::make_shared<Code>();
    code->program.reset(pcre2_compile(unitsOf(*translated), translated->size(),
        PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C, &error, &where, nullptr));
    if (code->program == nullptr) {
        return failure("the regular expression \"" + std::string(expression) + "\" is wrong: " + messageOf(error));
    }
    code->compiledToMachineCode = pcre2_jit_compile(code->program.get(), PCRE2_JIT_COMPLETE) == 0;
    Pattern pattern;
    pattern.m_code = std::move(code);
    return pattern;
}

Result<Pattern> Pattern::fromJson(const nlohmann::json& json)
{
    if (json.is_object()) {
        if (const auto literal = json.find("String"); literal != json.end() && literal->is_string()) {
            return Pattern::literal(literal->get<std::string>());
        }
        if (const auto expression = json.find("Regex"); expression != json.end() && expression->is_string()) {
            return regex(expression->get_ref<const std::string&>());
        }
    }
    return failure("\"pattern\" must be {\"String\": \"...\"} or {\"Regex\": \"...\"}");
}

void Pattern::findAll(std::string_view text, std::vector<ByteSpan>& matches) const
{
    matches.clear();
    if (m_code == nullptr) {
        findLiteral(text, m_literal, matches);
        return;
    }
    std::string buffer;
    const std::string_view subject = withRegexStandIns(text, buffer);
    const MatchData data(pcre2_match_data_create_from_pattern(m_code->program.get(), nullptr), pcre2_match_data_free);
    const PCRE2_SIZE* border = pcre2_get_ovector_pointer(data.get());
    for (size_t start = 0; start <= subject.size() && m_code->match(subject, start, data.get()) > 0;) {
        const ByteSpan found { border[0], border[1] };
        const bool repeatsEmpty = found.begin == found.end && !matches.empty() && matches.back().end == found.end;
        if (!repeatsEmpty) {
            matches.push_back(found);
        }
        start = found.end;
        if (found.begin == found.end) {
            start += start < subject.size() ? utf8Length(subject[start]) : 1;
        }
    }
}

} // namespace tunebench
