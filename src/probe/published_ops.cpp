// From a table of published single ops to a calibration, kind by kind:
//
//   1. launches come off, rows that are mostly launch go (launch_lead.cpp)
//   2. times are divided by the factor of other frameworks (reference_factor.cpp) and by what the
//      description says of the device
//   3. equal shapes become one row, outliers go, the rest is thinned and fitted (row_selection.cpp)
//
// Links keep the median of equal messages, every second power of two.

#include "published_ops.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "base/format.hpp"
#include "launch_lead.hpp"
#include "notes/probe_notes.hpp"
#include "reference_factor.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/op_model.hpp"
#include "row_selection.hpp"

namespace rooflab::probe {
namespace {

using device::Calibration;
using device::LinkRow;
using device::OpTable;

constexpr double largest_lead_share = 0.5;
constexpr std::size_t fewest_rows = 3;

/// What a kernel that does nothing takes in the reference's rows: the median over its elementwise
/// kinds of the shortest row. 0 without a reference.
double empty_kernel(const Calibration* reference) {
  if (reference == nullptr) return 0.0;
  std::vector<double> shortest;
  for (const auto& [kind, table] : reference->ops) {
    if (table.columns.size() != 1 || table.rows.empty()) continue;
    shortest.push_back(std::ranges::min_element(table.rows, {}, &device::OpRow::time_s)->time_s);
  }
  return shortest.empty() ? 0.0 : quantile(shortest, 0.5);
}

/// What the reference takes for an op of the kind however small: published rows are too large to
/// say it. Never more than the shortest of them.
std::optional<double> floor_of(const std::string& kind, const std::vector<PublishedRow>& rows,
                               const Calibration* reference) {
  if (reference == nullptr || rows.empty()) return std::nullopt;
  const auto table = reference->ops.find(kind);
  double floor_s = empty_kernel(reference);
  if (table != reference->ops.end() && !table->second.curve.empty()) {
    floor_s = std::exp(table->second.curve.front());
  }
  return std::min(floor_s, std::ranges::min_element(rows, {}, &PublishedRow::time_s)->time_s);
}

double multiprocessors_of(const Calibration& calibration) {
  const auto text = calibration.environment.find("multiprocessors");
  if (text == calibration.environment.end()) return 1.0;
  return parse_number(text->second).value_or(1.0);
}

/// One kind on its way into the calibration.
struct KindImport {
  const OpRule* rule = nullptr;
  std::vector<PublishedRow> rows;
  std::optional<LaunchLead> launch;
  std::optional<ReferenceFactor> factor;
  std::optional<double> floor_s;  ///< floor of the reference's model of the kind
  OpTable table;
  std::vector<Note> notes;
};

void take_launches_off(KindImport& kind, double empty_s) {
  if (!kind.launch) return;
  const double least = above_plateau * kind.launch->plateau_s.value_or(0.0);
  const double lead = std::max(kind.launch->lead_s - empty_s, 0.0);
  const std::size_t before = kind.rows.size();
  std::erase_if(kind.rows, [&](const PublishedRow& row) {
    return row.time_s < least || kind.launch->lead_s > largest_lead_share * row.time_s;
  });
  for (PublishedRow& row : kind.rows) row.time_s -= lead;
  kind.table.published->launch_s = lead;
  kind.table.published->too_short = static_cast<int>(before - kind.rows.size());
  kind.notes.push_back({says.launch_subtracted,
                        {kind.launch->plateau_s, lead, before - kind.rows.size(), before},
                        kind.rule->kind});
}

void divide_by_factors(KindImport& kind, const std::string& device) {
  device::PublishedRows& published = *kind.table.published;
  if (kind.factor) {
    const ReferenceFactor& factor = *kind.factor;
    for (PublishedRow& row : kind.rows) row.time_s = factor.converted(row.time_s, row.sizes);
    if (factor.applied()) published.factor = factor.median();
    published.launch_s -= factor.offset_s();
    published.spread = factor.spread();
    const std::string_view used = !factor.applied() ? "not divided by that"
                                  : kind.rule->factor_by
                                      ? "divided by the factor of each power of two of a size"
                                      : "divided by that";
    kind.notes.push_back(
        {says.reference_factor,
         {factor.rows(), factor.offset_s() == 0.0 ? NoteValue() : NoteValue(factor.offset_s()),
          factor.median(), std::expm1(factor.spread()), used},
         kind.rule->kind});
  }
  const auto correction = kind.rule->corrections.find(device);
  if (correction == kind.rule->corrections.end()) return;
  for (PublishedRow& row : kind.rows) row.time_s /= correction->second.factor;
  published.factor *= correction->second.factor;
  published.spread = std::hypot(published.spread, correction->second.spread);
  kind.notes.push_back(
      {says.times_corrected,
       {correction->second.factor, std::expm1(correction->second.spread), correction->second.why},
       kind.rule->kind});
}

void name_outliers(KindImport& kind, const std::vector<PublishedRow>& outliers,
                   const CsvTable& table) {
  kind.table.published->outliers = static_cast<int>(outliers.size());
  if (outliers.empty()) return;
  std::vector<std::string> lines;
  for (const PublishedRow& row : outliers) lines.push_back(format("{}", table.line(row.row)));
  kind.notes.push_back({says.outliers_left_out, {outliers.size(), lines}, kind.rule->kind});
}

void finish(KindImport& kind, const CsvTable& table, double multiprocessors) {
  kind.rows = one_row_a_shape(std::move(kind.rows));
  const std::vector<PublishedRow> outliers =
      take_outliers(kind.rule->kind, kind.rows, multiprocessors, kind.floor_s);
  name_outliers(kind, outliers, table);
  if (kind.rows.size() < fewest_rows) {
    kind.notes.push_back({says.too_few_rows, {kind.rows.size()}, kind.rule->kind});
    return;
  }
  fit_thinned(kind.rule->kind, kind.table, kind.rows, multiprocessors, kind.floor_s);
}

/// One row for each message, with the median of its times.
std::vector<LinkRow> one_row_a_message(const std::vector<LinkRow>& rows) {
  std::map<std::pair<std::string, int>, std::map<double, std::vector<double>>> messages;
  for (const LinkRow& row : rows) {
    messages[{row.collective, row.ranks}][row.bytes].push_back(row.time_s);
  }
  std::vector<LinkRow> kept;
  for (const auto& [name, sizes] : messages) {
    for (const auto& [bytes, times] : sizes) {
      kept.push_back({.collective = name.first,
                      .ranks = name.second,
                      .bytes = bytes,
                      .time_s = quantile(times, 0.5),
                      .origin = rows.front().origin});
    }
  }
  return kept;
}

/// Several kinds at a time, the largest first.
void finish_all(std::vector<KindImport>& kinds, const CsvTable& table, double multiprocessors,
                const std::function<void(double)>& progress) {
  std::vector<KindImport*> order;
  std::size_t all_rows = 0;
  for (KindImport& kind : kinds) {
    order.push_back(&kind);
    all_rows += kind.rows.size();
  }
  std::ranges::sort(order, std::greater{},
                    [](const KindImport* kind) { return kind->rows.size(); });
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done_rows = 0;
  std::mutex speaking;
  const auto work = [&] {
    for (std::size_t i = next++; i < order.size(); i = next++) {
      const std::size_t rows = order[i]->rows.size();
      finish(*order[i], table, multiprocessors);
      done_rows += rows;
      if (!progress || all_rows == 0) continue;
      const std::lock_guard lock(speaking);
      progress(static_cast<double>(done_rows) / static_cast<double>(all_rows));
    }
  };
  std::vector<std::jthread> threads;
  const unsigned count = std::max(1U, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < count; ++i) threads.emplace_back(work);
  work();
}

/// The factor of a rule's kind; nullopt: the reference was not measured both ways.
std::optional<ReferenceFactor> factor_of(const OpRule& rule, const PublishedOps& published,
                                         const Calibration* reference) {
  if (reference == nullptr) return std::nullopt;
  const auto table = reference->ops.find(rule.kind);
  const auto device = published.ops.find(reference->device);
  if (table == reference->ops.end() || table->second.curve.empty() ||
      device == published.ops.end()) {
    return std::nullopt;
  }
  const auto rows = device->second.find(rule.kind);
  if (rows == device->second.end()) return std::nullopt;
  return ReferenceFactor(rule, table->second, multiprocessors_of(*reference),
                         one_row_a_shape(rows->second));
}

}  // namespace

void add_published_ops(Calibration& calibration, const OpDescription& description,
                       const CsvTable& table, const Calibration* reference, double multiprocessors,
                       const std::function<void(double)>& progress) {
  PublishedOps published = read_published_ops(description, table);
  const bool has_ops = published.ops.contains(calibration.device);
  if (!has_ops && !published.links.contains(calibration.device)) {
    std::set<std::string> there;
    for (const auto& [device, kinds] : published.ops) there.insert(device);
    for (const auto& [device, rows] : published.links) there.insert(device);
    const std::vector<std::string> devices(there.begin(), there.end());
    throw Error(ErrorKind::input, format("the table has no row of {}", calibration.device),
                format("devices in it: {}", join(devices, ", ")), table.header_place());
  }
  std::map<std::string, LaunchLead> leads;
  if (description.launch_in_time) leads = launch_leads(published, calibration.device);
  std::vector<KindImport> kinds;
  std::set<std::string> begun;
  for (const OpRule& rule : description.ops) {
    if (!has_ops || !begun.insert(rule.kind).second) continue;
    auto& own = published.ops.at(calibration.device);
    const auto rows = own.find(rule.kind);
    if (rows == own.end()) continue;
    KindImport kind;
    kind.rule = &rule;
    kind.rows = rows->second;
    kind.factor = factor_of(rule, published, reference);
    kind.table.published = {.origin = description.origin_name,
                            .rows = static_cast<int>(kind.rows.size())};
    if (const auto lead = leads.find(rule.kind); lead != leads.end()) kind.launch = lead->second;
    take_launches_off(kind, empty_kernel(reference));
    divide_by_factors(kind, calibration.device);
    kind.floor_s = floor_of(rule.kind, kind.rows, reference);
    kinds.push_back(std::move(kind));
  }
  finish_all(kinds, table, multiprocessors, progress);
  for (KindImport& kind : kinds) {
    for (Note& note : kind.notes) calibration.notes.push_back(std::move(note));
    if (!kind.table.rows.empty()) {
      calibration.ops.insert_or_assign(kind.rule->kind, std::move(kind.table));
    }
  }
  if (const auto links = published.links.find(calibration.device); links != published.links.end()) {
    for (LinkRow& row : one_row_a_message(links->second)) {
      calibration.links.push_back(std::move(row));
    }
  }
  calibration.origins.insert_or_assign(description.origin_name, description.origin);
}

}  // namespace rooflab::probe
