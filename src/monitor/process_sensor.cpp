// The tree is searched again for every sample: /proc is read for each process' parent, and whoever
// descends from the watched process belongs to it. A process whose parent ended is handed to
// another one; it stays in the tree because its members are remembered, by pid and start time (pids
// are used again).
//
// The time of an ended child moves into its parent when that waits for it, so the sum of own and
// waited-for time over the living counts every process once. It is lost where a parent never waits
// (SIGCHLD ignored) or ends first; the sum then would fall, and the last value is kept instead.

#include "process_sensor.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "proc_stat.hpp"

namespace rooflab::monitor {
namespace {

using Processes = std::map<pid_t, ProcStat>;

Processes all_processes() {
  Processes processes;
  std::error_code status;
  std::filesystem::directory_iterator folders("/proc", status);
  for (; !status && folders != std::filesystem::directory_iterator(); folders.increment(status)) {
    const std::optional<std::int64_t> pid = parse_integer(folders->path().filename().string());
    if (!pid) continue;
    const auto id = static_cast<pid_t>(*pid);
    if (const std::optional<ProcStat> stat = read_proc_stat(id)) processes.emplace(id, *stat);
  }
  return processes;
}

/// nullopt for a process that is gone or a zombie, which has no memory any more.
std::optional<std::int64_t> resident_bytes(pid_t pid) {
  const std::vector<std::string> pages =
      split(trim(read_proc_file(format("/proc/{}/statm", pid))), ' ');
  const std::optional<std::int64_t> resident =
      pages.size() > 1 ? parse_integer(pages[1]) : std::nullopt;
  if (!resident || *resident == 0) return std::nullopt;
  return *resident * ::sysconf(_SC_PAGESIZE);
}

class ProcessSensor : public Sensor {
 public:
  ProcessSensor(pid_t pid, bool with_children) : pid_(pid), with_children_(with_children) {
    if (const std::optional<ProcStat> stat = read_proc_stat(pid)) {
      name_ = stat->name;
      members_[pid] = stat->start_ticks;
    }
  }

  [[nodiscard]] std::string device() const override { return "cpu"; }
  [[nodiscard]] std::string name() const override { return name_; }

  [[nodiscard]] record::Sample read() override {
    record::Sample sample;
    std::int64_t ticks = 0;
    for (const auto& [pid, stat] : living_members()) {
      ticks += stat.task_ticks + (with_children_ ? stat.waited_child_ticks : 0);
      if (const std::optional<std::int64_t> bytes = resident_bytes(pid)) {
        sample.resident_bytes = sample.resident_bytes.value_or(0) + *bytes;
      }
    }
    if (members_.empty()) return {};
    highest_ticks_ = std::max(highest_ticks_, ticks);
    sample.task_clock_s =
        static_cast<double>(highest_ticks_) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    return sample;
  }

 private:
  /// Brings `members_` up to date.
  Processes living_members() {
    Processes members;
    const auto is_member = [this](pid_t pid, const ProcStat& stat) {
      const auto known = members_.find(pid);
      return known != members_.end() && known->second == stat.start_ticks;
    };
    if (!with_children_) {
      const std::optional<ProcStat> stat = read_proc_stat(pid_);
      if (stat && is_member(pid_, *stat)) members.emplace(pid_, *stat);
    } else {
      const Processes processes = all_processes();
      for (const auto& [pid, stat] : processes) {
        if (is_member(pid, stat)) members.emplace(pid, stat);
      }
      // A child may have a smaller pid than its parent: until no more are found.
      for (bool grown = !members.empty(); grown;) {
        grown = false;
        for (const auto& [pid, stat] : processes) {
          if (members.contains(stat.parent)) grown |= members.emplace(pid, stat).second;
        }
      }
    }
    members_.clear();
    for (const auto& [pid, stat] : members) members_[pid] = stat.start_ticks;
    return members;
  }

  pid_t pid_;
  bool with_children_;
  std::string name_ = "process";
  std::map<pid_t, std::int64_t> members_;  ///< start times by pid
  std::int64_t highest_ticks_ = 0;
};

}  // namespace

std::unique_ptr<Sensor> process_sensor(pid_t pid, bool with_children) {
  return std::make_unique<ProcessSensor>(pid, with_children);
}

}  // namespace rooflab::monitor
