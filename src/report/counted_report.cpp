#include <algorithm>

#include "cells.hpp"
#include "counted_section.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/plural.hpp"
#include "rooflab/base/quotient.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/measure_view.hpp"

namespace rooflab::report {
namespace {

using analyze::CountedLayer;
using analyze::CountedLayers;
using analyze::CountedSums;
using analyze::MeasuredCase;

std::optional<double> model_flops(const CountedLayers& counted) {
  if (!counted.model_matrix_flops || !counted.model_vector_flops) return std::nullopt;
  return (*counted.model_matrix_flops + *counted.model_vector_flops).as_double();
}

/// `padding; cache hits`, of FLOPs and of bytes.
std::string causes_of(const CountedLayer& layer) {
  std::vector<std::string> words;
  for (const auto& [unit, gap] :
       {std::pair{"FLOP", &layer.flops_gap}, std::pair{"bytes", &layer.bytes_gap}}) {
    if (*gap) words.push_back(format("{}: {}", unit, name_of((*gap)->cause)));
  }
  if (!layer.breaches.empty()) words.emplace_back("above a roof");
  if (!layer.remark.empty()) words.push_back(layer.remark);
  return join(words, "; ");
}

std::string reasons_of(const CountedLayer& layer) {
  std::vector<std::string> texts;
  if (layer.flops_gap) texts.push_back("FLOP: " + layer.flops_gap->text);
  if (layer.bytes_gap) texts.push_back("bytes: " + layer.bytes_gap->text);
  for (const analyze::RoofBreach& breach : layer.breaches) texts.push_back(breach.text);
  return join(texts, "; ");
}

/// Figures of a layer or of all: the columns between `time_s` and `gap`.
std::vector<Cell> figure_cells(const CountedSums& sums, const std::optional<double>& flops,
                               const std::optional<double>& bytes) {
  return {optional_si_cell(sums.fp64_flops, ""),
          optional_si_cell(sums.fp32_flops, ""),
          optional_si_cell(sums.fp16_flops, ""),
          optional_si_cell(sums.tensor_flops, ""),
          optional_si_cell(sums.flops, ""),
          optional_si_cell(flops, ""),
          factor_cell_by_3_digits(quotient(sums.flops, flops)),
          optional_si_cell(sums.dram_bytes, "B"),
          optional_si_cell(bytes, "B"),
          factor_cell_by_3_digits(quotient(sums.dram_bytes, bytes)),
          optional_si_cell(sums.l2_bytes, "B"),
          optional_number(sums.intensity()),
          optional_si_cell(sums.flops_per_s(), "FLOP/s"),
          optional_si_cell(sums.bytes_per_s(), "B/s"),
          optional_percent(sums.occupancy),
          optional_percent(sums.sm_busy),
          optional_si_cell(sums.sm_clock_hz, "Hz")};
}

std::vector<Cell> total_row(std::string name, std::size_t kernels, const CountedSums& sums,
                            const CountedLayers& counted) {
  std::vector<Cell> row = {std::move(name), "", count_cell(static_cast<std::int64_t>(kernels)),
                           optional_si_cell(sums.time_s, "s"), ""};
  for (Cell& cell : figure_cells(sums, model_flops(counted), as_double(counted.model_bytes))) {
    row.push_back(std::move(cell));
  }
  row.insert(row.end(), {"", ""});
  return row;
}

/// `4.5 GFLOP FP32, 6.5 GFLOP on tensor cores (TF32 6.5 GFLOP)`.
std::string work_by_path(const CountedSums& sums) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::optional<double>& flops, std::string_view path) {
    if (flops && *flops > 0.0) parts.push_back(format("{} {}", si(*flops, "FLOP"), path));
  };
  add(sums.fp64_flops, "FP64");
  add(sums.fp32_flops, "FP32");
  add(sums.fp16_flops, "FP16 on CUDA cores");
  if (sums.tensor_flops) {
    std::vector<std::string> types;
    constexpr std::string_view prefix = "tensor_";
    for (const auto& [figure, flops] : sums.tensor_by_type) {
      types.push_back(format("{} {}", name_of(figure).substr(prefix.size()), si(flops, "FLOP")));
    }
    parts.push_back(types.empty() ? "nothing on tensor cores"
                                  : format("{} on tensor cores ({})",
                                           si(*sums.tensor_flops, "FLOP"), join(types, ", ")));
  }
  return join(parts, ", ");
}

void add_sums(const CountedLayers& counted, std::vector<std::string>& notes) {
  const CountedSums& sums = counted.totals;
  if (sums.flops) {
    std::string text = format("counted {}: {}", si(*sums.flops, "FLOP"), work_by_path(sums));
    if (const auto model = model_flops(counted)) {
      text += format("; the model has {} (products {}, the rest {}): {:.3f} times as much",
                     si(*model, "FLOP"), si(counted.model_matrix_flops->as_double(), ""),
                     si(counted.model_vector_flops->as_double(), ""), *sums.flops / *model);
    }
    notes.push_back(std::move(text));
  }
  if (sums.dram_bytes) {
    std::string text = format("DRAM moved {}", si(*sums.dram_bytes, "B"));
    if (counted.model_bytes && *counted.model_bytes > Bytes(0)) {
      text += format(", {:.2f} times the compulsory {}",
                     *sums.dram_bytes / counted.model_bytes->as_double(),
                     si(counted.model_bytes->as_double(), "B"));
    }
    if (sums.l2_bytes) text += format("; L2 was asked for {}", si(*sums.l2_bytes, "B"));
    notes.push_back(std::move(text));
  }
  if (counted.step) {
    std::vector<std::string> parts;
    if (counted.step->tensor_flops) {
      parts.push_back(format("{} on tensor cores", si(*counted.step->tensor_flops, "FLOP")));
    }
    if (counted.step->dram_bytes) {
      parts.push_back(format("DRAM {}", si(*counted.step->dram_bytes, "B")));
    }
    if (!parts.empty()) {
      notes.push_back(format("over a whole step, its kernels concurrent: {}", join(parts, ", ")));
    }
  }
}

void add_coverage(const CountedLayers& counted, std::vector<std::string>& notes) {
  const CountedSums& sums = counted.totals;
  const auto lacks = [&](std::size_t with, std::string_view what) {
    if (with == sums.kernels) return;
    notes.push_back(format("{} of {} kernels have {}", with, sums.kernels, what));
  };
  lacks(sums.with_flops, "all FLOPs");
  lacks(sums.with_dram, "DRAM bytes");
  lacks(sums.with_time, "a time");
  if (counted.without_node > 0) {
    notes.push_back(format("{} no node of the network",
                           counted.without_node == 1
                               ? std::string("1 kernel belongs to")
                               : format("{} kernels belong to", counted.without_node)));
  }
  if (!counted.without_kernels.empty()) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names = counted.without_kernels;
    const std::size_t all = names.size();
    if (all > most) names.resize(most);
    notes.push_back(format("without a kernel, though the model has work for {}: {}{}",
                           all == 1 ? "it" : "them", join(names, ", "),
                           all > most ? format(" and {} more", all - most) : ""));
  }
}

}  // namespace

std::string counting_conventions() {
  return "conventions: a multiply-accumulate is 2 FLOP, an fp16 instruction does two lanes, hfma"
         " that only move constants are left out, tensor cores count dense operations";
}

std::string counting_note(const record::Counting& counting) {
  if (counting.sets.empty()) return "kernels were timed, not counted: the warnings say why";
  std::size_t metrics = 0;
  std::size_t passes = 0;
  std::size_t whole = 0;
  std::int64_t dropped = 0;
  for (const record::CounterSet& set : counting.sets) {
    metrics += set.metrics.size();
    const auto steps = static_cast<std::size_t>(set.passes);
    passes += steps;
    if (!set.per_kernel) whole += steps;
    dropped += set.dropped;
  }
  std::string text = format(
      "counted on {} in {}, after {} of programming the counters: {} in {} pass{}, one a step, {} "
      "over"
      " a whole step, {} kernel by kernel; times are of steps without counters",
      counting.chip, si(counting.wall_s, "s"), si(counting.arming_s, "s"),
      plural(metrics, "metric"), passes, passes == 1 ? "" : "es", whole, passes - whole);
  if (dropped > 0) {
    text += format("; {} launch{} without a value, in steps unlike the others", dropped,
                   dropped == 1 ? "" : "es");
  }
  return text;
}

Table counted_layer_table(const MeasuredCase& measured) {
  Table table;
  table.title = format("Counted: {}", title_of(measured.record.identity));
  table.columns = {{"name", "layer", Align::left},
                   {"op", "op", Align::left, true},
                   {"kernels", "kernels"},
                   {"time_s", "time"},
                   {"share", "share"},
                   {"fp64_flops", "FP64", Align::right, true},
                   {"fp32_flops", "FP32"},
                   {"fp16_flops", "FP16", Align::right, true},
                   {"tensor_flops", "tensor"},
                   {"flops", "FLOP", Align::right, true},
                   {"model_flops", "model FLOP"},
                   {"flops_ratio", "ratio"},
                   {"dram_bytes", "DRAM"},
                   {"model_bytes", "compulsory"},
                   {"bytes_ratio", "ratio"},
                   {"l2_bytes", "L2"},
                   {"intensity", "FLOP/B"},
                   {"flops_per_s", "FLOP/s"},
                   {"bytes_per_s", "B/s"},
                   {"occupancy", "occupancy", Align::right, true},
                   {"sm_busy", "SM busy", Align::right, true},
                   {"sm_clock_hz", "clock", Align::right, true},
                   {"gap", "gaps", Align::left},
                   {"reason", "reasons", Align::left, true}};
  if (!measured.counted) return table;
  const CountedLayers& counted = *measured.counted;
  for (const CountedLayer& layer : counted.layers) {
    std::vector<Cell> row = {layer.name, layer.op,
                             count_cell(static_cast<std::int64_t>(layer.kernels)),
                             optional_si_cell(layer.time_s, "s"),
                             layer.time_s ? percent_cell(layer.time_share) : dash()};
    for (Cell& cell : figure_cells(layer, layer.model_flops(), as_double(layer.model_bytes))) {
      row.push_back(std::move(cell));
    }
    row.emplace_back(causes_of(layer));
    row.emplace_back(reasons_of(layer));
    table.rows.push_back(std::move(row));
  }
  if (counted.totals.kernels > 0) {
    table.totals.push_back(
        total_row("sum of kernels", counted.totals.kernels, counted.totals, counted));
  }
  if (counted.step) {
    table.totals.push_back(total_row(
        "whole step", static_cast<std::size_t>(measured.record.counting->launches_per_step),
        *counted.step, counted));
  }
  return table;
}

Table counted_gap_table(const MeasuredCase& measured, std::size_t top) {
  Table table;
  table.title =
      format("Largest gaps between counters and model: {}", title_of(measured.record.identity));
  table.columns = {{"name", "layer", Align::left},
                   {"figure", "of", Align::left},
                   {"measured", "measured"},
                   {"model", "model"},
                   {"ratio", "ratio"},
                   {"cause", "cause", Align::left},
                   {"evidence", "why", Align::left}};
  if (!measured.counted) return table;
  const auto add = [&](const std::vector<const CountedLayer*>& layers,
                       std::optional<analyze::Gap> CountedLayer::*gap, std::string_view figure) {
    const bool flops = figure == "FLOP";
    for (std::size_t i = 0; i < std::min(top, layers.size()); ++i) {
      const CountedLayer& layer = *layers[i];
      const std::optional<double> counted = flops ? layer.flops : layer.dram_bytes;
      const std::optional<double> model =
          flops ? layer.model_flops() : as_double(layer.model_bytes);
      table.rows.push_back({layer.name, std::string(figure),
                            optional_si_cell(counted, flops ? "" : "B"),
                            optional_si_cell(model, flops ? "" : "B"),
                            factor_cell_by_3_digits(quotient(counted, model)),
                            std::string(name_of((layer.*gap)->cause)), (layer.*gap)->text});
    }
  };
  add(measured.counted->largest_flops_gaps(), &CountedLayer::flops_gap, "FLOP");
  add(measured.counted->largest_bytes_gaps(), &CountedLayer::bytes_gap, "DRAM bytes");
  return table;
}

Table counted_breach_table(const MeasuredCase& measured) {
  Table table;
  table.title = format("Points above a roof: {}", title_of(measured.record.identity));
  table.columns = {{"name", "layer", Align::left},
                   {"point", "point", Align::left},
                   {"roof", "roof", Align::left},
                   {"rate", "rate"},
                   {"peak", "peak"},
                   {"why", "why", Align::left}};
  if (!measured.counted) return table;
  for (const CountedLayer& layer : measured.counted->layers) {
    for (const analyze::RoofBreach& breach : layer.breaches) {
      const std::string_view unit = breach.roof == "memory" ? "B/s" : "FLOP/s";
      table.rows.push_back({layer.name, breach.modelled ? "modelled" : "measured", breach.roof,
                            si_cell(breach.rate, unit), si_cell(breach.peak, unit), breach.text});
    }
  }
  return table;
}

std::vector<std::string> counted_notes(const MeasuredCase& measured) {
  std::vector<std::string> notes;
  if (!measured.counted) return notes;
  const CountedLayers& counted = *measured.counted;
  notes.push_back(counting_note(*measured.record.counting));
  add_sums(counted, notes);
  notes.insert(notes.end(), counted.step_differences.begin(), counted.step_differences.end());
  add_coverage(counted, notes);
  if (counted.totals.moves > 0.0) {
    notes.push_back(format("hfma that only move constants would make {}: left out",
                           si(counted.totals.moves, "FLOP")));
  }
  notes.push_back(counting_conventions());
  return notes;
}

}  // namespace rooflab::report
