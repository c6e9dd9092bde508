#pragma once

#include <array>

#include "rooflab/describe/figure_mark.hpp"

/// Words of the vocabulary for what was run, where and how: files, cases, studies.
namespace rooflab {

inline constexpr std::array run_words = std::to_array<Figure>({
    // Files
    {"schema_version", "schema", "Version of the file's keys."},
    {"kind", "kind", "What the file or entry is."},
    {"command", "command", "The command that wrote the file."},
    answer(
        {"status", "status",
         "How it ended: `ok`, `oom` (memory ran out), `unsupported` (the framework cannot do it),"
         " `failed` (the worker said why), `crashed` (the worker died), `interrupted`. Tables show"
         " `suspect` for a case that is `ok` with warnings."}),
    {"message", "message", "Why the status is not `ok`; else empty."},
    {"warnings", "warnings", "Notes (README.md): why the result is suspect."},
    {"broken_data", "broken data", "Files that could not be read, with the reason."},
    {"lost", "lost", "What an import could not read."},
    {"what", "what", "What was lost."},
    {"count", "count", "How many."},
    {"first", "first", "Place of the first one."},

    {"source", "source", "Where it comes from: a file or a document."},
    {"evidence", "source",
     "What the prediction of a kind of ops or of a part of the memory rests on: `measured kind` "
     "(on the device itself), `carried kind` (on a relative), `other kind` (a neighbouring kind "
     "was measured, on either), `roofline`."},
    {"note", "note",
     "A remark: what could not be measured, or what a reader must know; may be empty."},
    {"notes", "notes", "Notes (README.md): what a reader must know."},
    {"cases", "cases", "Results by case."},
    {"totals", "totals", "Figures of the whole."},
    {"introduction", "introduction", "Paragraphs below the title of a page."},
    {"tables", "tables", "Tables of a page: title, columns and rows, with figures in base units."},

    // What was run
    {"identity", "identity", "What was run."},
    answer({"model", "model", "The network, as the user named it."}),
    answer({"device", "device", "The device: its id in the list of devices, `cpu` or `cuda:0`."}),
    answer(amount({"batch", "batch", "Samples of a step."})),
    amount({"context", "context",
            "Tokens in the cache before the step, or of a prefill; absent where a recording does "
            "not say "
            "it."}),
    {"recorded", "recorded", "True: the step is a recording's; absent for a network."},
    {"phase", "phase", "`inference`, `forward` or `training`."},
    {"precision", "precision",
     "`fp64`, `fp32`, `tf32`, `fp16`, `bf16`, `amp`, `amp-fp16`, `amp-bf16`."},
    {"optimizer", "optimizer",
     "`sgd`, `sgd-momentum`, `adam` or `none`: no update; empty outside training."},
    {"variant", "variant", "Another build of a built-in network; may be empty."},
    {"rewrite", "rewrite", "`swap-relu-maxpool`; may be empty."},
    {"data", "data", "`dummy`, `folder:PATH` or `cifar10:PATH`."},
    {"channels_last", "channels-last", "The images are in channels-last order."},
    {"command_line", "command line", "The command line that gives this again."},
    {"graph", "network", "The network as text (graph.md), before the precision is applied."},

    // Where and how
    {"environment", "environment", "Where and how it was run."},
    {"date", "date", "UTC, ISO 8601."},
    {"rooflab", "rooflab", "Version of Rooflab."},
    {"host", "host", "Operating system and kernel."},
    {"host_name", "host", "Name of a rank's machine."},
    {"cpu", "CPU", "Name of the processor."},
    {"device_properties", "device", "What the driver says about the device."},
    {"logical_cpus", "logical CPUs", "Logical processors."},
    {"threads", "threads", "Threads that the framework uses for one op."},
    {"host_memory_bytes", "host memory", "Memory of the host."},
    {"index", "index", "Number of the device among those of its kind."},
    answer({"name", "name", "Name for people."}),
    {"uuid", "UUID", "Unique id of the device, by its driver."},
    {"memory_bytes", "memory", "Memory of the device."},
    {"usable_memory_bytes", "memory",
     "Memory that a case may take: the limit where one was given, else the memory of the device."},
    {"compute_capability", "compute capability", "CUDA's version of the device: `9.0`."},
    {"multiprocessors", "multiprocessors", "Streaming multiprocessors."},
    {"max_threads_per_multiprocessor", "threads per SM", "Threads that a multiprocessor can hold."},
    {"driver", "driver", "Version of the driver."},
    {"libraries", "libraries", "Versions by name."},
    {"tf32_convolution", "TF32 in convolutions", "TF32 is allowed in convolutions."},
    {"tf32_matmul", "TF32 in matrix products", "TF32 is allowed in matrix products."},
    {"cudnn_benchmark", "cuDNN tries algorithms", "cuDNN tries its algorithms."},
    {"clocks_before", "clocks before", "Clocks before the timed steps."},
    {"clocks_after", "clocks after", "Clocks after the timed steps."},
    {"sm_clock_hz", "SM clock", "Clock of the multiprocessors."},
    {"memory_clock_hz", "memory clock", "Clock of the device's memory."},
    {"temperature_c", "temperature", "Temperature of the device."},
    {"throttle_reasons", "throttled by",
     "What holds the clocks down; empty for nothing, null where it is not known."},

    // Studies
    {"study", "study", "File of the study."},
    {"asked", "asked", "What the study asks for: a mode."},
    {"left_out", "left out", "Why the case cannot run; empty: it runs."},
    {"input", "input", "Hash of the file that a case reads; empty: it reads none."},
    {"rooflab_version", "Rooflab", "Version of Rooflab."},
    {"exit_code", "exit code", "Exit code of the process."},
    {"reason", "reason", "Why the result is missing or useless; empty: there is one."},
    {"took_s", "took", "Time of the process.", Better::lower},
    {"began", "began", "When it began, UTC."},
    {"machine", "machine", "What the machine has; null: not recorded."},
    {"torch_worker", "torch worker", "rooflab-torch is there."},
    {"probe_worker", "probe worker", "rooflab-probe is there."},
    {"can_count", "counters", "Hardware counters can be read."},
    {"gpus", "GPUs", "The GPUs of the machine."},
});

}  // namespace rooflab
