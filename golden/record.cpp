#include "golden/record.hpp"

namespace assay::golden {

Origin origin_of(const DeviceDescription& device, Backend backend, std::string date) {
  return {.backend = std::string(name(backend)),
          .card = device.name,
          .toolkit = device.toolkit,
          .date = std::move(date),
          .compute_capability = device.compute_capability,
          .multiprocessors = device.multiprocessors,
          .driver = device.driver_version,
          .runtime = device.runtime_version};
}

const Record* Records::find(const std::string& line) const {
  for (const Record& r : cases)
    if (r.line == line) return &r;
  return nullptr;
}

}  // namespace assay::golden
