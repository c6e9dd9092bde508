#include "modelled_section.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "page/row_table.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {

using analyze::ImportedCase;

page::Table modelled_table(const ImportedCase& imported, std::size_t top) {
  const analyze::ModelledOps& modelled = *imported.modelled;
  const std::size_t all = modelled.ops.size();
  const std::size_t shown = top == 0 ? all : std::min(top, all);
  page::Table table = page::table_of(
      std::span(modelled.ops).first(shown),
      page::columns_of(
          page::cut("op"), page::if_known("pass"), page::titled("launches", "kernels"), "time_s",
          page::in_bars("time_share"), page::titled("modelled_flop_per_s", "FLOP/s"),
          page::titled("modelled_bytes_per_s", "B/s"),
          page::titled("modelled_intensity_flop_per_byte", "FLOP/B"), page::if_known("bound"),
          page::if_known("attainable_share"), page::in_csv("attainable_flop_per_s"), "calls",
          page::titled("modelled_flop", "FLOPs"), page::titled("modelled_bytes", "bytes"),
          page::if_known("counted_flop"), page::if_known("counted_bytes"),
          page::if_known("modules")));
  table.title =
      format("Ops of {}{}: FLOPs and bytes modelled from shapes, not counted", imported.title,
             modelled.part_of_run ? ", of a part of the run"
             : imported.trace     ? of_a_step(imported)
                                  : ", a step");
  if (shown < all) table.title += format("; the {} that take longest of {}", shown, all);
  return table;
}

page::Remarks modelled_notes(const ImportedCase& imported) {
  page::Remarks notes;
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
    notes.push_back({format("counted against modelled, of the ops that have both: {} as many",
                            join(ratios, ", ")),
                     NoteRank::says});
  }
  return notes;
}

}  // namespace rooflab::report
