#include "scale_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "interrupt.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/task/record_folder.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;
using record::ScaleRun;
using record::Status;

std::string title_of(const record::CaseIdentity& identity, int ranks) {
  return format("{} {} on {} x {}, batch {} each", identity.model, name_of(identity.precision),
                ranks, identity.device.substr(0, identity.device.find(':')), identity.batch);
}

/// The same network, batch and devices, whatever it was measured with.
bool same_run(const ScaleRun& a, const ScaleRun& b) {
  record::CaseIdentity left = a.identity;
  record::CaseIdentity right = b.identity;
  left.command.clear();
  right.command.clear();
  return a.ranks_wanted == b.ranks_wanted && left == right;
}

/// Ranks of one run must not meet those of the run before, who may still be leaving: every run has
/// a port of its own, but where the launcher holds the place to meet.
engine::RankPlace place_of_run(engine::RankPlace place, std::size_t run) {
  constexpr int ports = 65536;
  const char* const agent = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  const bool held = agent != nullptr && std::string_view(agent) == "True";
  const int port = place.port + static_cast<int>(run);
  if (!held && port < ports) place.port = port;
  return place;
}

}  // namespace

ScaleFolder::ScaleFolder(fs::path path) : path_(std::move(path)) {
  std::error_code status;
  fs::create_directories(path_, status);
  if (!fs::is_directory(path_, status)) {
    throw Error(ErrorKind::input, format("cannot make the folder '{}'", path_.string()),
                "-o takes a folder, or a file that ends in .html, .md, .csv, .json or .txt");
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(path_)) {
    if (!entry.is_regular_file() || entry.path().extension() != ".json") continue;
    try {
      runs_.emplace(entry.path(), load_file<record::ScaleRun>(entry.path()));
    } catch (const Error&) {
      // Something else lies here too; it is left alone.
    }
  }
}

const ScaleRun* ScaleFolder::finished(const engine::ScaleRequest& request, int ranks) const {
  for (const auto& [file, known] : runs_) {
    const bool done = known.status == Status::ok || known.status == Status::oom ||
                      known.status == Status::unsupported;
    if (done && known.ranks_wanted == ranks && known.identity == request.request.identity) {
      return &known;
    }
  }
  return nullptr;
}

bool ScaleFolder::has_all(const std::vector<engine::ScaleRequest>& requests) const {
  return std::ranges::all_of(requests, [this](const engine::ScaleRequest& request) {
    return finished(request, static_cast<int>(request.devices.size())) != nullptr;
  });
}

void ScaleFolder::write(const ScaleRun& run) {
  const std::string stem = format("{}-x{}", task::record_file_stem(run.identity), run.ranks_wanted);
  const auto same = std::ranges::find_if(
      runs_, [&run](const auto& entry) { return same_run(entry.second, run); });
  fs::path file = same != runs_.end() ? same->first : path_ / (stem + ".json");
  for (int number = 2; same == runs_.end() && fs::exists(file); ++number) {
    file = path_ / format("{}-{}.json", stem, number);
  }
  save_file(file, run);
  runs_[file] = run;
}

std::vector<ScaleRun> run_scales(const std::vector<engine::ScaleRequest>& requests,
                                 const ScaleRunOptions& options, const Console& console) {
  std::vector<ScaleRun> runs;
  engine::RunOptions run_options;
  run_options.worker = options.worker;
  run_options.should_stop = [] { return InterruptGuard::interrupted(); };
  for (std::size_t i = 0; i < requests.size() && !InterruptGuard::interrupted(); ++i) {
    const engine::ScaleRequest& request = requests[i];
    const int ranks =
        options.place ? options.place->size : static_cast<int>(request.devices.size());
    if (options.resume && options.folder != nullptr) {
      if (const ScaleRun* known = options.folder->finished(request, ranks)) {
        runs.push_back(*known);
        continue;
      }
    }
    const std::string title =
        format("[{}/{}] {}", i + 1, requests.size(), title_of(request.request.identity, ranks));
    console.show_progress(title);
    run_options.on_progress = [&](const engine::Progress& now) {
      console.show_progress(format("{}: {} {:.0f} %", title, now.stage, now.done * 100.0));
    };
    std::optional<ScaleRun> ended =
        options.place ? engine::run_one_rank(request, place_of_run(*options.place, i), run_options)
                      : engine::run_ranks(request, run_options);
    console.clear_progress();
    if (!ended) continue;
    ScaleRun run = std::move(*ended);
    run.identity = request.request.identity;
    if (run.environment.rooflab.empty()) run.environment.rooflab = ROOFLAB_VERSION;
    const bool keeps = options.folder != nullptr && run.status != Status::interrupted &&
                       (!options.place || options.place->rank == 0);
    if (keeps) options.folder->write(run);
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace rooflab::cli
