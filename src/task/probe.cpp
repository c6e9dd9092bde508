#include "rooflab/task/probe.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/csv.hpp"
#include "base/format.hpp"
#include "calibration_run.hpp"
#include "describe/parameter_list.hpp"
#include "probe/calibration_builder.hpp"
#include "probe/published_ops.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/system/file.hpp"
#include "system/folder_lock.hpp"

namespace rooflab::task {
namespace {

using device::Calibration;
using Calibrations = std::vector<device::LazyCalibration>;

std::vector<std::string> kinds_of(const Calibrations& calibrations) {
  std::vector<std::string> kinds;
  for (const device::LazyCalibration& calibration : calibrations) {
    for (const device::CalibratedKind& kind : calibration.entry().kinds) kinds.push_back(kind.name);
  }
  return kinds;
}

/// nullptr: the description names none.
std::shared_ptr<const Calibration> reference_of(const probe::OpDescription& description,
                                                const Calibrations& known) {
  if (description.reference.empty()) return nullptr;
  std::vector<std::string> ids;
  for (const device::LazyCalibration& each : known) {
    if (each.entry().id == description.reference) return each.read();
    ids.push_back(each.entry().id);
  }
  throw Error(
      ErrorKind::input, format("unknown calibration '{}'", description.reference),
      near_hint(description.reference, ids, format("built-in calibrations: {}", join(ids, ", "))),
      {.file = description.file, .line = {}, .column = {}, .byte_offset = {}});
}

/// What published tables say of one device.
Calibration published(const ProbeRequest& request, const device::Catalog& catalog,
                      const Session& session) {
  const device::Device device = named_device(request.device, catalog, session);
  if (!device.sm_count) {
    throw Error(
        ErrorKind::usage,
        format("the catalog does not say how many multiprocessors {} has", device.id),
        format("{} takes a device file with sm_count", flag_of<&DeviceFiles::devices_dir>()));
  }
  Calibration calibration;
  calibration.id = device.id;
  calibration.device = device.id;
  calibration.device_name = device.name;
  calibration.command = session.command;
  calibration.environment["multiprocessors"] = format("{:.0f}", device.sm_count->value);
  const Calibrations& known = device::built_in_calibrations();
  const std::vector<std::string> kinds = kinds_of(known);
  for (const std::filesystem::path file : request.from) {
    const probe::OpDescription description =
        probe::read_op_description(read_file(file), file.string(), kinds);
    const std::filesystem::path folder =
        request.tables.empty() ? file.parent_path() : std::filesystem::path(request.tables);
    const std::filesystem::path place = folder / description.table;
    const CsvTable table = parse_csv(read_file(place), place.string());
    probe::add_published_ops(
        calibration, description, table, reference_of(description, known).get(),
        device.sm_count->value, [&](double done) {
          session.show_progress(format("{}: {:.0f} %", description.table, 100.0 * done));
        });
    session.show_progress("");
  }
  return calibration;
}

void check(const ProbeRequest& request) {
  if (!request.save.empty() && !request.save.ends_with(".toml")) {
    parameter_of<&ProbeRequest::save>().refuse("a name that ends in .toml", request.save);
  }
  if (request.from.empty() || !request.device.empty()) return;
  const std::string from = flag_of<&ProbeRequest::from>();
  const std::string device = flag_of<&ProbeRequest::device>();
  throw Error(ErrorKind::usage,
              format("{} needs {}: a table has rows of several devices", from, device),
              format("rooflab probe {} ops.toml {} t4 {} t4.toml", from, device,
                     flag_of<&ProbeRequest::save>()));
}

Calibration fitted_again(const std::string& file, const Session& session) {
  Calibration calibration = device::read_calibration(read_file(file), file);
  const auto multiprocessors = calibration.environment.find("multiprocessors");
  const std::optional<double> count = multiprocessors == calibration.environment.end()
                                          ? std::nullopt
                                          : parse_number(multiprocessors->second);
  fit_rows(calibration, count.value_or(1.0), session);
  return calibration;
}

/// The journals of two probes for one file would be the same.
std::optional<FolderLock> lock_journals(const ProbeRequest& request) {
  const bool measures = request.refit.empty() && request.from.empty();
  if (!measures || request.save.empty()) return std::nullopt;
  return FolderLock::of_file(request.save);
}

void save(const ProbeRequest& request, ProbeRun& done, const Session& session) {
  done.calibration.id = std::filesystem::path(request.save).stem().string();
  write_file_atomically(request.save, device::to_toml(done.calibration));
  for (const std::filesystem::path& journal : done.finished) {
    std::error_code ignored;
    std::filesystem::remove(journal, ignored);
  }
  session.say(format("the calibration is in {}", request.save));
}

}  // namespace

const Parameters& parameters_of(For<ProbeRequest>) {
  static const Parameters all = {
      parameter<&ProbeRequest::device>(
          "D", "cpu, cuda, cuda:N, gpu or here; with --from one of `rooflab devices`",
          {.default_text = "the first GPU, else the CPU", .completes = Completion::run_device}),
      parameter<&ProbeRequest::save>(
          "NAME.toml", "write the calibration, for predict --calibration",
          {.example = "my-gpu.toml", .writes = true, .completes = Completion::file}),
      parameter<&ProbeRequest::quick>("fewer shapes and sizes: about a minute"),
      parameter<&ProbeRequest::ops_time>("S",
                                         "seconds for single ops: more shapes, better predictions",
                                         {.default_text = "170, or 30 with --quick",
                                          .example = "600",
                                          .least = 1.0,
                                          .most = 86400.0}),
      parameter<&ProbeRequest::repeat_operands>(
          "time single ops with their operands in the caches; default: as between two ops"),
      parameter<&ProbeRequest::only>("PART,...", "parts of the probe to run",
                                     {.default_text = "all"}),
      parameter<&ProbeRequest::links>(
          "measure the links between the GPUs here, and nothing else without --only"),
      parameter<&ProbeRequest::python>("PROGRAM",
                                       "Python with the PyTorch to measure issue costs of, or none",
                                       {.completes = Completion::file}),
      parameter<&ProbeRequest::add>(
          "FILE", "extend this calibration with missing shapes, lower issue costs and new figures",
          {.completes = Completion::file}),
      parameter<&ProbeRequest::refit>(
          "FILE", "measure nothing: fit the rows of a calibration again",
          {.beside = {{key_of<&ProbeRequest::save>(), key_of<&DeviceFiles::devices_dir>()}},
           .completes = Completion::file}),
      parameter<&ProbeRequest::from>(
          "FILE,...", "measure nothing: take published single ops, as these descriptions say",
          {.example = "ops.toml",
           .beside = {{key_of<&ProbeRequest::device>(), key_of<&ProbeRequest::save>(),
                       key_of<&ProbeRequest::tables>(), key_of<&DeviceFiles::devices_dir>()}},
           .completes = Completion::file}),
      parameter<&ProbeRequest::tables>("DIR", "folder of the tables that --from names",
                                       {.default_text = "that of each description",
                                        .needs = {{key_of<&ProbeRequest::from>()}},
                                        .completes = Completion::folder}),
      part<&ProbeRequest::device_files>(),
  };
  return all;
}

bool ProbeRequest::wants(ProbePart part) const {
  if (part == ProbePart::links && links) return true;
  return only.empty() ? !links : std::ranges::find(only, part) != only.end();
}

void fit_rows(Calibration& calibration, double multiprocessors, const Session& session) {
  probe::fit_tables(calibration, multiprocessors, [&session](double done) {
    session.show_progress(format("fitting {:.0f} %", done * 100.0));
  });
  session.show_progress("");
}

ProbeResult run(const ProbeRequest& request, Session& session) {
  check(request);
  const device::Catalog catalog = request.device_files.catalog();
  const std::optional<FolderLock> lock = lock_journals(request);
  ProbeRun done;
  if (!request.refit.empty()) {
    done.calibration = fitted_again(request.refit, session);
  } else if (!request.from.empty()) {
    done.calibration = published(request, catalog, session);
  } else {
    done = run_probe(request, catalog, session);
  }
  ProbeResult result;
  result.cut_short = done.cut_short;
  result.interrupted = session.should_stop();
  if (!request.save.empty()) {
    if (result.interrupted) {
      session.say(format("what was measured is kept next to {}: the same command takes it up",
                         request.save));
    } else {
      try {
        save(request, done, session);
      } catch (const Error& error) {
        result.failure = error;
      }
    }
  }
  if (!done.calibration.device.empty()) {
    result.probed.known = catalog.find(done.calibration.device);
  }
  result.probed.calibration = std::move(done.calibration);
  return result;
}

}  // namespace rooflab::task
