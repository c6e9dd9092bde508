#include "host_caches.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace rooflab::probe_worker {
namespace {

namespace fs = std::filesystem;

/// A folder as the kernel shows it in /sys/devices/system/cpu.
class Processors {
 public:
  Processors()
      : folder_(fs::path(testing::TempDir()) /
                (std::string("rooflab-caches-") +
                 testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
  }
  ~Processors() { fs::remove_all(folder_); }
  Processors(const Processors&) = delete;
  Processors& operator=(const Processors&) = delete;

  void cache(int cpu, int index, int level, const std::string& type, const std::string& size,
             const std::string& shared) const {
    const fs::path path =
        folder_ / ("cpu" + std::to_string(cpu)) / "cache" / ("index" + std::to_string(index));
    fs::create_directories(path);
    std::ofstream(path / "level") << level << '\n';
    std::ofstream(path / "type") << type << '\n';
    std::ofstream(path / "size") << size << '\n';
    std::ofstream(path / "shared_cpu_list") << shared << '\n';
  }
  [[nodiscard]] const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
};

TEST(HostCaches, SharedOnesCountOnce) {
  const Processors processors;
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string self = std::to_string(cpu);
    processors.cache(cpu, 0, 1, "Data", "32K", self);
    processors.cache(cpu, 1, 1, "Instruction", "32K", self);
    processors.cache(cpu, 2, 3, "Unified", "16M", cpu < 2 ? "0-1" : "2-3");
  }
  EXPECT_EQ(last_level_caches(processors.folder()), 2 * 16 * 1024 * 1024);
}

TEST(HostCaches, WithoutAThirdLevelTheSecondIsTheLast) {
  const Processors processors;
  processors.cache(0, 0, 1, "Data", "48K", "0");
  processors.cache(0, 1, 2, "Unified", "2048K", "0");
  EXPECT_EQ(last_level_caches(processors.folder()), 2 * 1024 * 1024);
}

TEST(HostCaches, NothingKnownIsNoSize) {
  const Processors processors;
  EXPECT_EQ(last_level_caches(processors.folder()), std::nullopt);
  processors.cache(0, 0, 1, "Data", "", "0");
  EXPECT_EQ(last_level_caches(processors.folder()), std::nullopt);
}

}  // namespace
}  // namespace rooflab::probe_worker
