# Sourced by tools/check and tools/test: installs what is missing, configures, builds what is out of date.
# Sets $preset (cuda where nvcc exists, else host) and $build (its folder). Environment: ASSAY_PRESET, ASSAY_JOBS.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Debian 12 and Ubuntu 24.04 name them alike.
packages=(g++ cmake ninja-build libgtest-dev libbenchmark-dev librapidcheck-dev libboost-dev libeigen3-dev libhdf5-dev libaec-dev zlib1g-dev
          libfmt-dev librandom123-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev python3-numpy python3-pytest python3-h5py
          slurmctld slurmd slurm-client munge)   # Slurm, for the test of shards under it: 3.5 MB to download, 13.4 MB on the disk

is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
  local missing=() package as_root=()
  command -v dpkg-query >/dev/null || { echo "assay: this is no Debian or Ubuntu; install these packages' counterparts: ${packages[*]}" >&2; return 0; }
  for package in "${packages[@]}"; do is_installed "$package" || missing+=("$package"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root=(sudo); else
      echo "assay: missing packages, and no root to install them. Run:" >&2
      echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
      exit 2
    fi
  fi
  echo "assay: installing ${missing[*]}" >&2
  "${as_root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# nvcc may lie beside PATH; the headers alone are enough for the emulator.
find_toolkit() {
  local folder
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-13* /usr; do
    if [ -n "$folder" ] && [ -x "$folder/bin/nvcc" ]; then command -v nvcc >/dev/null || PATH="$folder/bin:$PATH"; fi
  done
  if command -v nvcc >/dev/null; then
    local release major
    release=$(nvcc --version | sed -n 's/.*release \([0-9]*\.[0-9]*\).*/\1/p')
    major=${release%%.*}
    if [ "${major:-0}" -ge 13 ]; then preset=cuda; return; fi
    echo "assay: nvcc $release is older than 13.0, building for the emulator only" >&2
  fi
  preset=host
  for folder in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda /usr/local/cuda-13* /usr; do
    if [ -n "$folder" ] && { [ -f "$folder/include/cuda_fp8.h" ] || [ -f "$folder/targets/x86_64-linux/include/cuda_fp8.h" ]; }; then return; fi
  done
  echo "assay: no CUDA headers. Install the CUDA Toolkit 13 (package cuda-toolkit-13-0 of NVIDIA's repository; no GPU or driver is" >&2
  echo "  needed), or set CUDA_HOME to a folder that holds include/cuda_fp8.h." >&2
  exit 2
}

configure_and_build() {
  build="$root/build/$preset"
  if [ ! -f "$build/build.ninja" ]; then
    mkdir -p "$build"
    (cd "$root" && cmake --preset "$preset") >"$build/configure.log" 2>&1 || { cat "$build/configure.log" >&2; exit 2; }
  fi
  # quiet while it goes well: ninja's own lines only when something is built
  cmake --build "$build" ${ASSAY_JOBS:+-j "$ASSAY_JOBS"} --target "$@" >"$build/build.log" 2>&1 || { grep -E "error|FAILED|ninja:" "$build/build.log" | head -n 40 >&2
    echo "assay: the build failed; all of it is in $build/build.log" >&2; exit 2; }
}

install_packages
preset=host
find_toolkit
preset=${ASSAY_PRESET:-$preset}
