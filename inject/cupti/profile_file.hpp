#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profile/activity_trace.hpp"
#include "profile/cuda_driver.hpp"
#include "profile/launch_watch.hpp"
#include "profile/profile_writer.hpp"
#include "rooflab/profile/profile_request.hpp"

namespace rooflab::inject {

/// This process's profile: the file, and the numbers of launch signatures in it. For any thread.
class ProfileFile {
 public:
  explicit ProfileFile(const profile::ProfileRequest& request);

  /// The head: process and settings. `clock_ns`: now on the activities' clock.
  void begin(const std::string& cupti_version, const std::string& cupti_path,
             std::int64_t clock_ns);
  /// A device is in use.
  void device(const profile::CudaDriver& driver, int device);
  /// Its chip, once that is known.
  void chip(int device, const std::string& name);

  /// The UUID of a device in use; empty: not known.
  [[nodiscard]] std::string uuid_of(int device);

  /// The number of a launch's signature; its line is written when it is new.
  [[nodiscard]] std::uint32_t id_of(std::uint64_t fingerprint, const profile::Launch& launch);
  /// A number for a set of metrics.
  [[nodiscard]] std::size_t new_set() { return sets_++; }
  void kernel(const profile::KernelActivity& activity);
  void copy(const profile::CopyActivity& activity);
  /// What the names of files next to this one begin with.
  [[nodiscard]] std::string stem() const;
  /// The number of NVTX ranges, one inside the other.
  [[nodiscard]] std::int32_t number_of_range(const std::string& names);
  void peaks(const std::map<std::string, double>& peaks);
  /// Metrics that the chip does not have, each said once.
  void missing(const std::vector<std::string>& metrics);
  /// The last line.
  void end(std::string_view how);

  /// For lines that need nothing of the above.
  [[nodiscard]] profile::ProfileWriter& lines() { return writer_; }

 private:
  struct Known {
    std::uint32_t id = 0;
    bool complete = false;  ///< its line tells registers and shared memory
  };
  Known& known(std::uint64_t fingerprint, profile::ProfileKernel line,
               const profile::KernelActivity* activity);

  const profile::ProfileRequest& request_;
  const std::string path_;
  profile::ProfileWriter writer_;
  std::mutex mutex_;  ///< guards what follows
  std::unordered_map<std::uint64_t, Known> signatures_;
  std::vector<profile::ProfileDevice> devices_;
  std::set<std::string> missing_;
  std::unordered_map<std::string, std::int32_t> ranges_;
  std::uint64_t kernels_ = 0;
  std::atomic<std::size_t> sets_ = 0;
};

}  // namespace rooflab::inject
