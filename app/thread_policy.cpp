// LibTorch's threads wait for each other by spinning: best on an idle machine, ten times slower as soon as another
// program wants a core. OpenMP reads how to wait from the environment when it is loaded, before main(), and has no call
// to change it. So the first code of the program (the entries of .preinit_array run before any library's) starts the
// program once more with OMP_WAIT_POLICY set, at the cost of some milliseconds. Who has set the variable keeps it.

#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char* setting = "OMP_WAIT_POLICY=PASSIVE";

bool isSet(char* const* environment)
{
    for (; *environment; ++environment) {
        if (std::strncmp(*environment, setting, std::strlen("OMP_WAIT_POLICY=")) == 0)
            return true;
    }
    return false;
}

void letThreadsSleep(int, char** arguments, char** environment)
{
    std::array<char, PATH_MAX> program {};
    if (isSet(environment) || ::readlink("/proc/self/exe", program.data(), program.size() - 1) < 0)
        return;
    std::vector<char*> extended;
    for (char* const* entry = environment; *entry; ++entry)
        extended.push_back(*entry);
    extended.push_back(const_cast<char*>(setting));
    extended.push_back(nullptr);
    ::execve(program.data(), arguments, extended.data()); // when it fails, the program goes on as it is
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const firstCode)(int, char**, char**) = letThreadsSleep;

} // namespace
