#include <filesystem>

#include "base/format.hpp"
#include "chart/renderers.hpp"
#include "commands.hpp"
#include "counters/counter_access.hpp"
#include "describe/field_table.hpp"
#include "describe/parameter_list.hpp"
#include "interrupt.hpp"
#include "output_choice.hpp"
#include "page/row_table.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "system/child_process.hpp"
#include "system/environment_variable.hpp"
#include "task/worker_builder.hpp"

namespace rooflab::cli {
namespace {

/// One thing that is there or not, and what to do about it.
struct Check {
  std::string what;
  bool present = true;
  std::string found;
  std::string advice;  ///< when it is missing
};

std::string shown_advice(const Check& check) { return check.present ? "" : check.advice; }

std::span<const Field> fields_of(For<Check>) {
  static constexpr Field fields[] = {
      field<&Check::what>("name"),
      field<&Check::present>("present"),
      field<&Check::found>("state"),
      field<&shown_advice>("remedy"),
  };
  return fields;
}

/// What is found where workers lie, as `look` describes its path; an error says why it is of no
/// use.
template <class Look>
Check found_check(std::string what, std::string_view name, std::string advice, Look look) {
  Check check{std::move(what), false, "not found", std::move(advice)};
  try {
    if (const std::optional<std::filesystem::path> path = engine::find_worker(name)) {
      check.found = look(*path);
      check.present = true;
    }
  } catch (const Error& error) {
    check.found = error.what();
    check.advice = error.hint();
  }
  return check;
}

/// A worker: where it is, its libraries and its devices; what its build lacks.
std::string worker_text(const std::filesystem::path& path) {
  const engine::Capabilities worker = engine::describe(path);
  std::vector<std::string> parts;
  for (const auto& [library, version] : worker.libraries) {
    parts.push_back(format("{} {}", library, version));
  }
  for (const record::DeviceIdentity& device : worker.devices) {
    const std::string in_brackets = device.kind == "cpu" ? "" : format(" ({})", device.name);
    parts.push_back(task::run_name(device) + in_brackets);
  }
  std::string text = format("{}; {}", path.string(), join(parts, ", "));
  for (const std::string& missing : worker.missing) text += format("; {}", missing);
  return text;
}

/// The devices whose calibration is compiled in; predictions do without, limits are left.
Check calibrations_check() {
  std::vector<std::string> devices;
  for (const device::LazyCalibration& each : device::built_in_calibrations()) {
    const device::CalibrationEntry& entry = each.entry();
    devices.push_back(entry.device.empty() ? entry.id : entry.device);
  }
  return {"built-in calibrations", true,
          devices.empty() ? "none: predict --calibration takes those of rooflab probe"
                          : join(devices, ", "),
          ""};
}

/// Hardware counters: CUPTI, the driver's permission, and whether another profiler is in the way.
Check counters_check() {
#ifdef ROOFLAB_HAS_CUPTI
  const counters::CounterAccess access = counters::counter_access();
  return {"CUPTI (counters)", access.usable(), access.found(), access.advice()};
#else
  return {"CUPTI (counters)", false, "left out of this build",
          "tools/cuda_place --get in Rooflab's sources takes CUDA's headers from PyPI (or install "
          "the CUDA toolkit, 13.0 or later), then build again"};
#endif
}

std::vector<Check> checks() {
  std::vector<Check> found = {
      {"rooflab", true, format("{}, {}", ROOFLAB_VERSION, ROOFLAB_BUILD_TYPE), ""},
      {"built-in models", true, std::to_string(zoo::models().size()), ""},
      {"built-in devices", true, std::to_string(device::Catalog::built_in().ids().size()), ""},
      calibrations_check()};
  const auto add_file = [&found](std::string what, std::optional<std::filesystem::path> path,
                                 std::string advice) {
    const bool present = path && std::filesystem::is_regular_file(*path);
    found.push_back(
        {std::move(what), present, present ? path->string() : "not found", std::move(advice)});
  };
  add_file("gnuplot (SVG, PNG, PDF)", chart::find_gnuplot(), "apt-get install gnuplot-nox");
  add_file("Plotly (HTML)", plotly_bundle_path(),
           "npm ci in the source tree, then build again; without it pages hold static SVG");
  add_file("ncu (.ncu-rep)", find_program("ncu"),
           "part of NVIDIA Nsight Compute; logs of ncu are read without it");
  found.push_back(counters_check());
  found.push_back(found_check("injected library (profile)", task::injected_library,
                              task::injected_library_advice(),
                              [](const std::filesystem::path& path) { return path.string(); }));
  found.push_back(found_check("rooflab-probe (probe)", engine::probe_worker,
                              task::probe_worker_advice(), worker_text));
  found.push_back(found_check("rooflab-torch (measure)", engine::torch_worker,
                              task::torch_worker_advice(), worker_text));
  return found;
}

struct DoctorCommand {
  bool build_worker = false;
  std::string python;
  OutputChoice output;
};

const Parameters& parameters_of(For<DoctorCommand>) {
  static const Parameters all = {parameter<&DoctorCommand::build_worker>(
                                     "first build rooflab-torch against the PyTorch that is here"),
                                 parameter<&DoctorCommand::python>(
                                     "PYTHON", "whose PyTorch that is",
                                     {.default_text = "that of `python -m rooflab`, else python3",
                                      .example = "python3",
                                      .needs = {{key_of<&DoctorCommand::build_worker>()}},
                                      .completes = Completion::file}),
                                 part<&DoctorCommand::output>()};
  return all;
}

/// What --python names, else the Python that started this program, else the one in PATH.
std::string chosen_python(const DoctorCommand& request) {
  if (!request.python.empty()) return request.python;
  const auto starter = chosen_path("ROOFLAB_PYTHON");
  return starter ? starter->string() : "python3";
}

void build_worker(const DoctorCommand& request, Terminal& terminal) {
  watch_interrupts();
  const task::Session work = terminal.task();
  const task::BuiltWorkers built = task::build_workers(chosen_python(request), work);
  terminal.console.clear_progress();
  terminal.console.say(format("{} {} in {}, against {}", join(built.names, " and "),
                              built.seconds == 0.0
                                  ? std::string("was there already:")
                                  : format("took {:.0f} s to build:", built.seconds),
                              built.folder.string(), to_text(built.torch)));
}

void run(const DoctorCommand& request, Terminal& terminal) {
  request.output.check();
  if (request.build_worker) build_worker(request, terminal);
  const std::vector<Check> found = checks();
  page::Document document =
      page::list_of("What this Rooflab can do here", "doctor", "checks", std::span(found),
                    page::columns_of(page::titled("present", "status"),
                                     page::titled("name", "what"), "state", "remedy"));
  page::Table& table = document.tables.front();
  table.is_list = true;
  table.columns.front().align = page::Align::left;
  for (std::size_t i = 0; i < found.size(); ++i) {
    page::cell_at(table, i, "present") = found[i].present ? "ok" : "missing";
  }
  request.output.write(document, terminal.console);
}

}  // namespace

CommandSpec doctor_command() {
  return command<DoctorCommand>("doctor", "say what works on this machine and what is missing",
                                run);
}

}  // namespace rooflab::cli
