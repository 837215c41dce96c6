# Third-party packages, each found once. Who may use which is design: Boost and Eigen in oracles, HDF5 in golden, RapidCheck in properties,
# Random123 in fixtures, CLI11 and JSON in tools, toml++ in the mutant tool, GoogleTest in tests, fmt anywhere but in a .cu.
find_package(Threads REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(rapidcheck REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)

# Debian ships fmt as a shared library or as headers, and header-only costs 5 s a file: make the static one.
find_path(ASSAY_FMT_INCLUDE fmt/format-inl.h REQUIRED)
add_library(assay_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/fmt.cpp)
target_include_directories(assay_fmt SYSTEM PUBLIC ${ASSAY_FMT_INCLUDE})

find_path(ASSAY_RANDOM123_INCLUDE Random123/philox.h REQUIRED)
add_library(assay_random123 INTERFACE)
target_include_directories(assay_random123 SYSTEM INTERFACE ${ASSAY_RANDOM123_INCLUDE})

# Debian's toml++ target names a shared library: use the headers.
find_path(ASSAY_TOML_INCLUDE toml++/toml.h REQUIRED)
add_library(assay_toml INTERFACE)
target_include_directories(assay_toml SYSTEM INTERFACE ${ASSAY_TOML_INCLUDE})
target_compile_definitions(assay_toml INTERFACE TOML_HEADER_ONLY=1)

# Headers alone: FindEigen3 would add nothing. As system headers, for they warn.
find_path(ASSAY_EIGEN_INCLUDE Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)
add_library(assay_eigen INTERFACE)
target_include_directories(assay_eigen SYSTEM INTERFACE ${ASSAY_EIGEN_INCLUDE})

find_library(ASSAY_ZLIB libz.a REQUIRED)
