# Arrow and Parquet for C++ as the wheel of pyarrow lays them out. Looked for in $TUNEBENCH_ARROW (the folder that holds
# include/ and the libraries, or lib/ with them), then where packaging/setup.sh puts it.

include(cache_folder)
find_path(Arrow_ROOT_DIR NAMES include/parquet/arrow/reader.h
    PATHS "$ENV{TUNEBENCH_ARROW}" "${tunebench_cache}/arrow/pyarrow" NO_DEFAULT_PATH)
# The wheel names its libraries by version alone.
find_library(Arrow_LIBRARY NAMES arrow libarrow.so.2600
    PATHS "${Arrow_ROOT_DIR}" "${Arrow_ROOT_DIR}/lib" NO_DEFAULT_PATH)
find_library(Arrow_PARQUET_LIBRARY NAMES parquet libparquet.so.2600
    PATHS "${Arrow_ROOT_DIR}" "${Arrow_ROOT_DIR}/lib" NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arrow
    REQUIRED_VARS Arrow_ROOT_DIR Arrow_LIBRARY Arrow_PARQUET_LIBRARY
    REASON_FAILURE_MESSAGE "Run packaging/setup.sh, or set TUNEBENCH_ARROW to a folder with Arrow and Parquet for C++.")

if(Arrow_FOUND AND NOT TARGET Arrow::Parquet)
    add_library(Arrow::Parquet INTERFACE IMPORTED GLOBAL)
    target_include_directories(Arrow::Parquet SYSTEM INTERFACE "${Arrow_ROOT_DIR}/include")
    target_link_libraries(Arrow::Parquet INTERFACE "${Arrow_PARQUET_LIBRARY}" "${Arrow_LIBRARY}")
    # A program must find the libraries from anywhere.
    get_filename_component(_arrow_folder "${Arrow_LIBRARY}" DIRECTORY)
    target_link_options(Arrow::Parquet INTERFACE "-Wl,-rpath,${_arrow_folder}")
endif()
