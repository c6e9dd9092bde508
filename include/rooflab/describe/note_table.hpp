#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// Every sentence that the program says about a result, by its code.
///
///     {}, {2}        the note's next value, or its value 2; a long list names its first eight
///     {s}, {share}   a number with the unit that has this ending in keys: 12.1 ms, 97.6 %
///     {share:.0f}    the same in that format; {:si} is 1.82 G, {:d} a count without commas
///     [one|many]     by the count or list before it, or else by the note's first one
///     <...>          left out where one of its values is missing
namespace rooflab {

/// What a sentence is worth to a reader who has time for a few: the higher ones come first.
enum class NoteRank : std::uint8_t {
  explains,  ///< the words and columns of a table
  says,      ///< something that a reader must know
  changes,   ///< the answer is incomplete or in doubt
  answers,   ///< part of the answer: it is never left out
};

struct NoteSentence {
  std::string_view code;
  std::string_view text;
  NoteRank rank = NoteRank::says;
  std::string_view command = {};  ///< the command line that mends it, with values like the text
};

inline constexpr std::array note_table = std::to_array<NoteSentence>({
    {"sentence", "{}"},  // of a program that is not ours, or of another version

    // Networks from files
    {"setting_without_part", "{} has no part in this network: {}", NoteRank::changes},
    {"batch_of_no_input",
     "the recording says batch {}, which divides no extent of an input: samples/s rest on it",
     NoteRank::changes},
    {"step_issued_by", "step times are those of a step that is issued by '{}'"},
    {"counted_channels_last", "counted with images and kernels in channels-last order"},
    {"output_declared_otherwise",
     "the file declares its output '{}' as {}, its nodes make {}: theirs counts",
     NoteRank::changes},
    {"batch_taken_as_1",
     "the batch dimension '{0}' is open and taken as 1 (--batch N or --dim {0}=N sets it)"},
    {"op_not_counted", "{} is not counted: {}[| ({} nodes)]", NoteRank::changes},
    {"op_values_differ", "{} {}[| ({} nodes)]", NoteRank::changes},
    {"elements_unused", "{} of {} float elements in the file take no part in the computation"},
    {"elements_constant",
     "{} element[ is a constant, not a parameter|s are constants, not parameters] (Constant nodes,"
     " integers, masks)"},
    {"norms_folded",
     "the exporter folded batch norms into {} of {} convolution[|s]: eager runs them, so this is "
     "not"
     " the network's time; export with optimize=False (dynamo=True) or do_constant_folding=False"
     " (dynamo=False)",
     NoteRank::changes},
    {"norms_or_biases_left_out",
     "{} of {} convolution[ has|s have] neither a bias nor a batch norm: the exporter folds batch"
     " norms and leaves out biases of zeros, which eager runs; export with optimize=False",
     NoteRank::changes},
    {"attention_by_hand",
     "{} attention[ is|s are] written out as products and a softmax, as code without"
     " scaled_dot_product_attention runs [it|them]: predicted op by op"},
    {"dropout_unknown",
     "the file has no dropout: exporters leave it out in evaluation mode, so training is without it"
     " (dynamo=False, training=torch.onnx.TrainingMode.TRAINING keeps it)"},
    {"values_unreadable", "the data of '{}'< and {} more> cannot be read: {2}", NoteRank::changes},
    {"rewritten", "{} changed {} place[|s]"},

    // Recordings
    {"recording_gaps", "the recording does not hold what {} did: that work is not counted",
     NoteRank::changes},
    {"recording_assumed",
     "the recording assumed a value for {}< at {}>[| ({2} times)]: the program may do other work",
     NoteRank::changes},

    // Limits and predictions
    {"device_taken", "{}: taken as {} (others: {})"},
    {"no_tf32", "{} has no TF32 units: FP32 instead"},
    {"no_fp16_tensor_cores",
     "{} has no FP16 tensor cores: products with FP32 accumulation run on the FP32 units"},
    {"amp_is_fp16", "amp is fp16 on a device that does not compute bf16"},
    {"limit_lacks", "no limit: {}", NoteRank::changes},
    {"device_unknown",
     "no limit: '{}' has no device file; `rooflab probe --save my.toml` measures its roofs for"
     " --calibration my.toml",
     NoteRank::changes},
    {"roofs_unknown", "no roofs: no device file describes '{}' here (--devices-dir)",
     NoteRank::changes},
    {"limit_of_other_device", "the limit is that of {}, the steps ran on {}", NoteRank::changes},
    {"causal_attention",
     "causal attention is counted in full; the visible half alone makes {:si} MACs"},
    {"ops_not_counted", "not counted: {} x {}", NoteRank::changes},
    {"answer_not_counted",
     "no expected time and no verdict: {} is not counted, and its work or memory may be large",
     NoteRank::changes},
    {"time_not_counted",
     "no expected time: {} is not counted, and works far longer than its bytes take to move",
     NoteRank::changes},
    {"neighbouring_kinds",
     "{share:.0f} of the time is estimated from similar kinds of ops, because these were not "
     "measured"},
    {"roofline_kinds",
     "{share:.0f} of the time comes from kinds without a near measurement: a roofline stands in"},
    {"memory_time_in_doubt",
     "in doubt: {} takes {:.1f} times what its bytes need, and no op of such sizes was measured on "
     "{}"
     " that shows so",
     NoteRank::changes},
    {"rough_calibration",
     "a rough calibration: {share:.0f} of the time comes from kinds with few measurements and an"
     " error above 30 %: probe longer (probe --add FILE --ops-time 170)",
     NoteRank::changes},
    {"op_without_rule", "'{}' has no rule: its time is not in the prediction", NoteRank::changes},
    {"carried_over", "times are carried over from measurements on {}"},
    {"carried_from_other_maker",
     "no device of {} was measured: times are carried over from another maker's ({}), and the"
     " interval is wide"},
    {"no_prediction_without_limit",
     "no prediction: without a limit of {} nothing can be carried over to it", NoteRank::changes},
    {"host_left_out", "host overhead is not included: no calibration has issue costs"},
    {"host_of_other_machine",
     "launch overhead was measured on another machine ({}); on yours it may be half or double< "
     "({})>"},
    {"host_at_hand", "issue costs were measured behind the steps, on the same host< ({})>"},
    {"graph_replay",
     "a CUDA graph is replayed: the host takes {s} to launch a step, and the shortest kernel"
     " takes the device {s}"},
    {"graph_kernel_assumed",
     "no calibration has the shortest kernel of a replayed graph (launch.graph_kernel): {s} is {};"
     " the interval reaches from {s} to {s}"},
    {"graph_launch_assumed",
     "no calibration has the launch of a graph (launch.graph_launch): {s} is NVIDIA's published"
     " 2.5 us + 1 ns a kernel, the interval reaches to the {s} of versions before CUDA 12.6"},
    {"graph_needs_fixed_sizes",
     "a CUDA graph needs tensors of fixed sizes: the KV cache of this step is made anew each time"},
    {"link_published", "times of all-reduces are published ones: {}< ({})>"},
    {"link_of_other_device", "times of all-reduces are those of {}, which has the same link"},
    {"overlap_of_other_device",
     "how much all-reduces and kernels slow each other was measured on {}, which has the same "
     "link"},
    {"link_not_measured", "{} was not measured: {}"},
    {"step_exchanges",
     "{} message[|s] among {} devices, {bytes} in a step: {s} alone, {share} of it behind other "
     "work;"
     " link: {}"},
    {"exchange_without_link",
     "{} message[|s] to other devices [is|are] not in the predicted time: the link of {} is not"
     " known (--link names one)",
     NoteRank::changes},
    {"wrapped_ops_unknown",
     "what {} operation[|s] of tensor subclasses (DTensor) cost[s|] the host is not known (rooflab"
     " probe --only host): the interval is wider",
     NoteRank::changes},
    {"overlap_not_measured",
     "how much all-reduces and kernels slow each other was not measured (rooflab probe --links):"
     " kernels lose the multiprocessors that an all-reduce keeps, all-reduces nothing; the interval"
     " is wider"},
    {"at_share_of_peak", "at {share:.0f} of the arithmetic peak, without an interval"},
    {"no_prediction_of_device", "no prediction: no device file describes '{}' ({} names one)",
     NoteRank::changes},
    {"no_prediction_without_calibration",
     "no prediction: a calibration for {} is missing (rooflab probe makes one)", NoteRank::changes},
    {"no_prediction_without_link", "no prediction: {} ({} names one)", NoteRank::changes},

    // Searches and plans
    {"step_is_limit", "{} has no calibration: the step is the roofline's limit"},
    {"memory_incomplete",
     "{}: the memory does not include {}: real capacity is lower, and nothing has the verdict"
     " 'fits'",
     NoteRank::changes},
    {"search_interrupted", "the search was interrupted: {} with the same folder goes on",
     NoteRank::changes},
    {"stages_share_device",
     "two stages on {} share its memory and take turns: the plan takes them for two devices"},
    {"cuts_thinned", "only {} of the {} places where the network can be cut were compared"},
    {"plan_by_limit",
     "{} has no calibration: times are the roofline's limit, workspace and context are not in the"
     " memory"},

    // Measurements
    {"steps_spread", "step times vary by {share:.1f} of their median (5th to 95th percentile)",
     NoteRank::changes},
    {"times_unsettled", "times had not settled after {} warm-up step[|s]", NoteRank::changes},
    {"above_measured_roofs",
     "faster than the roofs allow: {:.2f}x the limit's time<, {share:.0f} of peak>; the "
     "calibration was made on a busy machine: probe again",
     NoteRank::changes},
    {"above_datasheet_roofs",
     "faster than the roofs allow: {:.2f}x the limit's time<, {share:.0f} of peak>; an algorithm"
     " with less arithmetic (Winograd, FFT), data in a cache, or a clock above the datasheet's",
     NoteRank::changes},
    {"few_steps", "only {} timed step[|s]: the median's interval is not a 95 % one"},
    {"host_bound",
     "the host takes {s} to issue a step that takes {s}: the device waits for the host",
     NoteRank::changes},
    {"clocks_held_down", "the device held its clocks down< in {} of {} samples>: {}",
     NoteRank::changes},
    {"clock_moved", "the clock moved from {hz} to {hz} while measuring ({share:+.1f})",
     NoteRank::changes},
    {"data_unreadable", "{} file[|s] of the data could not be read, the first: {}",
     NoteRank::changes},
    {"no_sensors", "no power, energy or clocks: {}"},
    {"too_short_for_energy",
     "no energy: the timed steps took {s}, too short for the device's counter"},
    {"no_gpu_sampled", "No GPU was sampled: {}"},
    {"kernels_not_traced", "Kernels were not traced: {}."},
    {"counters_not_read", "Hardware counters were not read: {}."},
    {"counters_failed", "{}< {}>", NoteRank::answers},

    // Recordings of other programs
    {"trace_schema_unknown", "the trace has schema version {}: only 1 is known"},
    {"trace_cut", "the trace ends early, at byte {:d}< ({})>: what came later is missing",
     NoteRank::changes},
    {"trace_damaged", "the compressed file is damaged ({}): the trace may be wrong",
     NoteRank::changes},
    {"trace_without_kernels",
     "the trace has no kernels: it was recorded on a CPU, or without ProfilerActivity.CUDA",
     NoteRank::changes},
    {"trace_not_used", "{} event[|s] of the trace could not be used: `lost` lists [it|them]"},
    {"trace_of_processes",
     "{} processes (or threads with steps of their own) launched work: each is read as a rank of "
     "one"
     " job",
     NoteRank::changes},
    {"steps_nested",
     "{} range[|s] that would mark a step lie[s|] in another step: the outer ones are the steps",
     NoteRank::changes},
    {"steps_overlapping",
     "{} step[|s] begin[s|] before the one before has ended, which cuts [it|them]: steps take "
     "longer"
     " than said",
     NoteRank::changes},
    {"steps_of_other_threads",
     "{} range[|s] that would mark a step [is|are] of other threads or processes, at the same time:"
     " the steps are those of the thread that launches most",
     NoteRank::changes},
    {"never_zero",
     "{}: {} of {} launches have 0, which a kernel that runs cannot have: unknown, and in no mean",
     NoteRank::changes},
    {"above_roof",
     "{} reaches {share} of a roof of {}: more than it can: another device ran (--device), or"
     " counters are wrong",
     NoteRank::changes},
    {"check_assumes", "the check takes {}: neither the recording nor the command line says so",
     NoteRank::changes},
    {"graphs_as_one",
     "{} run[|s] of a CUDA graph: each is one row, and its kernels are not known (nsys profile"
     " --cuda-graph-trace=node records them)",
     NoteRank::changes},
    {"calls_not_recorded",
     "the trace has no CUDA calls: what the host did, and which call launched a kernel, is "
     "unknown"},
    {"sums_of_launches",
     "the file has sums of the launches of each kernel, not single ones: when they ran is unknown"},
    {"sums_of_copies",
     "{} cop[y or fill|ies and fills] of memory take[s|] {s}, most of it {}: no table has them"},
    {"sums_of_calls", "{} call[|s] of CUDA take[s|] {s}, most of it {}: no table has them"},
    {"profiler_warned", "{}<; {}>"},
    {"counters_not_wanted",
     "counters were not asked for (--no-counters): FLOPs and bytes were not counted"},
    {"ops_of_other_steps",
     "ops are not known: the program launched other kernels than in its step while they were "
     "recorded",
     NoteRank::changes},
    {"ops_of_like_steps",
     "{} of the step's {} kernels differed while ops were recorded: they have the op of the kernel "
     "in their place"},
    {"ops_not_read", "ops are not known: {}", NoteRank::changes},
    {"ended_by_signal", "a signal ended the program", NoteRank::changes},
    {"no_kernel_recorded", "no kernel was recorded", NoteRank::changes},
    {"nothing_sampled", "no sample was taken", NoteRank::changes},
    {"no_step_traced", "no step was traced: its kernels have no times", NoteRank::changes},
    {"counters_of_like_launches",
     "of {} of the step's {} kernels the counters are those of other launches with the same name,"
     " grid, block and shared memory"},
    {"launches_without_value",
     "{} counted launch[ has|es have] no value: the counted steps are not all alike",
     NoteRank::changes},
    {"tensor_work_unknown",
     "tensor work not collected: the log has no counter of tensor cores, and does not say which"
     " chip it is from, so their names are not known.",
     NoteRank::changes},
    {"tensor_metrics_unknown",
     "tensor work not collected: compute capability {} has tensor cores, but the names of its"
     " metrics are not known; `ncu --query-metrics` lists them (sm__ops_path_tensor_src_*).",
     NoteRank::changes},
    {"tensor_work_missing",
     "tensor work not collected: compute capability {} has tensor cores, but the log lacks their"
     " counters",
     NoteRank::changes, "{2}"},
    {"tensor_types_missing",
     "tensor work with inputs of {} was not collected: where the program uses them, add {}.",
     NoteRank::changes},
    {"tensor_work_ruled_out",
     "Tensor-core work was not collected and is taken as 0: {} does not use tensor cores on {}."},
    {"tf32_by_default",
     "PyTorch allows TF32 in convolutions unless it is switched off: give --precision tf32 where "
     "that"
     " was not done.",
     NoteRank::changes},
    {"metric_unknown",
     "{} is missing: the log has '{}' in its place, which Rooflab does not use: it may be misspelt",
     NoteRank::changes},
    {"instructions_only",
     "{} {} instructions were counted, comparisons and moves among them: between 0 and {flop}. {}"
     " would count the FLOPs.",
     NoteRank::changes},
    {"moves_ignored", "Ignored: {} FLOP of FP16 FMAs in {} kernel[|s]. They only move constants."},
    {"caches_flushed",
     "DRAM traffic is higher than in a normal run: ncu flushes caches before each kernel. Use"
     " --cache-control none."},
    {"clocks_at_base", "ncu holds the clocks at their base; --clock-control none prevents that."},
    {"derived_by_time",
     "Counters of {} kernel[|s] are derived: a rate per second times the kernel's time."},
    {"derived_by_cycles",
     "Counters of {} kernel[|s] are derived: a rate per cycle times the elapsed cycles."},
    {"numbers_european", "Numbers are read as 1.234,5: most of the log's numbers have that form."},
    {"numbers_mixed", "Numbers are written in two ways, 1,234.5 and 1.234,5."},
    {"numbers_ambiguous",
     "{} number[|s] such as '{}' could be read in two ways; the comma is read as the separator of"
     " groups, the point as the decimal point."},
    {"several_devices", "The log has launches on {} devices; cuda:{:d} stands for all."},
    {"units_unknown", "Values with unknown units were not used, the first is {}."},
    {"ncu_errors", "ncu reported {} error[|s], the first: {}"},

    // Counters
    {"groups_counted",
     "counted on {} on some launches of each group (a kernel with one grid, block and shared"
     " memory): all {} launches of {2} groups do {}<; FLOPs and DRAM bytes were counted for"
     " {share} of kernel time><, and for {share} with estimates from the same kernels' other"
     " grids>"},
    {"groups_cost", "counting took {s} of {s}"},
    {"groups_once", "{} group[ was|s were] counted once: the error leaves [it|them] out"},
    {"groups_without", "{} group[ was|s were] not counted<: {s} of kernel time>",
     NoteRank::changes},
    {"only_timed", "kernels were timed, not counted: the warnings say why", NoteRank::changes},
    {"counted",
     "counted on {} in {s}, after {s} of programming the counters: {} metric[|s] in {}"
     " pass[|es], one per step, {} over a whole step, {} kernel by kernel; times are of steps"
     " without counters"},
    {"launches_dropped",
     "{} launch[|es] [has|have] no counter value: their steps differed from the others",
     NoteRank::changes},
    {"counted_work",
     "counted {flop}: {}<; the model has {flop} (products {:si}, the rest {:si}): {:.3f} times as"
     " much>"},
    {"counted_traffic",
     "DRAM moved {bytes}<, {:.2f} times the compulsory {bytes}><; L2 was asked for {bytes}>"},
    {"counted_step", "a whole step, its kernels concurrent: {}"},
    {"steps_not_alike",
     "Tensor cores: {flop} in a whole step, {flop} summed over its kernels: the steps were not"
     " alike.",
     NoteRank::changes},
    {"tensor_work_not_all_counted",
     "Tensor cores: {flop} in a whole step, {flop} summed over its kernels: not every launch was"
     " counted.",
     NoteRank::changes},
    {"traffic_one_by_one",
     "DRAM: {bytes} in a whole step, {bytes} summed over its kernels: counted one by one, each"
     " kernel waits for the one before it, and what L2 still holds or has written back can differ"
     " from a step that runs freely."},
    {"traffic_not_all_counted",
     "DRAM: {bytes} in a whole step, {bytes} summed over its kernels: not every launch was"
     " counted.",
     NoteRank::changes},
    {"kernels_without_figure", "{} of {} kernels have {}", NoteRank::changes},
    {"kernels_without_node", "{} kernel[ belongs|s belong] to no node of the network",
     NoteRank::changes},
    {"layers_without_kernel", "expected work but no kernel recorded: {}", NoteRank::changes},
    {"constant_moves_left_out", "HFMA instructions that only move constants ({flop}) are excluded"},
    {"counting_conventions",
     "conventions: a multiply-accumulate is 2 FLOP, an fp16 instruction does two lanes, HFMA"
     " instructions that only move constants are excluded, tensor cores count dense operations"},

    // Training
    {"runs_stopped_early", "{} run[|s] stopped early and contribute[s|] only to samples/s"},
    {"target_not_reached", "no run reached {share:g}: the time to it is unknown"},
    {"target_reached_by_some",
     "{} of {} complete runs reached {share:g}; times and epochs to it are of these alone, and the"
     " rest would have taken longer"},
    {"runs_resumed", "{} run[ was|s were] resumed; the pause is not counted"},
    {"several_libtorch", "not all runs had one libtorch: {}"},
    {"milestone_of_all",
     "the highest whole per cent that each of the {} complete runs reached is {} %"},

    // Probes and published rows
    {"no_device_probe", "no bandwidth, peaks and transfers: rooflab-probe is not installed"},
    {"no_link_partner", "links were not measured: two GPUs of one model are needed"},
    {"no_link_worker", "no links: rooflab-torch is not here"},
    {"links_failed", "links: {}", NoteRank::answers},
    {"overlap_left_out",
     "{} beside all-reduces over {} ranks: not measured, because the all-reduces ended first in {}"
     " of {} rounds"},
    {"ops_left_out", "{} of {} single ops were left out: {}"},
    {"no_python_costs", "no issue costs of PyTorch: {} is not here"},
    {"python_costs_failed", "no issue costs of PyTorch: {}", NoteRank::answers},
    {"probe_cut_short", "the probe ended before it was done: {}", NoteRank::answers},
    {"part_failed", "{}", NoteRank::answers},
    {"no_clocks", "no clocks: {}"},
    {"arrays_below_caches",
     "the test arrays (an eighth of the memory) are smaller than 4 times the caches: bandwidths "
     "may include cache hits"},
    {"arrays_below_l2", "the arrays of the bandwidth are below 20 times the L2 cache"},
    {"products_of_reference_blas",
     "the products on the CPU ran in {}, which may be the reference BLAS"},
    {"kind_too_small", "too few measurements for a model"},
    {"launch_subtracted",
     "<the plateau is {s}, >{s} of launch subtracted, {} of {} rows dropped as too short"},
    {"reference_factor",
     "on the device that was measured both ways {} published times<, with {s} added,> are {:.2f}"
     " of its own (median), spread {share:.0f}: {}"},
    {"times_corrected", "times divided by {:.3g}, spread {share:.0f}: {}"},
    {"outliers_left_out", "{} outlier[ is|s are] not used; lines of the table: {}"},
    {"too_few_rows", "{} row[ is|s are] left, too few for a model"},
});

}  // namespace rooflab
