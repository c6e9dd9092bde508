#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/shell_words.hpp"
#include "case_words.hpp"
#include "class_bar.hpp"
#include "describe/schema.hpp"
#include "layer_rows.hpp"
#include "model_names.hpp"
#include "notes/predict_notes.hpp"
#include "page/joined_row.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"
#include "shown_findings.hpp"
#include "step_strips.hpp"

namespace rooflab::report {

using analyze::CaseResult;
using analyze::PredictionModel;

namespace {

/// With a prediction, a terminal has no room for figures of the network: `summary` has them, and
/// so do the other formats.
bool is_carried_over(const CaseResult& result) {
  return result.predicted_from().value_or(std::string(analyze::measured_itself)) !=
         analyze::measured_itself;
}

/// Takes a column out, of CSV too.
void drop_column(page::Table& table, std::string_view key) {
  const auto found = std::ranges::find(table.columns, key, &page::Column::key);
  if (found == table.columns.end()) return;
  const auto place = found - table.columns.begin();
  table.columns.erase(found);
  for (std::vector<page::Cell>& row : table.rows) row.erase(row.begin() + place);
}

page::Table comparison_of(std::span<const CaseResult> cases) {
  const auto any = [cases](auto has) { return std::ranges::any_of(cases, has); };
  const bool predicted = any([](const CaseResult& c) { return c.predicted_time().has_value(); });
  // The percent of peak's time is not shown twice.
  const bool percent = any([](const CaseResult& c) {
    return c.percent_time && c.prediction_model != PredictionModel::ppp;
  });
  // Full coverage goes without saying.
  const bool partial = any([](const CaseResult& c) { return !c.count.uncounted.empty(); });
  const auto shown_if = [](bool shown) { return shown ? page::Shown::always : page::Shown::csv; };
  auto columns = page::columns_of(
      "model", "device", "batch", page::if_known("context"), "phase", "precision", "limit_s",
      page::if_known("predicted_s"), page::if_known("predicted_low_s"),
      page::joined(page::if_known("predicted_high_s")), "ppp_s", "ideal_s", "bound",
      "intensity_flop_per_byte", "ridge_point_flop_per_byte", "macs", "flop", "compulsory_bytes",
      page::inside("memory", "saved_activation_bytes"),
      page::inside("memory", page::if_known("cache_bytes")), page::inside("memory", "total_bytes"),
      "device_memory_bytes",
      "margin_share", "verdict", "coverage_share", page::if_known("samples_per_s"),
      page::if_known("predicted_from"));
  if (predicted) {
    columns = page::shown_as(page::Shown::beside_text,
                             {"ideal_s", "intensity_flop_per_byte", "ridge_point_flop_per_byte",
                              "macs", "flop", "compulsory_bytes", "saved_activation_bytes",
                              "cache_bytes", "device_memory_bytes", "margin_share"},
                             columns);
  }
  if (percent) columns = page::shown_as(page::Shown::beside_text, {"samples_per_s"}, columns);
  columns = page::shown_as(shown_if(percent), {"ppp_s"}, columns);
  columns = page::shown_as(shown_if(partial), {"coverage_share"}, columns);
  columns = page::shown_as(shown_if(any(is_carried_over)), {"predicted_from"}, columns);
  page::Table table = page::table_of(cases, columns);
  // Only recordings have these.
  if (!any([](const CaseResult& c) { return c.context.has_value(); })) {
    drop_column(table, "context");
  } else {  // it tells cases apart, as the batch does
    std::ranges::find(table.columns, "context", &page::Column::key)->answer = true;
  }
  if (!any([](const CaseResult& c) { return c.memory.cache.has_value(); })) {
    drop_column(table, "cache_bytes");
  }
  page::move_constants_to_title(table);
  return table;
}

constexpr std::string_view memory_note =
    "memory: what the framework's allocator reserves, and the driver's context. fits: in the worst"
    " case 10 % stays free; likely: in the expected case; risky: it may run; oom: it cannot.";

/// What of the memory was not observed on each device, at most over its cases.
std::vector<std::string> assumption_notes(std::span<const CaseResult> cases) {
  struct Assumed {
    std::string device;
    std::vector<predict::AssumedMemory> parts;
  };
  std::vector<Assumed> devices;
  for (const CaseResult& result : cases) {
    if (result.memory.assumed.empty()) continue;
    auto known = std::ranges::find(devices, result.device.id, &Assumed::device);
    if (known == devices.end()) known = devices.insert(devices.end(), {result.device.id, {}});
    for (const predict::AssumedMemory& each : result.memory.assumed) {
      const auto part = std::ranges::find(known->parts, each.part, &predict::AssumedMemory::part);
      if (part == known->parts.end()) {
        known->parts.push_back(each);
      } else if (each.most > part->most) {
        *part = each;
      }
    }
  }
  std::vector<std::string> notes;
  for (const Assumed& each : devices) {
    std::vector<std::string> parts;
    for (const predict::AssumedMemory& part : each.parts) {
      parts.push_back(format("{} {}, at most {}", part.part, si(part.expected.as_double(), "B"),
                             si(part.most.as_double(), "B")));
    }
    notes.push_back(format("{}: assumed in the memory: {}", each.device, join(parts, "; ")));
  }
  return notes;
}

/// Whom the notes of predictions are about.
class NoteSharing {
 public:
  explicit NoteSharing(std::span<const CaseResult> cases) {
    for (const CaseResult& each : cases) {
      const auto known = std::ranges::find(devices_, each.device.id, &OnDevice::id);
      OnDevice& device =
          known == devices_.end() ? devices_.emplace_back(OnDevice{each.device.id}) : *known;
      ++device.cases;
      device.models.insert(each.model);
      if (!each.prediction) continue;
      std::set<std::string> texts;
      for (const Note& note : each.prediction->notes) texts.insert(note.text());
      for (const std::string& text : texts) ++device.cases_with[text];
    }
  }

  /// `vgg16 on t4`; `t4` where the note is said of everything there; several devices where it is
  /// said of everything on each.
  [[nodiscard]] std::string who(const CaseResult& result, const std::string& text) const {
    std::vector<std::string> whole;
    bool several = false;  // one network on one device is named
    for (const OnDevice& device : devices_) {
      const auto found = device.cases_with.find(text);
      if (found == device.cases_with.end() || found->second < device.cases) continue;
      whole.push_back(device.id);
      several = several || device.models.size() > 1;
    }
    const bool among = std::ranges::find(whole, result.device.id) != whole.end();
    if (!among || (whole.size() == 1 && !several)) {
      return format("{} on {}", result.model, result.device.id);
    }
    return join(whole, ", ");
  }

 private:
  struct OnDevice {
    std::string id;
    std::size_t cases = 0;
    std::set<std::string> models;
    std::map<std::string, std::size_t> cases_with;  ///< cases that have a note; key: its text
  };
  std::vector<OnDevice> devices_;  ///< in their order
};

/// What the columns are, then what is to be known of single cases.
page::Remarks notes_of(std::span<const CaseResult> cases) {
  page::Remarks notes;
  std::set<std::string> known;
  const auto add = [&](page::Remark line) {
    if (known.insert(line.text).second) notes.push_back(std::move(line));
  };
  const NoteSharing sharing(cases);
  // Text with predictions has no column of the ideal.
  const bool predicted = std::ranges::any_of(
      cases, [](const CaseResult& c) { return c.predicted_time().has_value(); });
  add(page::explains(
      predicted ? "limit: each op at the roofline, summed: a bound, not a prediction."
                : "limit: each op at the roofline, summed; ideal: the whole network as one fused"
                  " op. Bounds, not predictions."));
  if (std::ranges::any_of(cases, [](const CaseResult& c) { return c.has_interval(); })) {
    add(page::explains(
        "predicted: the expected time from measured ops; in 90 % of cases it lies between low and"
        " high."));
  }
  for (const CaseResult& result : cases) {
    if (!result.percent) continue;
    add(page::explains(
        format("{}: each op at {:g} % of the arithmetic peak and {:g} % of the bandwidth, summed"
               " (PALEO).",
               result.prediction_model == PredictionModel::ppp ? "predicted" : "ppp",
               100.0 * result.percent->compute, 100.0 * result.percent->memory)));
  }
  for (std::string& note : assumption_notes(cases)) add(std::move(note));
  add(page::explains(std::string(memory_note)));
  for (const CaseResult& result : cases) {
    for (const Note& note : result.notes) {
      add(page::remark_on(result.model, note));
    }
    if (!result.prediction) continue;
    for (const Note& note : result.prediction->notes) {
      if (note.code == predict::says.carried_over) continue;  // the table has a column of it
      add(page::remark_on(sharing.who(result, note.text()), note));
    }
    if (result.memory.unknown.empty()) continue;
    add({format("{} on {}: not in the memory: {}", result.model, result.device.id,
                join(result.memory.unknown, ", ")),
         NoteRank::changes});
  }
  return notes;
}

/// Each rewritten network next to the same one as it is; empty without a rewrite.
page::Table rewrite_table(std::span<const CaseResult> cases) {
  std::vector<page::JoinedRow> rows;
  for (const CaseResult& result : cases) {
    if (!result.before_rewrite) continue;
    for (const bool rewritten : {false, true}) {
      rows.emplace_back()
          .own("rewrite", rewritten ? result.rewrite : "as it is")
          .keeping(rewritten ? analyze::rewrite_figures(result) : *result.before_rewrite)
          .of(result);
    }
  }
  page::Table table = page::table_of(
      rows, page::columns_of("model", "device", "batch", "phase", "precision", "rewrite", "limit_s",
                             page::if_known("predicted_s"), "flop", "compulsory_bytes",
                             "saved_activation_bytes", "total_bytes"));
  page::move_constants_to_title(table);
  table.title = table.title.empty() ? "Rewrite" : format("Rewrite: {}", table.title);
  return table;
}

/// `2.3 % less`, `as much`.
std::string change_of(double after, double before) {
  const double change = before > 0.0 ? after / before - 1.0 : 0.0;
  if (std::abs(change) < 0.0005) return "as much";
  return format("{:.1f} % {}", 100.0 * std::abs(change), change < 0.0 ? "less" : "more");
}

/// What a rewrite saves of the time and of the memory.
std::string rewrite_sentence(const CaseResult& result) {
  const analyze::RewriteFigures after = analyze::rewrite_figures(result);
  const analyze::RewriteFigures& before = *result.before_rewrite;
  const bool expected = after.predicted && before.predicted;
  const std::optional<Seconds>& after_s = expected ? after.predicted : after.limit;
  const std::optional<Seconds>& before_s = expected ? before.predicted : before.limit;
  std::string time;
  if (after_s && before_s) {
    time = format("{} time ({} instead of {}{}), ", change_of(after_s->value, before_s->value),
                  si(after_s->value, "s", 4), si(before_s->value, "s", 4),
                  expected ? "" : ", the limit");
  }
  std::string saved;
  if (before.saved_activations > Bytes(0)) {
    saved =
        format(" and keeps {} for the backward pass ({})",
               change_of(after.saved_activations.as_double(), before.saved_activations.as_double()),
               si(after.saved_activations.as_double(), "B", 4));
  }
  return format("{} on {}: with {} a step takes {}{} memory ({}){}.", result.model,
                result.device.id, result.rewrite, time,
                change_of(after.memory.as_double(), before.memory.as_double()),
                si(after.memory.as_double(), "B", 4), saved);
}

/// The step by class of ops, and the device's pauses between them.
chart::Bar prediction_bar(const CaseResult& result) {
  const ClassTimes times = predicted_class_times(result);
  double sum_s = 0.0;
  for (const auto& [work_class, time_s] : times) sum_s += time_s;
  return class_bar(case_title(result), times, result.prediction->time.value - sum_s);
}

std::vector<page::Cell> total_row(std::string what, page::Cell time, page::Cell remark) {
  return {std::move(what),    page::Cell("", ""), std::move(time),   page::Cell("", ""),
          page::Cell("", ""), std::move(remark),  page::Cell("", "")};
}

}  // namespace

page::Table layer_limit_table(const CaseResult& result) {
  page::Table table = layer_rows(
      result.layers,
      page::columns_of(page::titled("node", "layer"), "op", "output_shape", "parameters", "macs",
                       "flop", "compulsory_bytes", "intensity_flop_per_byte", "limit_s",
                       page::in_bars("limit_share"), "bound", page::if_known("predicted_s")));
  table.title = format("{} on {}, {}", result.model, result.device.name, work_of(result));
  return table;
}

std::optional<page::Table> explain_table(const CaseResult& result) {
  if (!result.prediction) return std::nullopt;
  const predict::StepTime& step = *result.prediction;
  page::Table table = page::table_of(
      std::span(step.kinds),
      page::columns_of(page::titled("kind", "kind of op"), "ops", "time_s",
                       page::in_bars("time_share"), "deviation_share",
                       page::titled("evidence", "from"), page::titled("device", "measured on")));
  for (std::size_t i = 0; i < step.kinds.size(); ++i) {
    const predict::KindShare& kind = step.kinds[i];
    page::Cell& measured_on = table.rows[i].back();
    if (kind.device.empty()) measured_on = page::dash();
    if (!kind.origin.empty()) measured_on = kind.device + ", " + kind.origin;
  }
  table.title = format("{} on {}, {}: {} from measured ops", result.model, result.device.name,
                       work_of(result), si(step.time.value, "s"));
  table.totals.push_back(total_row("device: all ops", page::si_cell(step.device.value, "s"), ""));
  table.totals.push_back(
      result.issued_by.empty()
          ? total_row("host: issuing them", page::dash(), "left out")
          : total_row("host: issuing them", page::si_cell(step.host.value, "s"), result.issued_by));
  table.totals.push_back(
      total_row("step", page::si_cell(step.time.value, "s"),
                format("{} to {}{}", si(step.low.value, "s"), si(step.high.value, "s"),
                       step.host_bound() ? ", bound by the host" : "")));
  return table;
}

page::PageSection prediction_section(std::span<const CaseResult> cases, bool open) {
  constexpr std::size_t most_strips = 6;
  page::PageSection section{
      .heading = "Where the predicted time goes",
      .in_text = open,
      .timeline_command = format(
          "{} -o FILE.trace.json",
          cases.size() == 1 ? harmless_command(cases.front().command) : "rooflab predict ...")};
  for (const CaseResult& result : cases) {
    std::optional<page::Table> table = explain_table(result);
    if (!table) continue;
    section.bars.push_back(prediction_bar(result));
    if (std::optional<chart::Strip> strip = strip_of(result)) {
      if (section.strips.size() < most_strips) section.strips.push_back(*std::move(strip));
    }
    if (open) {
      section.tables.push_back(*std::move(table));
    } else {
      section.details.push_back({case_title(result), *std::move(table),
                                 page::remarks_of(result.prediction->notes), result.command});
    }
  }
  return section;
}

std::string case_title(const CaseResult& result) {
  return format("{} on {}, {}", result.model, result.device.name, work_of(result));
}

page::Document predict_view(std::span<const CaseResult> cases, const PredictView& view) {
  page::Document document;
  document.command = view.command;
  document.json = command_json("predict", "cases", cases);
  show_findings(document, view.findings, cases.size() > 1);
  page::PageSection comparison{.heading = "Comparison",
                               .in_text = true,
                               .tables = {comparison_of(cases)},
                               .notes = notes_of(cases)};
  page::add_filled(comparison.tables, rewrite_table(cases));
  for (const CaseResult& result : cases) {
    if (result.before_rewrite) comparison.notes.push_back(page::answers(rewrite_sentence(result)));
  }
  page::PageSection layers{.heading = "Layers", .in_text = view.layers};
  page::PageSection prediction = prediction_section(cases, view.explain);
  std::vector<HeadCase> heads;
  for (const CaseResult& result : cases) {
    heads.push_back(head_case(result));
    if (view.layers) {
      layers.tables.push_back(layer_limit_table(result));
    } else {
      layers.details.push_back({case_title(result), layer_limit_table(result),
                                page::remarks_of(result.notes), result.command});
    }
  }
  show_head(document, heads);
  page::PageSection rooflines = roofline_section(cases, {}, {});
  document.sections = {std::move(comparison), std::move(prediction), std::move(rooflines),
                       std::move(layers)};
  name_models_by_stem(document, cases, [](const CaseResult& each) { return each.model; });
  return document;
}

}  // namespace rooflab::report
