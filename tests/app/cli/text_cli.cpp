#include "app/cli/command_line.h"

#include <iostream>

int main(int argc, char** argv)
{
    std::ios::sync_with_stdio(false);
    tunebench::Console console { std::cin, std::cout, std::cerr };
    tunebench::CommandLine line;
    tunebench::addTextCommands(line);
    return line.run(argc, argv, console);
}
