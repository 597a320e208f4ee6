#pragma once

#include "core/base/files.h"
#include "core/text/tokenizer/tokenizer.h"

#include <QString>
#include <QTest>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// The right values under tests/data/text/tokenizer; make_goldens.py says what they are.
namespace fixture {

inline std::string path(const std::string& name)
{
    return std::string(TUNEBENCH_TEST_DATA "/text/tokenizer/") + name;
}

inline nlohmann::json json(const std::string& name)
{
    const auto text = tunebench::readFile(path(name));
    return text ? nlohmann::json::parse(*text) : nlohmann::json();
}

inline tunebench::Result<tunebench::Tokenizer> openTokenizer(const std::string& file)
{
    return tunebench::readFile(file).and_then(
        [&](const std::string& text) { return tunebench::Tokenizer::fromJson(text, file); });
}

inline tunebench::Result<tunebench::Tokenizer> smallTokenizer(const std::string& name)
{
    return openTokenizer(path(name + ".tokenizer.json"));
}

inline std::vector<std::string> texts()
{
    return json("texts.json").get<std::vector<std::string>>();
}

inline const char* const smallNames[]
    = { "behaviors", "flags", "gemma", "gpt2", "gpt2_prefix", "llama2", "llama2_normalized", "llama3", "metaspace",
          "metaspace_never", "mistral", "qwen", "replace_regex", "smollm", "tekken", "whitespace_split", "words" };

} // namespace fixture
