// Every size is repeated for a third of a second, 5 to 200 times, marks around each; on a GPU the
// host runs ahead, so that its time is not in the figures. What counts is the slowest rank's
// median: a collective ends for all when it ends for the last. Copies are of one process, between
// two devices that it sees.

#include "link_run.hpp"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "base/format.hpp"
#include "data_parallel.hpp"
#include "describe/schema.hpp"
#include "device_backend.hpp"
#include "notes/engine_notes.hpp"
#include "overlap_run.hpp"
#include "rank_job.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

constexpr std::int64_t least_bytes = std::int64_t{4} * 1024;
constexpr std::int64_t most_bytes = std::int64_t{256} * 1024 * 1024;
constexpr double seconds_each = 0.3;

class LinkRun {
 public:
  LinkRun(const engine::LinkRequest& request, const engine::RankPlace& place,
          std::filesystem::path result, const ProgressListener& progress)
      : request_(request), place_(place), result_(std::move(result)), progress_(progress) {}

  void run() {
    const auto local = static_cast<std::size_t>(place_.local_rank);
    at::Device device(request_.devices.at(local));
    if (device.is_cuda() && !device.has_index()) device.set_index(0);
    job_.emplace(place_, "rooflab/links", request_.timeout_s, [](const std::string& why) {
      std::cerr << why << std::endl;
      std::_Exit(1);
    });
    backend_ = make_backend(device);
    group_ = std::make_unique<RankGroup>(place_, job_->store(), device, request_.timeout_s);
    probe_.backend = group_->backend();
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather,
                                        Collective::reduce_scatter, Collective::all_to_all}) {
      time_collective(collective, device);
    }
    measure_overlaps();
    if (place_.size == 2 && device.is_cuda()) time_copies(device);
    job_->leave();
  }

  [[nodiscard]] std::string explain(const std::string& what) {
    const std::string culprit = job_ ? job_->find_culprit() : std::string();
    return culprit.empty() ? what.substr(0, what.find('\n')) : culprit;
  }

 private:
  template <class Work>
  [[nodiscard]] std::vector<double> times_of(std::int64_t count, Work work) {
    std::vector<std::unique_ptr<Mark>> marks;
    marks.push_back(backend_->mark());
    for (std::int64_t i = 0; i < count; ++i) {
      work();
      marks.push_back(backend_->mark());
    }
    backend_->synchronize();
    job_->progressed();
    std::vector<double> times;
    for (std::size_t i = 1; i < marks.size(); ++i) {
      times.push_back(backend_->seconds_between(*marks[i - 1], *marks[i]));
    }
    return times;
  }

  template <class Work>
  [[nodiscard]] std::vector<double> measured(Work work) {
    job_->barrier();
    (void)times_of(2, work);
    const double once = quantile(times_of(3, work), 0.5);
    const double count = std::clamp(seconds_each / std::max(once, 1e-7), 5.0, 200.0);
    return times_of(job_->agree(static_cast<std::int64_t>(count)), work);
  }

  /// Messages of all sizes; a note where this exchange has none.
  void time_collective(Collective collective, const at::Device& device) {
    const auto zeros = [&](std::int64_t bytes) {
      return at::zeros({bytes / 4}, at::TensorOptions().dtype(at::kFloat).device(device));
    };
    const bool gathers = collective == Collective::all_gather;
    const bool scatters = collective == Collective::reduce_scatter;
    for (std::int64_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
      // Whole numbers of elements for each rank: the size that is told is what moves.
      const std::int64_t part = bytes / 4 / place_.size * 4;
      const std::int64_t whole = collective == Collective::all_reduce ? bytes : part * place_.size;
      at::Tensor given = zeros(gathers ? part : whole);
      at::Tensor taken = zeros(scatters ? part : whole);
      const auto work = [&] { group_->exchange(collective, given, taken); };
      if (bytes == least_bytes && !works(collective, work)) return;
      add(name_of(collective), whole, measured(work));
      say(collective, bytes);
    }
  }

  /// Whether the library has this exchange. All ranks are told the same, before any exchanges.
  template <class Work>
  [[nodiscard]] bool works(Collective collective, Work work) {
    try {
      work();
      backend_->synchronize();
      return true;
    } catch (const std::exception& error) {
      if (collective == Collective::all_reduce) throw;
      const std::string what = error.what();
      probe_.notes.push_back(
          {engine::says.link_not_measured, {name_of(collective), what.substr(0, what.find('\n'))}});
      return false;
    }
  }

  /// The rank whose median is the largest speaks for all.
  void add(std::string_view collective, std::int64_t bytes, const std::vector<double>& times) {
    const engine::LinkTime own = row_of(collective, bytes, times);
    const std::string kind = format("times{}", rows_++);
    job_->tell(kind, to_json(own).dump());
    if (!job_->first()) return;
    engine::LinkTime slowest = own;
    for (const std::string& text : job_->collect(kind)) {
      const auto row = from_json<engine::LinkTime>(parse_json(text, "rank"), "rank");
      if (row.time_s >= slowest.time_s) slowest = row;
    }
    keep(slowest);
  }

  [[nodiscard]] engine::LinkTime row_of(std::string_view collective, std::int64_t bytes,
                                        const std::vector<double>& times) const {
    const Statistics own = statistics_of(times);
    return {.ranks = place_.size,
            .bytes = static_cast<double>(bytes),
            .time_s = own.median,
            .least_s = own.min,
            .most_s = own.max,
            .collective = std::string(collective)};
  }

  void keep(const engine::LinkTime& row) {
    probe_.times.push_back(row);
    save_file(result_, probe_);
  }

  /// The rank that is slowed most speaks for all, figure by figure.
  void measure_overlaps() {
    if (progress_ && place_.rank == 0) {
      progress_(format("kernels during all-reduces over {}", place_.size), 0.0, 0.0);
    }
    OverlapTimes own = measure_overlap(*backend_, *group_, *job_);
    job_->tell("overlaps", to_json(engine::LinkProbe{.figures = own.figures}).dump());
    if (!job_->first()) return;
    probe_.figures = std::move(own.figures);
    add_notes(probe_.notes, own.notes);
    for (const std::string& text : job_->collect("overlaps")) {
      const auto other = from_json<engine::LinkProbe>(parse_json(text, "rank"), "rank");
      for (device::MeasuredFigure& figure : probe_.figures) {
        const auto same =
            std::ranges::find(other.figures, figure.name, &device::MeasuredFigure::name);
        if (same != other.figures.end() && same->value > figure.value) figure = *same;
      }
    }
    save_file(result_, probe_);
  }

  void time_copies(const at::Device& device) {
    job_->barrier();
    if (job_->first()) {
      const at::Device other(request_.devices.at(1));
      for (std::int64_t bytes = least_bytes; bytes <= most_bytes; bytes *= 2) {
        const auto options = at::TensorOptions().dtype(at::kFloat);
        const at::Tensor from = at::zeros({bytes / 4}, options.device(device));
        at::Tensor to = at::zeros({bytes / 4}, options.device(other));
        const auto copy = [&] { to.copy_(from, true); };
        (void)times_of(2, copy);
        const double once = quantile(times_of(3, copy), 0.5);
        const double count = std::clamp(seconds_each / std::max(once, 1e-7), 5.0, 200.0);
        keep(row_of(name_of(Collective::copy), bytes,
                    times_of(static_cast<std::int64_t>(count), copy)));
      }
    }
    job_->barrier();
  }

  void say(Collective collective, std::int64_t bytes) const {
    if (!progress_ || place_.rank != 0) return;
    const double done = static_cast<double>(bytes) / static_cast<double>(most_bytes);
    progress_(format("{} over {}", name_of(collective), place_.size), done, 0.0);
  }

  const engine::LinkRequest& request_;
  const engine::RankPlace place_;
  const std::filesystem::path result_;
  const ProgressListener& progress_;
  std::optional<RankJob> job_;
  std::unique_ptr<DeviceBackend> backend_;
  std::unique_ptr<RankGroup> group_;
  engine::LinkProbe probe_;
  int rows_ = 0;
};

}  // namespace

int run_link_rank(const engine::LinkRequest& request, const engine::RankPlace& place,
                  const std::filesystem::path& result, const ProgressListener& progress) {
  LinkRun run(request, place, result, progress);
  int status = 1;
  try {
    run.run();
    status = 0;
  } catch (const Unsupported& unsupported) {
    std::cerr << unsupported.what << '\n';
  } catch (const std::exception& error) {
    std::cerr << run.explain(error.what()) << '\n';
  }
  std::cout.flush();
  std::cerr.flush();
  std::_Exit(status);  // the tear-down of a communicator would wait for the other ranks
}

}  // namespace rooflab::torch_worker
