#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "profile/counting_budget.hpp"
#include "profile/group_statistics.hpp"
#include "profile/launch_round.hpp"
#include "profile/range_session.hpp"
#include "profile_file.hpp"

namespace rooflab::inject {

/// Counts single launches of a program, wherever they come: for programs without steps, and for the
/// kernels of graphs, which run by themselves before they are captured. Launches of one signature
/// are a group; some of each are counted, the rest runs as without counters. Values go to the file
/// at the end of every round.
///
/// Sets: 0: CUDA-core instructions, bytes, the tensor pipe; 1: tensor operations, of groups that
/// have some.
class GroupCounting {
 public:
  /// `counters_on`: called before counters are on and after they are off. `overhead`: share of the
  /// program's time. Throws CuptiError.
  GroupCounting(std::shared_ptr<const profile::CuptiLibrary> cupti, void* context, int device,
                double overhead, std::function<void(bool on)> counters_on, ProfileFile& file);

  /// To be asked for every launch. True: it is counted, and after_launch() must follow. Without
  /// `may_count` it only goes into the number of launches. Throws CuptiError.
  [[nodiscard]] bool before_launch(std::uint32_t group, bool may_count);
  void after_launch();

  /// A graph is launched, and perhaps no more single kernels: activities are wanted then.
  void graph_launched();
  /// Frees the counters, as steps are counted now.
  void pause();
  /// Writes how often every group was launched, and what counting has cost.
  void write_launches();

  /// Time that the program was held up, s.
  [[nodiscard]] double spent_s() const { return budget_.spent_s(); }
  [[nodiscard]] const std::string& chip() const { return session_.chip(); }

 private:
  struct Set {
    std::optional<profile::MetricConfig> config;  ///< made when it is first needed
    std::size_t number = 0;                       ///< in the file
    std::vector<bool> adds_up;                    ///< one flag for each metric
    int rounds = 0;                               ///< since it was armed
    int all_rounds = 0;
  };

  [[nodiscard]] bool may_be_in(std::size_t set, std::uint32_t group) const;
  [[nodiscard]] std::optional<std::size_t> next_set(double now_s) const;
  void begin_round(std::size_t set);
  void end_pass();
  void end_round();
  void take(std::uint32_t group, std::span<const double> values);
  void make_config(std::size_t set);

  std::shared_ptr<const profile::CuptiLibrary> cupti_;
  std::function<void(bool on)> counters_on_;
  ProfileFile& file_;
  profile::RangeSession session_;
  profile::MetricsExist exist_;
  bool has_tensor_cores_ = false;
  bool pipe_tells_ = false;  ///< a group without tensor instructions has no tensor operations
  std::optional<std::size_t> pipe_;   ///< which metric of set 0 tells them
  std::optional<std::size_t> moves_;  ///< and those of them that do no matrix work
  profile::GroupStatistics statistics_;
  profile::CountingBudget budget_;
  std::array<Set, 2> sets_;
  std::size_t set_ = 0;  ///< whose configuration the session has
  std::optional<profile::LaunchRound> round_;
  std::vector<bool> has_tensor_work_;  ///< one for each group; missing: not known
  std::vector<bool> is_counted_;       ///< set 0 counted the group
  std::uint64_t launches_ = 0;
  double began_s_ = 0.0;  ///< when the launch that is counted began
  double last_launch_s_ = 0.0;
  double last_look_s_ = 0.0;  ///< for groups that are worth a round
  double round_began_s_ = 0.0;
  double round_ended_s_ = 0.0;
  double last_written_s_ = 0.0;
};

}  // namespace rooflab::inject
