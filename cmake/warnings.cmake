# What every target of ours is compiled with.
add_library(tunebench_warnings INTERFACE)
target_compile_options(tunebench_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow=local -Wnon-virtual-dtor)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # g++ 12 reports "text" + std::string as overlapping memory (GCC bug 105651).
    target_compile_options(tunebench_warnings INTERFACE -Wno-restrict -Wno-missing-field-initializers)
endif()
if(TUNEBENCH_WERROR)
    target_compile_options(tunebench_warnings INTERFACE -Werror)
endif()
if(TUNEBENCH_SANITIZE STREQUAL "address")
    add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
    add_link_options(-fsanitize=address,undefined)
elseif(TUNEBENCH_SANITIZE STREQUAL "thread")
    # -Wno-tsan: Qt and LibTorch have fences in their headers, which this sanitizer does not follow. With it, g++ 12
    # also takes the empty alternatives of a std::variant for uninitialised ones.
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -Wno-tsan -Wno-maybe-uninitialized)
    add_link_options(-fsanitize=thread)
elseif(TUNEBENCH_SANITIZE)
    message(FATAL_ERROR "TUNEBENCH_SANITIZE is address, thread or empty, not ${TUNEBENCH_SANITIZE}.")
endif()
if(TUNEBENCH_FUZZ)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# tunebench_library(NAME SOURCES ... [LINKS public libraries ...] [USES private libraries ...]): one folder of core or ui.
function(tunebench_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;USES")
    add_library(${name} STATIC ${arg_SOURCES})
    target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${arg_LINKS} PRIVATE tunebench_warnings ${arg_USES})
endfunction()
