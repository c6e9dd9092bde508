#include "host_caches.hpp"

#include <map>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::probe_worker {
namespace {

namespace fs = std::filesystem;

std::string line_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  try {
    return std::string(trim(read_file(file)));
  } catch (const Error&) {  // the kernel may refuse the reading itself
    return {};
  }
}

/// `32768K`, `105M`: Documentation/ABI/testing/sysfs-devices-system-cpu of the Linux kernel.
std::optional<std::int64_t> bytes_of(std::string_view text) {
  std::int64_t factor = 1;
  if (text.ends_with('K')) factor = 1024;
  if (text.ends_with('M')) factor = std::int64_t{1} << 20U;
  if (factor > 1) text.remove_suffix(1);
  const auto value = parse_integer(text);
  return value && *value > 0 ? std::optional(*value * factor) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> last_level_caches(const fs::path& cpus) {
  // By level, and by the processors that share the cache.
  std::map<int, std::map<std::string, std::int64_t>> caches;
  for (int cpu = 0;; ++cpu) {
    const fs::path folder = cpus / format("cpu{}", cpu);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) break;
    for (int index = 0;; ++index) {
      const fs::path cache = folder / "cache" / format("index{}", index);
      if (!fs::is_directory(cache, ignored)) break;
      const auto level = parse_integer(line_of(cache / "level"));
      const auto bytes = bytes_of(line_of(cache / "size"));
      if (!level || !bytes || line_of(cache / "type") == "Instruction") continue;
      caches[static_cast<int>(*level)][line_of(cache / "shared_cpu_list")] = *bytes;
    }
  }
  if (caches.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const auto& [processors, bytes] : caches.rbegin()->second) sum += bytes;
  return sum;
}

}  // namespace rooflab::probe_worker
