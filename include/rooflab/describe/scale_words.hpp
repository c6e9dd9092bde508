#pragma once

#include <array>

#include "rooflab/describe/figure_mark.hpp"

/// Words of the vocabulary for several devices: ranks, series, stages.
namespace rooflab {

inline constexpr std::array scale_words = std::to_array<Figure>({
    // Several devices
    {"ranks_wanted", "ranks", "Ranks that were asked for."},
    {"backend", "backend", "`nccl` or `gloo`; empty where nothing is exchanged."},
    {"cut", "cut", "`best`: the longest stage is the shortest; `own`: as asked for."},
    {"beyond", "does not run",
     "The first counts beyond `largest`, whose verdict is `oom`; empty where no end was found."},
    {"beyond_memory", "beyond", "Memory that the counts of `beyond` ask for, with room for all."},
    {"circumstances", "circumstances",
     "The largest counts, all grown together, in other circumstances than those asked for."},
    {"circumstance", "circumstance",
     "`as asked for`; `results kept`: the last step's results, and what autograd holds for them, "
     "live until the next step's replace them; `inference`, `training`: that phase; `fp64`: that "
     "precision."},
    {"own_plan", "own cut",
     "The plan for the cut that was asked for, in addition to the best one."},
    {"bucket_bytes", "buckets", "Gradients exchanged together, in the order of their exchange."},
    {"ranks", "ranks", "Results by rank."},
    {"rank", "rank", "Number of the rank, from 0."},
    {"alone_s", "alone", "The same step without an exchange.", Better::lower},
    {"exchange_s", "exchange",
     "Median of all-reduces of the same buckets, while nothing else"
     " runs.",
     Better::lower},
    {"step_s", "step", "Time of a step.", Better::lower},
    {"kernel_s", "kernels", "Time of kernels.", Better::lower},
    {"communication_s", "communication",
     "Time of a step in messages to other devices, hidden or not.", Better::lower},
    {"communication", "communication",
     "Messages of a step to other devices; absent for a step of one device."},
    {"messages", "messages", "Messages of a step."},
    {"message_bytes", "message",
     "Bytes of all messages of a step, the larger of what a device "
     "gives and gets."},
    {"exchanging_devices", "devices", "Devices that exchange messages, in the largest group."},
    {"hidden_s", "hidden", "Communication while another kernel ran."},
    {"busy_share", "busy", "Share of the time with a kernel on the device.", Better::higher},
    {"sm_efficiency_share", "SM efficiency",
     "Blocks for each multiprocessor of the kernels that run, at most 1, over time: an estimate.",
     Better::higher},
    {"occupancy_share", "occupancy",
     "Warps on a multiprocessor over what it can hold, weighted by the kernels' time.",
     Better::higher},
    {"series", "series",
     "Rows that may be compared: one network, device, precision and kind of scaling."},
    {"scaling", "scaling",
     "`weak`: equal batches per device; `strong`: equal global batches; `mixed`: neither, and no"
     " speed-up."},
    {"series_batch", "batch",
     "The batch that the rows of a series share, a device's or the global one: null for `mixed`."},
    {"basis", "basis", "What the predicted steps rest on; null where nothing is predicted."},
    {"all_reduce", "all-reduce", "Algorithm of the all-reduces: `automatic`, `ring`, `tree`."},
    {"one_device_step_s", "one device",
     "Expected step of one device, which predicted speed-ups are against; null: not predicted."},
    {"findings", "findings",
     "What costs the result its time, and what a reader must know: the one that could save most"
     " comes first (README.md)."},
    {"device_count", "devices", "Number of devices."},
    {"batch_per_device", "batch per device", "Samples of a step on each device."},
    {"global_batch", "global batch", "Samples of a step on all devices."},
    {"efficiency_share", "efficiency", "Speed-up over the number of devices.", Better::higher},
    {"predicted_speedup", "predicted speed-up",
     "Speed-up of a run's prediction; null without either.", Better::higher, NumberStyle::factor},
    {"measured_over_predicted", "ratio", "Measured over predicted time of a step.", Better::neither,
     NumberStyle::factor},
    {"hidden_derived", "derived",
     "`hidden_share` is derived from steps with and without an exchange, not from kernels."},
    {"slowdown", "slowdown", "Slowdown of other kernels while an all-reduce runs.", Better::lower,
     NumberStyle::factor},
    {"all_reduce_slowdown", "all-reduce slowdown",
     "Slowdown of the all-reduces of a step by kernels that run at the same time.", Better::lower,
     NumberStyle::factor},
    {"slowest", "slowest",
     "The others wait for this rank: its step without an exchange is the longest where all ranks"
     " timed it, else its step."},
    {"communication_kernel_share", "of kernels", "Communication's share of the time in kernels.",
     Better::lower},
    {"cuts", "cuts", "Nodes after which the network was cut, by number."},
    {"micro_batches", "micro-batches", "Parts of a batch that go through the stages in turn."},
    {"stages", "stages", "Results by stage."},
    {"transfer_s", "transfer", "Time of moving data.", Better::lower},
    {"received_bytes", "received", "Activations from other stages, per step."},

    // Networks cut into stages
    {"link", "link", "What joins the devices."},
    {"least_memory_bytes", "least needed",
     "Least memory of each device with which a partition would fit; null where one fits."},
    {"plan", "plan", "The planned partition; null where nothing fits."},
    {"run", "run", "What was run, with what it measured."},
    {"stage", "stage", "Number of the stage, from 0."},
    {"micro_batch", "images each", "Samples of a micro-batch."},
    {"sequential_s", "sequential", "The whole batch through all stages, one after another.",
     Better::lower},
    {"bubble_share", "bubble", "Idle share of equal stages: (S - 1) / (M + S - 1).", Better::lower},
    fraction({"idle_share", "idle", "Idle share of these stages.", Better::lower}),
    {"optimizer_s", "optimizer", "Time of the optimizer.", Better::lower},
    {"returned_bytes", "returned", "Gradients from later stages, per step."},
    {"measured_transfer_s", "measured transfer", "Measured time of `transfer_s`.", Better::lower},
    {"measured_received_bytes", "measured received", "Measured bytes of `received_bytes`."},
    {"measured_allocated_peak_bytes", "measured allocated", "Measured `allocated_peak_bytes`.",
     Better::lower},
    {"time_ratio", "ratio", "Predicted over measured time."},
});

}  // namespace rooflab
