#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "count_ranges.hpp"
#include "fit_search.hpp"
#include "flag_value.hpp"
#include "interrupt.hpp"
#include "network_options.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/text_form.hpp"
#include "rooflab/predict/capacity.hpp"
#include "rooflab/report/fit_view.hpp"
#include "rooflab/report/html_page.hpp"
#include "target_device.hpp"
#include "workers.hpp"

namespace rooflab::cli {
namespace {

using analyze::FitPoint;
using analyze::FitResult;
using predict::FrontierPoint;
using Counts = std::span<const std::int64_t>;

constexpr std::string_view journal_name = "tries.jsonl";

struct FitCommand {
  NetworkOptions network;
  TargetOptions target;
  OutputOptions output;
  std::string vary = "batch";
  std::string iterations = "10";
  std::string timeout;
  bool measure = false;
  bool resume = false;

  void run(Session& session) {
    // Everything that can be wrong is said before anything runs.
    const std::optional<std::filesystem::path> folder = output.take_folder();
    const CountRanges varied = check(folder);
    const TargetDevice device = device_of_search();
    const std::optional<std::string> note = network.settle_precision(device.device);

    // The boundary by prediction, then the one that the device has, looked for from there on.
    const std::vector<FrontierPoint> predicted = predict::frontier(
        varied.names, varied.ranges,
        [&](Counts counts) { return memory_of(device, schedule_of(varied, counts)).has_value(); });
    FitResult result = describe(device, varied, predicted);
    if (note) result.notes.push_back(*note);
    result.command = shell_line(session.words);
    if (measure) {
      const InterruptGuard guard;
      const bool whole = search(result, device, varied, predicted, folder, session.console);
      if (!whole) session.exit_code = InterruptGuard::exit_code();
    }
    analyze::add_ratios(result);
    const report::Document document = report::fit_view(result);
    output.write(document, session.console,
                 [&] { return report::render_html(document, plotly_bundle()); });
    if (folder) session.console.say(format("tries are in {}", (*folder / journal_name).string()));
    if (session.exit_code == 0 && nothing_fits(result)) session.exit_code = 1;
  }

 private:
  CountRanges check(const std::optional<std::filesystem::path>& folder) const {
    network.check();
    target.check();
    output.check(true);
    CountRanges varied = count_ranges(vary);
    const std::vector<std::string> known = network.countable();
    for (const std::string& name : varied.names) {
      if (std::ranges::find(known, name) == known.end()) {
        throw_unknown("count in --vary", name, known);
      }
    }
    const bool batch_varies = std::ranges::find(varied.names, "batch") != varied.names.end();
    if (batch_varies && network.batch_given()) {
      throw Error(ErrorKind::usage, "--batch is what is varied", "--vary batch=1..256 bounds it");
    }
    (void)positive(iterations, "--iterations", "--iterations 10");
    if (!timeout.empty()) (void)positive_number(timeout, "--timeout", "--timeout 600");
    if (folder && !measure) {
      throw Error(
          ErrorKind::usage,
          format("'{}' would hold tries, without --measure there are none", folder->string()),
          "a report has an extension: -o fit.json");
    }
    if (resume && !folder) {
      throw Error(ErrorKind::usage, "--resume needs the folder of the tries",
                  "for example --measure -o tries --resume");
    }
    return varied;
  }

  [[nodiscard]] TargetDevice device_of_search() const {
    std::vector<TargetDevice> devices = target.devices();
    if (devices.size() != 1) {
      throw Error(ErrorKind::usage, "--device takes one here",
                  "rooflab partition spreads a network over several");
    }
    if (measure && !devices.front().here) {
      throw Error(ErrorKind::usage,
                  format("--measure needs a device that is here, '{}' is a name of the catalog",
                         devices.front().name),
                  "--device cuda:0");
    }
    return std::move(devices.front());
  }

  [[nodiscard]] LoadedModel load(const CountRanges& varied, Counts counts) const {
    std::map<std::string, std::int64_t> by_name;
    for (std::size_t i = 0; i < counts.size(); ++i) by_name[varied.names[i]] = counts[i];
    return network.load(by_name);
  }

  [[nodiscard]] schedule::Schedule schedule_of(const CountRanges& varied, Counts counts) const {
    return schedule::lower(load(varied, counts).graph, network.lowering());
  }

  [[nodiscard]] static std::optional<predict::MemoryEstimate> memory_of(
      const TargetDevice& device, const schedule::Schedule& schedule) {
    const std::optional<predict::LibraryMemory> library = device.library(schedule);
    return predict::memory_within(schedule, device.memory, predict::GradientReset::after_loss,
                                  library ? &*library : nullptr);
  }

  /// The verdict `fits`, with its margin.
  [[nodiscard]] bool is_comfortable(const TargetDevice& device, const CountRanges& varied,
                                    Counts counts) const {
    const schedule::Schedule schedule = schedule_of(varied, counts);
    const std::optional<predict::LibraryMemory> library = device.library(schedule);
    const predict::MemoryEstimate memory = predict::estimate_memory(
        schedule, predict::GradientReset::after_loss, library ? &*library : nullptr);
    return predict::fit(memory, device.memory).verdict == predict::Verdict::fits;
  }

  [[nodiscard]] FitResult describe(const TargetDevice& device, const CountRanges& varied,
                                   const std::vector<FrontierPoint>& predicted) const {
    std::vector<std::int64_t> least;
    for (const predict::CountRange& range : varied.ranges) least.push_back(range.least);
    const LoadedModel first = load(varied, least);
    const bool is_chain = network.countable().size() > 1;
    FitResult result;
    result.model = is_chain ? "chain" : first.name;
    result.device = device.name;
    result.memory = device.memory;
    result.limited = target.memory_limit().has_value();
    result.phase = network.lowering().phase;
    result.precision = network.lowering().precision;
    result.prediction = device.calibrated ? "predicted" : "limit";
    result.names = varied.names;
    for (const std::string& note : first.notes) result.notes.push_back(note);
    std::vector<FrontierPoint> comfortable;
    if (device.calibrated) {
      comfortable = predict::frontier(
          varied.names, varied.ranges,
          [&](Counts counts) { return is_comfortable(device, varied, counts); }, predicted);
    }
    for (const FrontierPoint& point : predicted) {
      result.points.push_back(point_of(device, varied, point));
      const auto same = std::ranges::find(comfortable, point.varied, &FrontierPoint::varied);
      if (same != comfortable.end()) result.points.back().comfortable = same->counts;
    }
    add_notes(result, device);
    return result;
  }

  [[nodiscard]] FitPoint point_of(const TargetDevice& device, const CountRanges& varied,
                                  const FrontierPoint& found) const {
    FitPoint point;
    point.varied = found.varied;
    point.counts = found.counts;
    point.end_of_range = found.end_of_range;
    if (point.counts.empty()) return point;
    const schedule::Schedule schedule = schedule_of(varied, point.counts);
    point.memory = memory_of(device, schedule);
    try {
      point.step = device.step_time(schedule);
    } catch (const Error& error) {  // memory is what was asked for
      if (error.kind() != ErrorKind::input) throw;
    }
    return point;
  }

  static void add_notes(FitResult& result, const TargetDevice& device) {
    if (!device.calibrated) {
      result.notes.push_back(
          format("{} has no calibration: the step is the roofline's limit", device.name));
    }
    std::vector<std::string> unknown;
    for (const FitPoint& point : result.points) {
      if (!point.memory) continue;
      for (const std::string& part : point.memory->unknown) {
        if (std::ranges::find(unknown, part) == unknown.end()) unknown.push_back(part);
      }
    }
    if (!unknown.empty()) {
      result.notes.push_back(
          format("not in the memory of {}: {}; less will fit than is said here, and nothing has the"
                 " verdict 'fits'",
                 device.name, join(unknown, ", ")));
    }
  }

  /// false: interrupted.
  bool search(FitResult& result, const TargetDevice& device, const CountRanges& varied,
              const std::vector<FrontierPoint>& predicted,
              const std::optional<std::filesystem::path>& folder, const Console& console) const {
    std::optional<std::filesystem::path> journal;
    if (folder) {
      std::filesystem::create_directories(*folder);
      journal = *folder / journal_name;
      if (!resume) std::filesystem::remove(*journal);
    }
    engine::RunOptions options;
    options.worker = require_torch_worker();
    if (!timeout.empty()) {
      options.timeout_s = positive_number(timeout, "--timeout", "--timeout 600");
    }
    FitSearch tries(
        varied.names, [&](Counts counts) { return case_of(result, device, load(varied, counts)); },
        options, journal, request_of(result, device, varied), console);
    const auto take = [&result, &tries](std::span<const FrontierPoint> found) {
      for (const FrontierPoint& each : found) {
        auto point = std::ranges::find(result.points, each.varied, &FitPoint::varied);
        if (point == result.points.end()) {  // nothing was predicted to fit
          point = result.points.insert(point, FitPoint());
          point->varied = each.varied;
        }
        point->searched = true;
        point->found = each.counts;
        point->found_end_of_range = each.end_of_range;
        if (!each.counts.empty()) point->found_step_s = tries.step_s(each.counts);
      }
    };
    bool whole = true;
    try {
      take(predict::frontier(
          varied.names, varied.ranges, [&](Counts counts) { return tries.fits(counts); },
          predicted));
    } catch (const SearchInterrupted&) {
      whole = false;
      result.notes.emplace_back(
          "the search was interrupted: --resume with the same folder goes on");
    }
    result.tries = tries.tries();
    return whole;
  }

  [[nodiscard]] engine::Case case_of(const FitResult& result, const TargetDevice& device,
                                     const LoadedModel& loaded) const {
    engine::Case request = network.case_of(loaded);
    request.identity.device = device.name;
    request.identity.command = result.command;
    // What is asked is whether it runs: near the edge a step may be slow.
    request.settings.iterations = positive_int(iterations, "--iterations", "--iterations 10");
    request.settings.min_time_s = 0.0;
    request.settings.max_time_s = 20.0;
    request.settings.warmup_time_s = 1.0;
    request.settings.sample_period_s = 0.0;
    if (const std::optional<Bytes> limit = target.memory_limit()) {
      request.settings.memory_limit_bytes = limit->value();
    }
    return request;
  }

  /// What makes a try comparable with another.
  [[nodiscard]] Json request_of(const FitResult& result, const TargetDevice& device,
                                const CountRanges& varied) const {
    std::vector<std::int64_t> least;
    for (const predict::CountRange& range : varied.ranges) least.push_back(range.least);
    const schedule::LoweringOptions lowering = network.lowering();
    return {{"network", graph::to_text(load(varied, least).graph)},
            {"device", device.name},
            {"device_name", device.device.name},
            {"memory_limit_bytes",
             target.memory_limit() ? Json(target.memory_limit()->value()) : Json(nullptr)},
            {"names", result.names},
            {"phase", name_of(lowering.phase)},
            {"precision", name_of(lowering.precision)},
            {"optimizer", name_of(lowering.optimizer)},
            {"channels_last", lowering.channels_last}};
  }

  static bool nothing_fits(const FitResult& result) {
    return std::ranges::all_of(result.points, [](const FitPoint& point) {
      return point.searched ? point.found.empty() : point.counts.empty();
    });
  }
};

}  // namespace

void add_fit_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "fit", "find the largest batch, or chain of layers, that fits a device");
  const auto command = std::make_shared<FitCommand>();
  command->network.add_to(app);
  command->target.add_to(app, "--device", "a name of rooflab devices, or cuda:N: the one here");
  app.add_option("--vary", command->vary,
                 "what grows: batch (the default), batch=1..4096, conv=1..,fc=1.. of a chain")
      .type_name("NAME[=A..B],...");
  app.add_flag("--measure", command->measure, "search the boundary on the device too (cuda:N)");
  app.add_option("--iterations", command->iterations, "timed steps of a try (10)").type_name("N");
  app.add_option("--timeout", command->timeout, "end a try after so many seconds (never)")
      .type_name("S");
  command->output.add_to(app);
  app.get_option("--output")
      .description("a report by its extension, or a folder for the tries; may be repeated")
      .type_name("FILE|DIR");
  app.add_flag("--resume", command->resume, "do not run again what the folder has");
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
