#include "profile_file.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "profile/launch_fingerprint.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::inject {
namespace {

std::string host_name() {
  utsname system = {};
  return ::uname(&system) == 0 ? system.nodename : "";
}

/// Number in the first variable that holds one.
std::optional<int> number_of(std::span<const char* const> variables) {
  for (const char* const variable : variables) {
    const char* const text = std::getenv(variable);
    if (text == nullptr || *text == '\0') continue;
    char* end = nullptr;
    const long value = std::strtol(text, &end, 10);
    if (*end == '\0') return static_cast<int>(value);
  }
  return std::nullopt;
}

// torchrun, Open MPI, Slurm, MPICH.
std::optional<int> rank() {
  constexpr std::array<const char*, 4> variables = {"RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID",
                                                    "PMI_RANK"};
  return number_of(variables);
}
std::optional<int> world_size() {
  constexpr std::array<const char*, 4> variables = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE",
                                                    "SLURM_NTASKS", "PMI_SIZE"};
  return number_of(variables);
}

std::vector<std::string> command_line() {
  const std::string text = read_file_if_possible("/proc/self/cmdline").value_or("");
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\0', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

std::string executable() {
  std::array<char, 4096> path = {};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size > 0 ? std::string(path.data(), static_cast<std::size_t>(size)) : "";
}

std::string file_of(const profile::ProfileRequest& request) {
  std::string path = request.folder + "/" + host_name() + "." + std::to_string(::getpid());
  if (const std::optional<int> number = rank()) path += ".rank" + std::to_string(*number);
  return path + ".jsonl";
}

}  // namespace

ProfileFile::ProfileFile(const profile::ProfileRequest& request)
    : request_(request), path_(file_of(request)), writer_(path_) {}

void ProfileFile::begin(const std::string& cupti_version, const std::string& cupti_path,
                        std::int64_t clock_ns) {
  profile::ProfileHead head;
  head.pid = ::getpid();
  head.host = host_name();
  head.command = command_line();
  head.executable = executable();
  head.rank = rank();
  head.world_size = world_size();
  head.unix_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::system_clock::now().time_since_epoch())
                     .count();
  head.clock_ns = clock_ns;
  head.mode = name_of(request_.mode);
  head.window = profile::text_of(request_.window);
  head.step = profile::text_of(request_.step);
  head.counters = request_.counters;
  head.cupti = cupti_version;
  head.cupti_path = cupti_path;
  writer_.head(head);
}

void ProfileFile::device(const profile::CudaDriver& driver, int device) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(devices_, device, &profile::ProfileDevice::index) != devices_.end()) return;
  const record::DeviceIdentity identity = driver.identity(device);
  profile::ProfileDevice line;
  line.index = device;
  line.name = identity.name;
  line.uuid = identity.uuid;
  line.compute_capability = identity.compute_capability.value_or("");
  line.multiprocessors = identity.multiprocessors;
  if (identity.memory) line.memory_bytes = identity.memory->value();
  writer_.device(line);
  devices_.push_back(std::move(line));
}

void ProfileFile::chip(int device, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto line = std::ranges::find(devices_, device, &profile::ProfileDevice::index);
  if (line == devices_.end()) return;
  line->chip = name;
  writer_.device(*line);
}

std::string ProfileFile::uuid_of(int device) {
  const std::lock_guard lock(mutex_);
  const auto line = std::ranges::find(devices_, device, &profile::ProfileDevice::index);
  return line == devices_.end() ? std::string() : line->uuid;
}

ProfileFile::Known& ProfileFile::known(std::uint64_t fingerprint, profile::ProfileKernel line,
                                       const profile::KernelActivity* activity) {
  const auto [entry, is_new] =
      signatures_.try_emplace(fingerprint, Known{static_cast<std::uint32_t>(signatures_.size())});
  Known& signature = entry->second;
  // A launch does not tell registers; the first activity does, and the line is said again.
  if (is_new || (activity != nullptr && !signature.complete)) {
    if (activity != nullptr) {
      line.registers = activity->registers_per_thread;
      line.shared_bytes = activity->shared_memory_bytes;
      signature.complete = true;
    }
    writer_.signature(signature.id, line);
  }
  return signature;
}

std::uint32_t ProfileFile::id_of(std::uint64_t fingerprint, const profile::Launch& launch) {
  const std::lock_guard lock(mutex_);
  return known(fingerprint,
               {launch.symbol, launch.grid, launch.block, launch.shared_memory_bytes, {}, {}},
               nullptr)
      .id;
}

void ProfileFile::kernel(const profile::KernelActivity& activity) {
  const auto dynamic = static_cast<std::uint64_t>(activity.dynamic_memory_bytes);
  const std::uint64_t fingerprint =
      profile::launch_fingerprint(activity.name, activity.grid, activity.block, dynamic);
  const std::lock_guard lock(mutex_);
  if (++kernels_ > request_.limit) return;
  const Known& signature = known(
      fingerprint, {activity.name, activity.grid, activity.block, dynamic, {}, {}}, &activity);
  writer_.kernel(signature.id, activity.device, activity.stream, activity.start_ns,
                 activity.end_ns - activity.start_ns, activity.correlation, activity.node);
}

void ProfileFile::copy(const profile::CopyActivity& activity) {
  writer_.copy(activity.fill, activity.direction, activity.device, activity.stream,
               activity.start_ns, activity.end_ns - activity.start_ns, activity.bytes,
               activity.correlation);
}

std::string ProfileFile::stem() const {
  return path_.substr(0, path_.size() - std::string_view(".jsonl").size());
}

std::int32_t ProfileFile::number_of_range(const std::string& names) {
  const std::lock_guard lock(mutex_);
  const auto [entry, is_new] =
      ranges_.try_emplace(names, static_cast<std::int32_t>(ranges_.size()));
  if (is_new) writer_.range(names);
  return entry->second;
}

void ProfileFile::peaks(const std::map<std::string, double>& peaks) {
  writer_.peaks(std::vector<std::pair<std::string, double>>(peaks.begin(), peaks.end()));
}

void ProfileFile::missing(const std::vector<std::string>& metrics) {
  const std::lock_guard lock(mutex_);
  for (const std::string& metric : metrics) {
    if (missing_.insert(metric).second) {
      writer_.lost("metrics that this chip does not have: " + metric, 1);
    }
  }
}

void ProfileFile::end(std::string_view how) {
  const std::lock_guard lock(mutex_);
  if (kernels_ > request_.limit) {
    writer_.lost("kernels after the first " + std::to_string(request_.limit),
                 static_cast<std::int64_t>(kernels_ - request_.limit));
  }
  writer_.end(how, static_cast<std::int64_t>(kernels_));
  writer_.flush();
}

}  // namespace rooflab::inject
