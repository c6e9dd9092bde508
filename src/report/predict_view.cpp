#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/format.hpp"
#include "base/shell_words.hpp"
#include "case_words.hpp"
#include "class_bar.hpp"
#include "describe/schema.hpp"
#include "layer_rows.hpp"
#include "model_names.hpp"
#include "notes/predict_notes.hpp"
#include "page/row_table.hpp"
#include "page_head.hpp"
#include "page_parts.hpp"
#include "rewrite_section.hpp"
#include "rooflab/report/views.hpp"
#include "shown_findings.hpp"
#include "step_strips.hpp"

namespace rooflab::report {

using analyze::CaseResult;
using analyze::PredictionModel;

namespace {

bool is_carried_over(const CaseResult& result) {
  return result.predicted_from().value_or(std::string(analyze::measured_itself)) !=
         analyze::measured_itself;
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
      "device_memory_bytes", "margin_share", "verdict", "coverage_share",
      page::if_known("samples_per_s"), page::if_known("predicted_from"));
  // With a prediction, a terminal has no room for figures of the network: `summary` has them, and
  // so do the other formats.
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
  // Only recordings have these, and CSV too has them only there.
  const bool decodes = any([](const CaseResult& c) { return c.context.has_value(); });
  const bool caches = any([](const CaseResult& c) { return c.memory.cache.has_value(); });
  std::vector<page::FigureColumn> shown;
  for (const page::FigureColumn& column : columns) {
    const std::string_view key = column.figure.key();
    if ((key != "context" || decodes) && (key != "cache_bytes" || caches)) shown.push_back(column);
  }
  page::Table table = page::table_of(cases, shown);
  if (decodes) {  // it tells cases apart, as the batch does
    std::ranges::find(table.columns, "context", &page::Column::key)->answer = true;
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

/// The step by class of ops, and the device's pauses between them.
chart::Bar prediction_bar(const CaseResult& result) {
  const ClassTimes times = predicted_class_times(result);
  double sum_s = 0.0;
  for (const auto& [work_class, time_s] : times) sum_s += time_s;
  return class_bar(case_title(result), times, result.prediction->time.value - sum_s);
}

std::vector<page::Cell> total_row(std::string what, const std::optional<double>& time_s,
                                  std::string remark) {
  return {std::move(what),    page::Cell("", ""), page::optional_si_cell(time_s, "s"),
          page::Cell("", ""), page::Cell("", ""), page::Cell(std::move(remark)),
          page::Cell("", "")};
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
  const bool hostless = result.issued_by.empty();
  const std::string interval =
      format("{} to {}{}", si(step.low.value, "s"), si(step.high.value, "s"),
             step.host_bound() ? ", bound by the host" : "");
  table.totals = {
      total_row("device: all ops", step.device.value, ""),
      total_row("host: issuing them", hostless ? std::nullopt : std::optional(step.host.value),
                hostless ? "left out" : result.issued_by),
      total_row("step", step.time.value, interval)};
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
  add_rewrites(comparison, cases);
  page::PageSection layers{.heading = "Layers", .in_text = view.layers};
  page::PageSection prediction = prediction_section(cases, view.explain);
  std::vector<HeadCase> heads;
  for (const CaseResult& result : cases) {
    heads.push_back(head_case(result));
    page::Table rows = layer_limit_table(result);
    if (view.layers) {
      layers.tables.push_back(std::move(rows));
    } else {
      layers.details.push_back(
          {case_title(result), std::move(rows), page::remarks_of(result.notes), result.command});
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
