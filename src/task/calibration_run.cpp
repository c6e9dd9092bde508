#include "calibration_run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "engine/host_grid.hpp"
#include "engine/ranks.hpp"
#include "engine/worker_probe.hpp"
#include "monitor/gpu_sensor.hpp"
#include "monitor/host.hpp"
#include "notes/task_notes.hpp"
#include "probe/calibration_builder.hpp"
#include "python_costs.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"
#include "run_list.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using device::Calibration;

/// What single ops find in the caches, as a calibration's environment says it.
constexpr std::string_view repeated_operands = "as their last repetition left them";
constexpr std::string_view operands_between_ops = "as the op before leaves them";

constexpr double full_ops_s = 170.0;
constexpr double quick_ops_s = 30.0;
constexpr double full_python_s = 20.0;
constexpr double quick_python_s = 8.0;

std::string device_of(const ProbeRequest& request) {
  if (!request.device.empty()) {
    return run_device(request.device, "a probe measures what is here: rooflab devices --detect");
  }
  std::string missing;
  return monitor::detect_gpus(missing).empty() ? "cpu" : "cuda:0";
}

/// In place of an older one of the same key.
template <class Row, class Key>
void keep(std::vector<Row>& rows, Row row, Key key) {
  const auto old = std::ranges::find(rows, key(row), key);
  if (old == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    *old = std::move(row);
  }
}

/// One run of all parts that were asked for.
class Probe {
 public:
  Probe(const ProbeRequest& request, const device::Catalog& catalog, const Session& session)
      : request_(request), catalog_(catalog), session_(session), device_(device_of(request)) {
    if (!request.add.empty()) base_ = device::read_calibration(read_file(request.add), request.add);
  }

  ProbeRun run() {
    if (request_.device.empty() && device_ == "cpu") say_of_cpu();
    if (request_.save.empty()) folder_.emplace("probe");
    result_ = base_;
    result_.notes.clear();
    result_.command =
        result_.command.empty() ? session_.command : result_.command + "; " + session_.command;
    result_.environment["date"] = monitor::utc_date();
    using Part = void (Probe::*)();
    std::vector<Part> parts;
    if (!figures().empty()) parts.push_back(&Probe::measure_figures);
    if (request_.wants(ProbePart::links)) parts.push_back(&Probe::measure_links);
    if (request_.wants(ProbePart::ops)) parts.push_back(&Probe::measure_ops);
    if (request_.wants(ProbePart::host)) parts.push_back(&Probe::ask_python);
    parts.push_back(&Probe::fit);
    part_count_ = parts.size();
    for (part_ = 0; part_ < part_count_ && wants_more(); ++part_) {
      part_began_ = Clock::now();
      (this->*parts[part_])();
    }
    session_.show_progress("");
    return {std::move(result_), std::move(finished_), cut_short_};
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// Before minutes without a word, of which nobody asked for the CPU.
  void say_of_cpu() const {
    session_.say(request_.wants(ProbePart::ops)
                     ? format("no GPU is here: the CPU is probed; its single ops take up to {:g} s",
                              ops_budget_s())
                     : std::string("no GPU is here: the CPU is probed"));
  }
  [[nodiscard]] double ops_budget_s() const {
    return request_.ops_time.value_or(request_.quick ? quick_ops_s : full_ops_s);
  }

  /// Parts take unlike times: what is left is said of the one that runs.
  void show(const std::string& what, double left_s = 0.0) const {
    const double so_far_s = std::chrono::duration<double>(Clock::now() - part_began_).count();
    const double of_this = left_s > 0.0 ? so_far_s / (so_far_s + left_s) : 0.0;
    session_.show_progress(list_progress_line(
        (static_cast<double>(part_) + of_this) / static_cast<double>(part_count_), "part", part_,
        part_count_, 0.0, what));
  }
  [[nodiscard]] engine::RunOptions part_options(const fs::path& worker,
                                                const std::string& what) const {
    engine::RunOptions options = run_options(worker, session_);
    options.on_progress = [this, what](const engine::Progress& now) {
      show(format("{}: {}", what, progress_text(now)), now.left_s);
    };
    return options;
  }

  /// The parts that rooflab-probe measures.
  [[nodiscard]] std::vector<std::string> figures() const {
    std::vector<std::string> parts;
    for (const ProbePart part : values_of<ProbePart>) {
      if (part < ProbePart::links && request_.wants(part)) parts.emplace_back(name_of(part));
    }
    return parts;
  }
  [[nodiscard]] bool wants_more() const { return !session_.should_stop(); }
  [[nodiscard]] bool links_are_asked_for() const {
    return request_.links || !request_.only.empty();
  }

  [[nodiscard]] fs::path journal(std::string_view what) const {
    return folder_ ? folder_->file(format("{}.jsonl", what))
                   : fs::path(format("{}.{}.jsonl", request_.save, what));
  }

  void measure_figures() {
    const auto worker = engine::find_worker(engine::probe_worker, session_.prefix);
    if (!worker) {
      result_.notes.push_back({says.no_device_probe});
      return;
    }
    engine::DeviceProbeRequest request;
    request.device = device_;
    request.quick = request_.quick;
    request.parts = figures();
    engine::DeviceProbeOutcome outcome =
        engine::run_device_probe(request, journal("device"), part_options(*worker, "device"));
    for (device::MeasuredFigure& figure : outcome.figures) keep_figure(std::move(figure));
    if (!outcome.vector_additions.empty()) {
      result_.vector_additions = std::move(outcome.vector_additions);
    }
    if (outcome.message.empty()) {
      finished_.push_back(journal("device"));
    } else {
      cut_short_ = true;
      result_.notes.push_back({says.probe_cut_short, {outcome.message}});
    }
    for (auto& [key, value] : outcome.environment) result_.environment[key] = value;
    add_notes(result_.notes, outcome.notes);
    // A CPU is known by its model.
    const auto name = result_.environment.find(device_ == "cpu" ? "cpu" : "device");
    if (name != result_.environment.end()) name_device(name->second);
  }

  void measure_ops() {
    const fs::path worker = require_torch_worker(session_.prefix);
    const bool cpu = device_ == "cpu";
    const std::vector<engine::HostItem> host = engine::host_grid();
    probe::GridOptions grid;
    grid.quick = request_.quick;
    if (cpu) {
      grid.tf32 = grid.half = false;
      grid.memory_bytes = 1e9;
      grid.flops_per_s = 1e12;
      grid.image_batch = 32;
    } else {
      describe_gpu(worker, grid);
    }
    engine::OpProbeRequest request;
    request.device = device_;
    request.repeats_operands = request_.repeat_operands;
    keep_operands_alike(cpu || request_.repeat_operands);
    request.budget_s = ops_budget_s();
    for (const engine::HostItem& item : host) request.items.push_back(item.item);
    const std::size_t first_op = request.items.size();
    for (engine::ProbeItem& item :
         probe::not_measured_yet(probe::op_grid(grid), base_, known_device())) {
      request.items.push_back(std::move(item));
    }

    const engine::OpProbeOutcome outcome =
        engine::run_op_probe(request, journal("ops"), part_options(worker, "single ops"));
    const record::Environment& environment = outcome.environment;
    name_device(environment.device.name);
    for (const auto& [library, version] : environment.libraries) {
      result_.environment[library] = version;
    }
    result_.environment["cpu"] = environment.cpu;
    result_.environment["host"] = environment.host;
    const auto keep = [this](std::string_view name, std::string_view unit,
                             const std::optional<double>& value) {
      if (!value || *value <= 0.0) return;
      keep_figure({std::string(name), std::string(unit), *value, *value, *value, 1, ""});
    };
    keep("memory.context", "B", outcome.context_bytes);
    keep("memory.blas_workspace", "B", outcome.blas_workspace_forward_bytes);
    keep("memory.blas_workspace_training", "B", outcome.blas_workspace_training_bytes);
    keep("launch.graph_kernel", "s", outcome.graph_kernel_s);
    const device::Device known = known_device();
    probe::add_op_rows(result_, request.items, outcome.results, known);
    device::HostCosts costs = engine::host_costs(host, 0, outcome.results);
    if (!costs.ops.empty()) {
      probe::add_host_costs(result_, engine::measured_in(std::move(costs), environment));
    }
    const auto measured = static_cast<std::size_t>(std::ranges::count_if(
        outcome.results,
        [first_op](const engine::ProbeResult& result) { return result.item >= first_op; }));
    const std::size_t wanted = request.items.size() - first_op;
    if (measured < wanted) {
      result_.notes.push_back({says.ops_left_out,
                               {wanted - measured, wanted,
                                outcome.message.empty() ? "the time was up" : outcome.message}});
    }
    // What a worker that died had measured is taken up by the next run.
    if (outcome.message.empty()) finished_.push_back(journal("ops"));
    cut_short_ = cut_short_ || !outcome.message.empty();
  }

  /// Rows of the calibration to add to were measured with the same state of the caches.
  void keep_operands_alike(bool repeated) {
    const std::string_view here = repeated ? repeated_operands : operands_between_ops;
    const auto there = base_.environment.find("operands");
    const std::string_view before =
        there == base_.environment.end() ? repeated_operands : there->second;
    if (!base_.ops.empty() && before != here) {
      throw Error(
          ErrorKind::usage,
          format("the single ops of {} found their operands {}, here they would find them {}",
                 request_.add, before, here),
          repeated
              ? format("without {}", flag_of<&ProbeRequest::repeat_operands>())
              : format("with {}, or without {} for a new calibration",
                       flag_of<&ProbeRequest::repeat_operands>(), flag_of<&ProbeRequest::add>()));
    }
    result_.environment["operands"] = here;
  }

  /// All-reduces over the GPUs here, or over two processes where the CPU was asked for.
  void measure_links() {
    std::vector<std::string> devices;
    std::string name;
    const auto worker = engine::find_worker(engine::torch_worker, session_.prefix);
    if (worker && device_ == "cpu") {
      if (links_are_asked_for()) devices = {"cpu", "cpu"};
    } else if (worker) {
      // Links are those between devices of one kind.
      const engine::Capabilities here = engine::describe(*worker);
      for (const record::DeviceIdentity& device : here.devices) {
        if (run_name(device) == device_) name = device.name;
      }
      for (const record::DeviceIdentity& device : here.devices) {
        if (device.kind != "cpu" && device.name == name) {
          devices.push_back(run_name(device));
        }
      }
    }
    if (devices.size() < 2) {
      if (links_are_asked_for()) {
        result_.notes.push_back(worker ? Note{says.no_link_partner} : Note{says.no_link_worker});
      }
      return;
    }
    if (!name.empty()) name_device(name);
    const engine::LinkProbe probe = engine::run_link_probe(devices, part_options(*worker, "links"));
    for (const engine::LinkTime& time : probe.times) {
      if (time.time_s <= 0.0) continue;
      keep(result_.links, device::LinkRow{time.collective, time.ranks, time.bytes, time.time_s},
           [](const auto& each) { return std::tuple(each.collective, each.ranks, each.bytes); });
    }
    for (const device::MeasuredFigure& figure : probe.figures) keep_figure(figure);
    add_notes(result_.notes, probe.notes);
    if (result_.device_name.empty()) name_device(monitor::cpu_identity().name);
    if (!probe.backend.empty()) result_.environment["links"] = probe.backend;
    if (!probe.message.empty()) result_.notes.push_back({says.links_failed, {probe.message}});
  }

  void keep_figure(device::MeasuredFigure figure) {
    keep(result_.figures, std::move(figure), [](const auto& each) { return each.name; });
  }

  /// What the grid may hold on this GPU.
  void describe_gpu(const fs::path& worker, probe::GridOptions& grid) {
    const engine::Capabilities here = engine::describe(worker);
    const record::DeviceIdentity& gpu = present_device(here, device_);
    if (gpu.memory) grid.memory_bytes = 0.3 * gpu.memory->as_double();
    const auto capability = parse_number(gpu.compute_capability.value_or(""));
    grid.tf32 = grid.half = capability && *capability >= 8.0;
    multiprocessors_ = gpu.multiprocessors.value_or(1);
    result_.environment["multiprocessors"] = format("{}", multiprocessors_);
    name_device(gpu.name);
    const device::Device known = known_device();
    if (const auto peak = device::peak(known, ArithmeticPath::fp32_vector)) {
      grid.flops_per_s = 0.7 * *peak;
    }
  }

  void name_device(const std::string& name) {
    const std::string& base = base_.device_name;
    if (!base.empty() && base != name) {
      throw Error(ErrorKind::usage,
                  format("the calibration to add to is of {}, this is {}", base, name),
                  format("without {} a new one is made", flag_of<&ProbeRequest::add>()));
    }
    if (!result_.device_name.empty()) return;
    result_.device_name = name;
    try {
      result_.device = catalog_.find(name).id;
    } catch (const Error&) {
      // Not in the catalog: its measured figures are all there is.
    }
  }

  [[nodiscard]] device::Device known_device() const {
    if (!result_.device.empty()) return catalog_.find(result_.device);
    device::Device bare;
    bare.id = device_;
    bare.name = result_.device_name;
    return device::with_measured_roofs(bare, result_);
  }

  /// The costs of the framework whose time users ask for: its modules in Python.
  void ask_python() {
    if (request_.python == "none") return;
    const fs::path file = journal("python");
    const PythonProbe python(request_.python, file);
    if (python.is_possible()) show("issue costs of PyTorch");
    const PythonCosts measured =
        python.run(device_, request_.quick ? quick_python_s : full_python_s, session_);
    if (measured.problem) result_.notes.push_back(*measured.problem);
    if (!measured.costs) return;
    finished_.push_back(file);
    probe::add_host_costs(result_, *measured.costs);
  }

  void fit() {
    if (result_.ops.empty()) return;
    show("fitting");
    const device::Device known = known_device();
    double multiprocessors = multiprocessors_;
    if (multiprocessors == 0.0 && known.sm_count) multiprocessors = known.sm_count->value;
    fit_rows(result_, std::max(multiprocessors, 1.0), session_);
  }

  std::size_t part_ = 0;
  std::size_t part_count_ = 1;
  Clock::time_point part_began_ = Clock::now();
  const ProbeRequest& request_;
  const device::Catalog& catalog_;
  const Session& session_;
  std::string device_;
  Calibration base_;                       ///< to be added to
  std::optional<TemporaryFolder> folder_;  ///< for a probe that is not saved
  double multiprocessors_ = 0.0;
  Calibration result_;
  std::vector<fs::path> finished_;
  bool cut_short_ = false;
};

}  // namespace

ProbeRun run_probe(const ProbeRequest& request, const device::Catalog& catalog,
                   const Session& session) {
  return Probe(request, catalog, session).run();
}

}  // namespace rooflab::task
