#include "machine_tag.hpp"

#include <cstdint>
#include <optional>
#include <random>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {

const std::string& machine_tag() {
  static const std::string tag = [] {
    const auto boot = read_file_if_possible("/proc/sys/kernel/random/boot_id");
    const std::uint64_t number = boot ? fnv1a(*boot) : std::random_device()();
    return format("{:08x}", static_cast<std::uint32_t>(number));
  }();
  return tag;
}

}  // namespace rooflab
