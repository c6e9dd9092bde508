#include <algorithm>

#include "base/format.hpp"
#include "case_words.hpp"
#include "describe/schema.hpp"
#include "model_names.hpp"
#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::Comparand;
using analyze::Comparison;

/// Equal texts once, different ones as `a / b`.
std::string both(const std::string& a, const std::string& b) {
  return a == b ? a : format("{} / {}", a, b);
}

/// Which time is compared, of a case that was not measured.
std::string time_label(const Comparand& side) {
  if (side.measured) return "";
  switch (side.time_of) {
    case analyze::PredictionModel::limit:
      return " (limit)";
    case analyze::PredictionModel::ppp:
      return " (percent of peak)";
    case analyze::PredictionModel::calibrated:
      break;
  }
  if (!side.has_predicted_interval()) return " (predicted)";
  return format(" (predicted, {} to {})", si(*side.time_low_s, "s"), si(*side.time_high_s, "s"));
}

std::string comparand_title(const Comparand& side) {
  return format("{} on {}, {}{}", side.model, side.device, work_of(side), time_label(side));
}

std::vector<page::Cell> row_of(const Comparison& c) {
  const auto interval = [&c]() -> std::string {
    if (!c.speedup_low) return "-";
    return format("{:.3f} to {:.3f}", *c.speedup_low, *c.speedup_high);
  };
  const auto raw = [](std::optional<double> value) {
    return value ? page::Cell("", format("{}", *value)) : page::Cell();
  };
  return {both(c.a.model, c.b.model),
          both(c.a.device, c.b.device),
          page::Cell(both(std::to_string(c.a.batch), std::to_string(c.b.batch))),
          both(std::string(name_of(c.a.phase)), std::string(name_of(c.b.phase))),
          both(std::string(name_of(c.a.precision)), std::string(name_of(c.b.precision))),
          page::optional_si_cell(c.a.time_s, "s"),
          page::optional_si_cell(c.b.time_s, "s"),
          c.speedup ? page::Cell(format("{:.3f}x", *c.speedup), format("{}", *c.speedup))
                    : page::dash(),
          page::Cell(interval()),
          raw(c.speedup_low),
          raw(c.speedup_high),
          raw(c.test ? std::optional(c.test->p_value) : std::nullopt),
          c.verdict};
}

void add_memory_note(page::Remarks& notes, const Comparison& c) {
  if (!c.a.allocated_peak || !c.b.allocated_peak || *c.a.allocated_peak == Bytes(0)) return;
  notes.push_back(page::answers(
      format("allocated peak: A {}, B {} ({:+.1f} %)", si(c.a.allocated_peak->as_double(), "B"),
             si(c.b.allocated_peak->as_double(), "B"),
             (c.b.allocated_peak->as_double() / c.a.allocated_peak->as_double() - 1.0) * 100.0)));
}

/// What the speed-ups are made of: of steps that ran only where both sides ran.
std::string speedup_note(const analyze::ComparisonList& list, bool predicted_interval) {
  const auto any_of = [&list](auto is) { return std::ranges::any_of(list.pairs, is); };
  if (list.pairs.empty() ||
      any_of([](const Comparison& c) { return c.a.measured && c.b.measured; })) {
    return "speed-up: A's median over B's, above 1 B is faster; interval from the medians' 95 %"
           " intervals; significance by the Mann-Whitney test of the steps at 5 %.";
  }
  std::vector<std::string> ends;
  if (any_of([](const Comparison& c) { return c.a.measured || c.b.measured; })) {
    ends.emplace_back("the measured median's 95 % interval");
  }
  if (predicted_interval) ends.emplace_back("the predicted intervals");
  return "speed-up: A's time over B's, above 1 B is faster" +
         (ends.empty() ? "." : format("; interval from {}.", join(ends, " and ")));
}

page::Remarks notes_of(const analyze::ComparisonList& list) {
  const bool predicted_interval = std::ranges::any_of(list.pairs, [](const Comparison& c) {
    return c.a.has_predicted_interval() || c.b.has_predicted_interval();
  });
  page::Remarks notes = {page::explains(speedup_note(list, predicted_interval))};
  if (predicted_interval) {
    notes.push_back(page::explains(
        "predicted: the expected time, from measured ops; in 90 % of cases a measured one lies in"
        " its interval."));
  }
  for (const Comparison& c : list.pairs) {
    for (const Note& note : c.notes) page::add_once(notes, note);
  }
  if (list.pairs.size() == 1) {
    const Comparison& c = list.pairs.front();
    notes.push_back(format("A: {}: {}", c.a.source, comparand_title(c.a)));
    notes.push_back(format("B: {}: {}", c.b.source, comparand_title(c.b)));
    add_memory_note(notes, c);
    if (c.a.energy_j && c.b.energy_j) {
      notes.push_back(page::answers(
          format("energy of a step: A {}, B {}", si(*c.a.energy_j, "J"), si(*c.b.energy_j, "J"))));
    }
    if (!c.differences.empty()) {
      notes.push_back({format("differs (A, B): {}", join(c.differences, "; ")), NoteRank::changes});
    }
  }
  for (const Comparand& side : list.only_a) notes.push_back("only in A: " + comparand_title(side));
  for (const Comparand& side : list.only_b) notes.push_back("only in B: " + comparand_title(side));
  return notes;
}

/// A side of a pair on the axis of time: an interval is drawn where it is a prediction's.
chart::Dot dot_of(const Comparand& side, std::string_view letter) {
  chart::Dot dot{.group = side.model,
                 .label = format("{}: {}, batch {}", letter, side.device, side.batch),
                 .limit = {},
                 .predicted = {},
                 .low = {},
                 .high = {},
                 .measured = {},
                 .value = side.time_s ? si(*side.time_s, "s", 3) : "-",
                 .remark = side.measured ? "" : "predicted",
                 .verdict = {}};
  if (side.measured) {
    dot.measured = side.time_s;
  } else if (side.time_of == analyze::PredictionModel::limit) {
    dot.limit = side.time_s;
    dot.remark = "limit only";
  } else {
    dot.predicted = side.time_s;
    dot.low = side.time_low_s;
    dot.high = side.time_high_s;
  }
  return dot;
}

/// The verdicts, of many pairs how many there are.
std::vector<std::string> answer_of(const analyze::ComparisonList& list) {
  constexpr std::size_t most_told = 3;
  std::vector<std::string> answer;
  for (const Comparison& each : list.pairs) {
    if (answer.size() == most_told) {
      answer.push_back(format("{} are compared in all.", plural(list.pairs.size(), "pair")));
      break;
    }
    answer.push_back(format("{}, batch {}: {}.", both(each.a.model, each.b.model),
                            both(std::to_string(each.a.batch), std::to_string(each.b.batch)),
                            each.verdict));
  }
  return answer;
}

/// `resnet18: A m1.json, B m3.json`.
std::string title_of(const analyze::ComparisonList& list) {
  if (list.pairs.empty()) return "Comparison";
  const Comparison& first = list.pairs.front();
  const bool one_model = std::ranges::all_of(
      list.pairs, [&first](const Comparison& each) { return each.a.model == first.a.model; });
  return format("{}: A is {}, B is {}", one_model ? first.a.model : "Comparison", first.a.source,
                first.b.source);
}

}  // namespace

page::Document compare_report(const analyze::ComparisonList& list) {
  page::Document document;
  document.title = title_of(list);
  document.answer = answer_of(list);
  for (const Comparison& each : list.pairs) {
    document.dots.push_back(dot_of(each.a, "A"));
    document.dots.push_back(dot_of(each.b, "B"));
  }
  page::Table table;
  table.columns = {{"model", "model", page::Align::left},
                   {"device", "device", page::Align::left},
                   {"batch", "batch"},
                   {"phase", "phase", page::Align::left},
                   {"precision", "precision", page::Align::left},
                   {"a_s", "A"},
                   {"b_s", "B"},
                   {"speedup", "speed-up"},
                   {"interval", "interval", page::Align::left},
                   {"speedup_low", "low", page::Align::right, true},
                   {"speedup_high", "high", page::Align::right, true},
                   {"p_value", "p", page::Align::right, true},
                   {"judgement", "verdict", page::Align::left}};
  for (const Comparison& c : list.pairs) table.rows.push_back(row_of(c));
  page::move_constants_to_title(table);
  document.tables.push_back(std::move(table));
  document.notes = notes_of(list);
  document.json = command_json("compare", to_json(list));
  name_models_by_stem(document, list.pairs, [](const Comparison& pair) { return pair.a.model; });
  return document;
}

}  // namespace rooflab::report
