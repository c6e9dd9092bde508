// A trace goes through four hands: bytes (unpacked_text, text_window), frames of events
// (event_scanner, driven by trace_text), fields of an event (event_parser), rows of the record
// (trace_builder). Memory holds a window of about 1 MiB, simdjson's index of it, and the columns.

#include "import/import_notes.hpp"
#include "record/record_notes.hpp"
#include "record/trace_device.hpp"
#include "record/trace_source.hpp"
#include "record/zero_figures.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"
#include "system/unpacked_text.hpp"
#include "system/utc_time.hpp"
#include "trace_builder.hpp"
#include "trace_head.hpp"
#include "trace_text.hpp"

namespace rooflab::import {
namespace {

using kineto::LossCount;
using kineto::TraceText;

/// `worker0.1623143089861.pt.trace.json.gz` is `worker0.1623143089861`.
std::string stem_of(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (const std::string_view ending : {".gz", ".json", ".trace", ".pt"}) {
    if (name.size() > ending.size() && name.ends_with(ending)) {
      name.erase(name.size() - ending.size());
    }
  }
  return name;
}

/// ISO 8601 of a Unix time; empty for another clock: kineto began in 2020, and a clock that counts
/// from the machine's start is earlier.
std::string date_of(std::int64_t unix_ns) {
  constexpr std::int64_t first = 1'577'836'800;  // 2020
  const std::int64_t unix_s = unix_ns / 1'000'000'000;
  return unix_s < first ? std::string() : utc_time(unix_s);
}

/// What the trace tells about the case: the device that kernels ran on, and training where an
/// optimizer stepped (`Optimizer.step#SGD.step`).
void identify(record::Record& record) {
  record::set_device_of_kernels(record);
  constexpr std::string_view step = "Optimizer.step#";
  const record::NameTable& names = record.trace->ranges.names;
  for (record::NameTable::Id id = 0; id < names.size(); ++id) {
    const std::string_view name = names[id];
    if (!name.starts_with(step)) continue;
    record.identity.phase = Phase::training;
    record.identity.optimizer =
        lowercase(name.substr(step.size(), name.find('.', step.size()) - step.size()));
    break;
  }
}

void warn(record::Record& record, const LossCount& losses, const UnpackedText& source,
          const TraceText& text) {
  if (text.early_end()) {
    record.warnings.push_back({says.trace_cut, {*text.early_end(), source.damage()}});
  }
  if (text.is_damaged()) record.warnings.push_back({says.trace_damaged, {source.damage()}});
  if (record.kernels->empty()) {
    record.warnings.push_back({says.trace_without_kernels});
  }
  const std::int64_t others = losses.total() - (text.early_end() || text.is_damaged() ? 1 : 0);
  if (others > 0) {
    record.warnings.push_back({record::says.trace_not_used, {others}});
  }
}

record::Record read(UnpackedText& source, const std::string& file, const ImportOptions& options) {
  record::Record record;
  record.trace.emplace().profiler = record::name_of(record::TraceSource::pytorch);
  record.kernels.emplace();
  LossCount losses;
  TraceText text(source, file, losses);
  kineto::TraceBuilder builder(record, losses, text.window());
  const auto member = [&](std::string_view key, std::string_view value, std::uint64_t offset) {
    if (kineto::is_head_member(key) && !kineto::read_head_member(key, value, record)) {
      losses.add(kineto::LossKind::invalid_member, offset);
    }
  };
  bool reserved = false;
  const auto progress = [&] {
    const double done = source.done();
    if (options.progress) options.progress(done);
    constexpr double enough_to_tell = 0.02;
    if (reserved || done < enough_to_tell || done >= 1.0) return;
    reserved = true;
    const auto expected = [&](std::size_t rows) {
      return static_cast<std::size_t>(1.05 * static_cast<double>(rows) / done);
    };
    record.trace->ranges.reserve(expected(record.trace->ranges.size()));
    record.kernels->reserve(expected(record.kernels->size()));
  };
  text.read(builder, {member, progress});
  builder.finish();
  record::forget_impossible_zeros(record);

  record.identity.model = stem_of(file);
  record.identity.forget();
  identify(record);
  if (builder.first_ns()) {
    std::int64_t unix_ns = 0;
    if (!__builtin_add_overflow(record.trace->base_ns, *builder.first_ns(), &unix_ns)) {
      record.environment.date = date_of(unix_ns);
    }
  }
  record.lost = losses.losses();
  warn(record, losses, source, text);
  return record;
}

}  // namespace

record::Record read_kineto_trace(const std::filesystem::path& path, const ImportOptions& options) {
  UnpackedText source(path, "trace");
  return read(source, path.string(), options);
}

record::Record read_kineto_text(std::string_view text, const std::string& file) {
  UnpackedText source(text);
  return read(source, file, {});
}

}  // namespace rooflab::import
