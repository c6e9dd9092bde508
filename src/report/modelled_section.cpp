#include "modelled_section.hpp"

#include <algorithm>
#include <span>

#include "rooflab/base/text.hpp"
#include "row_table.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {

using analyze::ImportedCase;

Table modelled_table(const ImportedCase& imported, std::size_t top) {
  const analyze::ModelledOps& modelled = *imported.modelled;
  const std::size_t all = modelled.ops.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  Table table = table_of(
      std::span(modelled.ops).first(shown),
      columns_of(cut("op"), if_known("pass"), titled("launches", "kernels"), "time_s",
                 in_bars("time_share"), titled("modelled_flop_per_s", "FLOP/s"),
                 titled("modelled_bytes_per_s", "B/s"),
                 titled("modelled_intensity_flop_per_byte", "FLOP/B"), if_known("bound"),
                 if_known("attainable_share"), in_csv("attainable_flop_per_s"), "calls",
                 titled("modelled_flop", "FLOPs"), titled("modelled_bytes", "bytes"),
                 if_known("counted_flop"), if_known("counted_bytes"), if_known("modules")));
  table.title =
      format("Ops of {}{}: FLOPs and bytes modelled from shapes, not counted", imported.title,
             modelled.part_of_run ? ", of a part of the run"
             : imported.trace     ? of_a_step(imported)
                                  : ", a step");
  if (shown < all) table.title += format("; the {} that take longest of {}", shown, all);
  return table;
}

Remarks modelled_notes(const ImportedCase& imported) {
  Remarks notes;
  if (!imported.modelled) return notes;
  const analyze::ModelledOps& modelled = *imported.modelled;
  const auto percent = [](const std::optional<double>& share) {
    return share ? format("{:.1f} %", 100.0 * *share) : std::string("an unknown share");
  };
  std::string text = format(
      "modelled from shapes: {} of the kernels' time is in kernels of a known"
      " op, {} in ops with modelled FLOPs and bytes",
      percent(modelled.op_share), percent(modelled.modelled_share));
  const auto flops_per_s = modelled.modelled.flops_per_s();
  const auto bytes_per_s = modelled.modelled.bytes_per_s();
  if (flops_per_s && bytes_per_s) {
    text += format(": together {} and {}", si(*flops_per_s, "FLOP/s"), si(*bytes_per_s, "B/s"));
  }
  notes.push_back({std::move(text), NoteRank::says});
  if (modelled.flop_ratio || modelled.bytes_ratio) {
    std::vector<std::string> ratios;
    if (modelled.flop_ratio) ratios.push_back(format("FLOPs {:.3g} times", *modelled.flop_ratio));
    if (modelled.bytes_ratio) ratios.push_back(format("bytes {:.3g} times", *modelled.bytes_ratio));
    notes.push_back({format("counted beside modelled, of the ops that have both: {} as many",
                            join(ratios, ", ")),
                     NoteRank::says});
  }
  return notes;
}

}  // namespace rooflab::report
