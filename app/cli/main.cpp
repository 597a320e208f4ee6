#include "app/cli/engine_commands.h"

#include <iostream>

int main(int argc, char** argv)
{
    std::ios::sync_with_stdio(false);
    tunebench::Console console { std::cin, std::cout, std::cerr };
    tunebench::CommandLine line;
    tunebench::addTrain(line);
    addPlan(line);
    addProbe(line);
    tunebench::addResume(line);
    tunebench::addTextCommands(line);
    tunebench::addDoctor(line);
    return line.run(argc, argv, console);
}
