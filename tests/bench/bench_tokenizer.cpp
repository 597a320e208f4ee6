#include "core/base/files.h"
#include "core/text/text_model.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

using namespace tunebench;

namespace {

double secondsSince(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

/// How fast one thread tokenizes: `bench_tokenizer MODEL` takes JSON lists of texts, one list a line, and answers each
/// with {"seconds": S, "tokens": N}. Before the first it says {"load_seconds": S}. compare_tokenizers.py drives it.
int main(int argc, char** argv)
{
    if (argc != 2) {
        std::cerr << "usage: bench_tokenizer MODEL < lists of texts\n";
        return 2;
    }
    const auto start = std::chrono::steady_clock::now();
    const auto model = openTextModel(argv[1]);
    if (!model) {
        std::cerr << model.error().message << "\n";
        return 2;
    }
    std::cout << nlohmann::json { { "load_seconds", secondsSince(start) } }.dump() << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        const auto texts = nlohmann::json::parse(line).get<std::vector<std::string>>();
        size_t tokens = 0;
        const auto begin = std::chrono::steady_clock::now();
        for (const std::string& text : texts) {
            tokens += model->tokenizer.encode(text, false).size();
        }
        std::cout << nlohmann::json { { "seconds", secondsSince(begin) }, { "tokens", tokens } }.dump() << std::endl;
    }
    return 0;
}
