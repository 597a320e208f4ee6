# Where packaging/setup.sh puts what it fetches: tunebench_cache.
if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(tunebench_cache "$ENV{XDG_CACHE_HOME}/tunebench")
else()
    set(tunebench_cache "$ENV{HOME}/.cache/tunebench")
endif()
