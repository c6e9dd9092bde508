#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::import {

/// What the readers of other programs' files say about them.
struct Sentences {
  NoteSentence trace_schema_unknown{"trace_schema_unknown",
                                    "the trace has schema version {}: only 1 is known"};
  NoteSentence trace_cut{"trace_cut",
                         "the trace ends early, at byte {:d}< ({})>: what came later is missing",
                         NoteRank::changes};
  NoteSentence trace_damaged{"trace_damaged",
                             "the compressed file is damaged ({}): the trace may be wrong",
                             NoteRank::changes};
  NoteSentence trace_without_kernels{
      "trace_without_kernels",
      "the trace has no kernels: it was recorded on a CPU, or without ProfilerActivity.CUDA",
      NoteRank::changes};
  NoteSentence graphs_as_one{
      "graphs_as_one",
      "{} run[|s] of a CUDA graph: each is one row, and its kernels are not known (nsys profile"
      " --cuda-graph-trace=node records them)",
      NoteRank::changes};
  NoteSentence calls_not_recorded{
      "calls_not_recorded",
      "the trace has no CUDA calls: what the host did, and which call launched a kernel, is"
      " unknown"};
  NoteSentence sums_of_launches{"sums_of_launches",
                                "the file has sums of the launches of each kernel, not single "
                                "ones: when they ran is unknown"};
  NoteSentence sums_of_copies{
      "sums_of_copies",
      "{} cop[y or fill|ies and fills] of memory take[s|] {s}, most of it {}: no table has them"};
  NoteSentence sums_of_calls{"sums_of_calls",
                             "{} call[|s] of CUDA take[s|] {s}, most of it {}: no table has them"};
  NoteSentence nvprof_warned{"nvprof_warned", "nvprof: {}", NoteRank::changes};
  NoteSentence tensor_work_unknown{
      "tensor_work_unknown",
      "tensor work was not collected: the log has no counter of tensor cores, and does not say"
      " which chip it is from, so their names are not known.",
      NoteRank::changes};
  NoteSentence tensor_metrics_unknown{
      "tensor_metrics_unknown",
      "tensor work was not collected: compute capability {} has tensor cores, but the names of its"
      " metrics are not known; `ncu --query-metrics` lists them (sm__ops_path_tensor_src_*).",
      NoteRank::changes};
  NoteSentence tensor_work_missing{
      "tensor_work_missing",
      "tensor work is missing: compute capability {} has tensor cores, but the log lacks"
      " their counters",
      NoteRank::changes, "{2}"};
  NoteSentence tensor_types_missing{
      "tensor_types_missing",
      "tensor work with inputs of {} was not collected: where the program uses them, add {}.",
      NoteRank::changes};
  NoteSentence tensor_work_ruled_out{
      "tensor_work_ruled_out",
      "Tensor-core work was not collected and is taken as 0: {} does not use tensor cores on {}."};
  NoteSentence tf32_by_default{
      "tf32_by_default",
      "PyTorch allows TF32 in convolutions unless it is switched off: give --precision tf32 where"
      " that was not done.",
      NoteRank::changes};
  NoteSentence metric_unknown{
      "metric_unknown",
      "{} is missing: the log has '{}', which Rooflab does not use and which may be misspelt",
      NoteRank::changes};
  NoteSentence instructions_only{
      "instructions_only",
      "{} {} instructions were counted, which include comparisons and moves: they did between 0"
      " and {flop}. {} would count the FLOPs.",
      NoteRank::changes};
  NoteSentence moves_ignored{
      "moves_ignored",
      "{} FLOP of FP16 FMAs in {} kernel[|s] are ignored. They only move constants."};
  NoteSentence caches_flushed{
      "caches_flushed",
      "DRAM traffic is higher than in a normal run: ncu flushes caches before each kernel. Use"
      " --cache-control none."};
  NoteSentence clocks_at_base{
      "clocks_at_base", "ncu holds the clocks at their base; --clock-control none prevents that."};
  NoteSentence derived_by_time{
      "derived_by_time",
      "Counters of {} kernel[|s] are derived from a rate per second and the kernel's time."};
  NoteSentence derived_by_cycles{
      "derived_by_cycles",
      "Counters of {} kernel[|s] are derived from a rate per cycle and the elapsed cycles."};
  NoteSentence numbers_european{
      "numbers_european", "Numbers are read as 1.234,5: most of the log's numbers have that form."};
  NoteSentence numbers_mixed{"numbers_mixed",
                             "Numbers are written in two ways, 1,234.5 and 1.234,5."};
  NoteSentence numbers_ambiguous{
      "numbers_ambiguous",
      "{} number[|s] such as '{}' could be read in two ways; the comma is read as the separator of"
      " groups, the point as the decimal point."};
  NoteSentence several_devices{"several_devices",
                               "The log has launches on {} devices; all are read as cuda:{:d}."};
  NoteSentence units_unknown{"units_unknown",
                             "Values with unknown units were not used; the first is {}."};
  NoteSentence ncu_errors{"ncu_errors", "ncu reported {} error[|s], the first: {}"};
};
inline constexpr Sentences says{};

}  // namespace rooflab::import
