#include "counters/counter_access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <map>

#include "rooflab/system/file.hpp"

namespace rooflab::counters {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// As /proc/driver/nvidia/params of driver 580 has it, shortened.
constexpr const char* restricted =
    "ResmanDebugLevel: 4294967295\nRmLogonRC: 1\nModifyDeviceFiles: 1\nRmProfilingAdminOnly: 1\n"
    "PreserveVideoMemoryAllocations: 0\nRegistryDwords: \"\"\n";
constexpr const char* open_to_all = "ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 0\n";

/// A machine in a separate folder.
class CounterAccessTest : public testing::Test {
 protected:
  CounterAccessTest() {
    std::string pattern = (fs::temp_directory_path() / "test-of-access-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    sources_.driver_parameters = root_ / "params";
    sources_.process_status = root_ / "status";
    sources_.local = root_ / "local";
    sources_.variable = [this](const char* name) -> std::optional<std::string> {
      const auto found = variables_.find(name);
      return found == variables_.end() ? std::nullopt : std::optional(found->second);
    };
  }
  ~CounterAccessTest() override { fs::remove_all(root_); }

  fs::path put(const fs::path& file, std::string_view content = "") const {
    fs::create_directories((root_ / file).parent_path());
    write_file_atomically(root_ / file, content);
    return root_ / file;
  }
  fs::path put_cupti(const fs::path& folder, const std::string& version) const {
    put(folder / "libnvperf_host.so");
    return put(folder / ("libcupti.so." + version));
  }
  CounterAccess access() const { return counter_access(sources_); }

  fs::path root_;
  AccessSources sources_;
  std::map<std::string, std::string> variables_;
};

TEST_F(CounterAccessTest, AMachineWithoutAnythingHasNothing) {
  EXPECT_EQ(access(), CounterAccess{});
  EXPECT_FALSE(access().usable());
  EXPECT_EQ(access().found(), "no CUPTI; no NVIDIA driver");
  EXPECT_THAT(access().advice(), HasSubstr("CUDA toolkit"));
  EXPECT_THAT(access().advice(), HasSubstr("NVIDIA GPU"));
}

TEST_F(CounterAccessTest, ReadsWhomTheDriverPermits) {
  put("params", restricted);
  EXPECT_TRUE(access().driver);
  EXPECT_EQ(access().admin_only, true);
  EXPECT_FALSE(access().permitted());
  EXPECT_THAT(access().advice(), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
  put("params", open_to_all);
  EXPECT_EQ(access().admin_only, false);
  EXPECT_TRUE(access().permitted());
  // Another parameter whose name only begins so; no number.
  put("params", "RmProfilingAdminOnlyX: 1\nRmProfilingAdminOnly: maybe\n");
  EXPECT_TRUE(access().driver);
  EXPECT_EQ(access().admin_only, std::nullopt);
  EXPECT_THAT(access().found(), HasSubstr("does not say"));
}

// linux/capability.h: CAP_SYS_ADMIN 21, CAP_PERFMON 38.
TEST_F(CounterAccessTest, ReadsEffectiveCapabilities) {
  put("params", restricted);
  put("status", "Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t0000000000200000\nCapBnd:\t0\n");
  EXPECT_TRUE(access().sys_admin);
  EXPECT_FALSE(access().perfmon);
  EXPECT_TRUE(access().permitted());
  EXPECT_THAT(access().found(), HasSubstr("this process is one"));
  put("status", "CapEff:\t0000004000000000\n");
  EXPECT_FALSE(access().sys_admin);
  EXPECT_TRUE(access().perfmon);
  EXPECT_TRUE(access().permitted());
  EXPECT_THAT(access().found(), HasSubstr("R565"));
  // What a container of Docker has without --cap-add.
  put("status", "CapEff:\t00000000a80425fb\n");
  EXPECT_FALSE(access().permitted());
  put("status", "CapEff:\tnot hexadecimal\n");
  EXPECT_FALSE(access().sys_admin);
}

TEST_F(CounterAccessTest, ReadsTheProcessItself) {
  // Of a file of /proc, whose size is said to be 0.
  sources_.process_status = "/proc/self/status";
  EXPECT_EQ(access().sys_admin, counter_access().sys_admin);
  const AccessSources here;
  EXPECT_EQ(here.variable("PATH"), std::optional<std::string>(std::getenv("PATH")));
  EXPECT_EQ(here.variable("ROOFLAB_NO_SUCH_VARIABLE"), std::nullopt);
}

TEST_F(CounterAccessTest, TakesTheNewestToolkit) {
  put_cupti("local/cuda-9.2/extras/CUPTI/lib64", "9");
  const fs::path twelve = put_cupti("local/cuda-12.8/extras/CUPTI/lib64", "12");
  EXPECT_EQ(access().cupti, twelve);
  const fs::path thirteen = put_cupti("local/cuda-13.0/lib64", "13");
  EXPECT_EQ(access().cupti, thirteen);
  // What the machine's own link says goes first, and the environment before it.
  fs::create_directory_symlink(root_ / "local/cuda-12.8", root_ / "local/cuda");
  EXPECT_EQ(access().cupti, root_ / "local/cuda/extras/CUPTI/lib64/libcupti.so.12");
  variables_["LD_LIBRARY_PATH"] = ":" + (root_ / "local/cuda-13.0/lib64").string() + ":";
  EXPECT_EQ(access().cupti, thirteen);
  variables_["CUDA_HOME"] = (root_ / "local/cuda-9.2").string();
  EXPECT_EQ(access().cupti, root_ / "local/cuda-9.2/extras/CUPTI/lib64/libcupti.so.9");
}

TEST_F(CounterAccessTest, TakesTheHighestMajorNumberOfAFolder) {
  variables_["LD_LIBRARY_PATH"] = (root_ / "lib").string();
  put_cupti("lib", "9");
  put_cupti("lib", "13");
  put("lib/libcupti.so.2025.3.1");
  put("lib/libcupti.so.12.8");
  put("lib/libcupti.so");
  EXPECT_EQ(access().cupti, root_ / "lib/libcupti.so.13");
}

TEST_F(CounterAccessTest, CuptiWithoutItsMetricsIsNotEnough) {
  variables_["LD_LIBRARY_PATH"] = (root_ / "bare").string();
  const fs::path bare = put("bare/libcupti.so.13");
  EXPECT_EQ(access().cupti, std::nullopt);
  EXPECT_EQ(access().incomplete_cupti, bare);
  EXPECT_THAT(access().found(), HasSubstr("without libnvperf_host.so"));
  EXPECT_THAT(access().advice(), HasSubstr("put libnvperf_host.so"));
  const fs::path whole = put_cupti("local/cuda/lib64", "12");
  EXPECT_EQ(access().cupti, whole);
  EXPECT_EQ(access().incomplete_cupti, std::nullopt);
}

TEST_F(CounterAccessTest, FindsThePackagesOfPython) {
  put("venv/bin/python3");
  put("system/bin/python3");
  put_cupti("system/lib/python3.11/dist-packages/nvidia/cuda_cupti/lib", "12");
  const fs::path wheel = put_cupti("venv/lib/python3.12/site-packages/nvidia/cuda_cupti/lib", "12");
  variables_["PATH"] = (root_ / "empty").string() + "::" + (root_ / "venv/bin").string() + ":" +
                       (root_ / "system/bin").string();
  EXPECT_EQ(access().cupti, wheel);
  const fs::path newer = put_cupti("venv/lib/python3.12/site-packages/nvidia/cu13/lib", "13");
  EXPECT_EQ(access().cupti, newer);
}

TEST_F(CounterAccessTest, SeesAnotherProfiler) {
  put("params", open_to_all);
  put_cupti("local/cuda/lib64", "13");
  EXPECT_TRUE(access().usable());
  EXPECT_THAT(access().advice(), IsEmpty());
  EXPECT_EQ(access().found(),
            (root_ / "local/cuda/lib64/libcupti.so.13").string() + "; open to all users");
  variables_["CUDA_INJECTION64_PATH"] = "/opt/nsys/libToolsInjection64.so";
  EXPECT_FALSE(access().usable());
  EXPECT_THAT(access().found(), HasSubstr("/opt/nsys/libToolsInjection64.so"));
  EXPECT_THAT(access().advice(), HasSubstr("unset CUDA_INJECTION64_PATH"));
  variables_["CUDA_INJECTION64_PATH"] = "";
  EXPECT_TRUE(access().usable());
}

// `lib64/libcupti.so.13` of an empty CUDA_HOME would lie in the working folder.
TEST_F(CounterAccessTest, AsksNoFolderOfTheWorkingFolder) {
  variables_ = {{"CUDA_HOME", ""},
                {"CUDA_PATH", "cuda"},
                {"LD_LIBRARY_PATH", "lib::.:/l"},
                {"PATH", "bin::."}};
  sources_.local = "/u";
  const std::vector<fs::path> folders = cupti_folders(sources_);
  EXPECT_EQ(folders.front(), "/l");
  for (const fs::path& folder : folders) EXPECT_TRUE(folder.is_absolute()) << folder;
}

TEST_F(CounterAccessTest, AsksFoldersInOrder) {
  variables_ = {{"CUDA_HOME", "/h"}, {"LD_LIBRARY_PATH", "/l"}};
  sources_.local = "/u";
  EXPECT_THAT(
      cupti_folders(sources_),
      ElementsAre("/h/lib64", "/h/extras/CUPTI/lib64", "/h/targets/x86_64-linux/lib",
                  "/h/targets/sbsa-linux/lib", "/l", "/u/cuda/lib64", "/u/cuda/extras/CUPTI/lib64",
                  "/u/cuda/targets/x86_64-linux/lib", "/u/cuda/targets/sbsa-linux/lib"));
}

}  // namespace
}  // namespace rooflab::counters
