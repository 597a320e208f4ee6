# LibTorch as the PyPI wheel lays it out, as an imported target of our own: the wheel's own package file stops where
# there is no CUDA toolkit. Looked for in $TUNEBENCH_LIBTORCH (the folder that holds include/ and lib/), then where
# packaging/setup.sh puts it.
#
# LibTorch::LibTorch links torch_cpu and c10 alone; the CUDA half is opened at start where a driver is found.

include(cache_folder)
find_path(LibTorch_ROOT_DIR NAMES include/ATen/ATen.h
    PATHS "$ENV{TUNEBENCH_LIBTORCH}" "${tunebench_cache}/libtorch/torch" NO_DEFAULT_PATH)
find_library(LibTorch_CPU_LIBRARY torch_cpu PATHS "${LibTorch_ROOT_DIR}/lib" NO_DEFAULT_PATH)
find_library(LibTorch_C10_LIBRARY c10 PATHS "${LibTorch_ROOT_DIR}/lib" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
    REQUIRED_VARS LibTorch_ROOT_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY
    REASON_FAILURE_MESSAGE "Run packaging/setup.sh, or set TUNEBENCH_LIBTORCH to a LibTorch folder.")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
    add_library(LibTorch::LibTorch INTERFACE IMPORTED GLOBAL)
    target_include_directories(LibTorch::LibTorch SYSTEM INTERFACE
        "${LibTorch_ROOT_DIR}/include" "${LibTorch_ROOT_DIR}/include/torch/csrc/api/include")
    # Classes of its headers have members more without NDEBUG, which the library, built with it, knows nothing of.
    target_compile_definitions(LibTorch::LibTorch INTERFACE $<$<CONFIG:Debug>:NDEBUG>)
    target_link_libraries(LibTorch::LibTorch INTERFACE
        "${LibTorch_CPU_LIBRARY}" "${LibTorch_C10_LIBRARY}" Threads::Threads)
    # The wheel's libraries find each other; a program must find them, and what lies beside torch, from anywhere.
    target_link_options(LibTorch::LibTorch INTERFACE "-Wl,-rpath,${LibTorch_ROOT_DIR}/lib"
        "-Wl,-rpath-link,${LibTorch_ROOT_DIR}/lib"
        "-Wl,-rpath-link,${LibTorch_ROOT_DIR}/../nvidia/cu13/lib"
        "-Wl,--disable-new-dtags,-rpath,${LibTorch_ROOT_DIR}/../nvidia/cu13/lib")
endif()
