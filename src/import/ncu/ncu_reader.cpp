// Nsight Compute's logs.
//
// A log is what `ncu` printed, as CSV or as the text for terminals (printed_page.hpp), seldom
// alone: the application's output and ncu's own messages stand before, between and even within the
// lines of the tables. So it is read line by line; a header (`"ID","Process ID",...`) begins a
// table, a line that begins like a row is a row of it, and everything else is skipped. The header
// identifies the page: `Metric Name` is a column of the details page, the raw page has a column a
// metric.
//
// Which metric holds which figure is record/counter_metric.hpp; how rates become counts is
// launch_figures.hpp; number_reader.hpp recognises numbers of other languages. docs/formats/
// ncu.md has all of it for users.

#include "ncu_reader.hpp"

#include <cstdlib>
#include <limits>
#include <memory>

#include "base/format.hpp"
#include "log_reader.hpp"
#include "ncu_warnings.hpp"
#include "record/zero_figures.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "system/byte_source.hpp"

namespace rooflab::import {
namespace {

using ncu::LogReader;
using ncu::Notation;

Location at_line(const std::string& file, std::optional<std::int64_t> line) {
  Location location{file, {}, {}, {}};
  if (line && *line <= std::numeric_limits<int>::max()) location.line = static_cast<int>(*line);
  return location;
}

/// Why there is not one launch.
[[noreturn]] void fail_without_launches(const LogReader& log, const std::string& file) {
  const ncu::LogFacts& facts = log.facts;
  const auto fail = [&](std::string message, std::string hint) {
    throw Error(ErrorKind::input, std::move(message), std::move(hint),
                at_line(file, log.header_line()));
  };
  if (facts.no_permission) {
    fail("ncu was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM)",
         "run ncu as root, or let the administrator load the driver with "
         "NVreg_RestrictProfilingToAdminUsers=0");
  }
  if (facts.errors > 0) fail(format("ncu failed: {}", facts.first_error), "run ncu again");
  if (facts.nothing_profiled) {
    fail("ncu profiled no kernel", "is the work done in a child process? --target-processes all");
  }
  if (facts.summary_table) {
    fail("the log is a summary over launches", "run ncu without --print-summary");
  }
  if (log.header_line()) fail("the table has no kernel launch", "is the log complete?");
  if (facts.ncu_was_here)
    fail("ncu's output holds no table of kernels",
         "run ncu with --metrics, best with --csv --page raw");
  fail(
      "this is not a log of Nsight Compute: it has neither a table that begins with"
      " \"ID\",\"Process ID\" nor a kernel's metrics in text",
      "make it with ncu --csv --page raw --log-file run.csv PROGRAM");
  std::abort();  // fail() throws
}

void fill_device(const ncu::LogFacts& facts, record::Record& record) {
  record::DeviceIdentity& device = record.environment.device;
  device.kind = "cuda";
  device.index = facts.devices.empty() ? 0 : facts.devices.front();
  device.name = facts.device_name;
  if (facts.capability) {
    device.compute_capability = format("{}.{}", facts.capability->major, facts.capability->minor);
  }
  if (facts.multiprocessors) device.multiprocessors = static_cast<int>(*facts.multiprocessors);
  if (facts.device_memory) device.memory = Bytes(*facts.device_memory);
  record.identity.device = format("cuda:{}", device.index);
}

record::Record read(ByteSource& source, const std::string& file, const ImportOptions& options) {
  auto log = std::make_unique<LogReader>(source, Notation::english, options.progress);
  if (!log->read()) {
    source.rewind();
    log = std::make_unique<LogReader>(source, Notation::european, options.progress);
    (void)log->read();  // now it stays with its notation
  }
  if (log->kernels.empty()) fail_without_launches(*log, file);
  record::Record record;
  record.identity.model = std::filesystem::path(file).stem().string();
  record.identity.forget();
  fill_device(log->facts, record);
  record.warnings = ncu::warnings_of(log->kernels, log->facts, log->numbers());
  record.lost = std::move(log->facts.lost);
  record.kernels = std::move(log->kernels);
  record::forget_impossible_zeros(record);
  return record;
}

}  // namespace

record::Record ncu::read_log(ByteSource& source, const std::string& file,
                             const ImportOptions& options) {
  try {
    return read(source, file, options);
  } catch (const Error& error) {
    throw error.at(at_line(file, {}));
  }
}

record::Record read_ncu_log(const std::filesystem::path& path, const ImportOptions& options) {
  ByteSource source(path, "ncu log");
  return ncu::read_log(source, path.string(), options);
}

record::Record read_ncu_log_text(std::string_view text, const std::string& file) {
  ByteSource source(text);
  return ncu::read_log(source, file, {});
}

}  // namespace rooflab::import
