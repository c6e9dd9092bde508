// The table behind the words of a study, and how a value of each is written for people.

#include "rooflab/study/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

constexpr std::array table = std::to_array<Quantity>({
    // The network
    {"parameters", "elements", "parameters", "Trained values of the network, shared ones once."},
    {"macs", "MAC", "multiply-accumulates",
     "Multiply-accumulates of one forward pass of the batch, as direct algorithms do them."},
    {"flops", "FLOP", "FLOPs of a step",
     "Floating-point operations of the phase for the whole batch, modelled: 2 for each"
     " multiply-accumulate in every pass, and all other arithmetic."},
    {"forward_flops", "FLOP", "FLOPs of the forward pass",
     "The part of a published count that is of the forward pass."},
    {"backward_flops", "FLOP", "FLOPs of the backward pass",
     "The part of a published count that is of the backward pass."},
    {"matrix_flops", "FLOP", "matrix FLOPs",
     "The part of the FLOPs in convolutions and matrix products, of the phase."},
    {"vector_flops", "FLOP", "other FLOPs",
     "The part of the FLOPs that is in no convolution or matrix product, of the phase."},
    {"flops_outside_tensor_cores", "FLOP", "FLOPs outside tensor cores",
     "The part of the FLOPs whose arithmetic path is neither a tensor core nor a matrix unit of "
     "the device,"
     " of the phase."},
    {"bytes", "B", "compulsory bytes",
     "Bytes that move when every operation of the phase reads its operands and writes its results"
     " once."},
    {"forward_bytes", "B", "bytes of the forward pass",
     "The part of published bytes that is of the forward pass."},
    {"backward_bytes", "B", "bytes of the backward pass",
     "The part of published bytes that is of the backward pass."},
    {"intensity", "FLOP/B", "arithmetic intensity", "FLOPs over compulsory bytes, of the phase."},
    {"ridge_point", "FLOP/B", "ridge point",
     "The intensity from which on the device's arithmetic and no longer its memory is the limit:"
     " peak over bandwidth."},

    // Time
    {"time", "s", "time of a step",
     "Time of one step of the phase: the measured median, or of a prediction the expected time,"
     " else the limit.",
     -1},
    {"predicted_time", "s", "predicted time",
     "Beside a measured time what was expected of the same step on the same device.", -1},
    {"limit", "s", "limit",
     "Time of a step that has every operation at the roofline: a bound, no expectation.", -1},
    {"forward_time", "s", "forward pass",
     "The forward pass free running, where its layers were timed too.", -1},
    {"layer_sum", "s", "sum of layers", "The layers' forward times, timed by device events.", -1},
    {"waited_layer_sum", "s", "sum of layers with waits",
     "The layers' forward times, each waited for before the next.", -1},
    {"setup", "s", "set-up",
     "From the start of the process to its first step: libraries, context, weights.", -1},
    {"first_call", "s", "first step",
     "Time of the first step, which chooses algorithms and reserves memory.", -1},
    {"issue_time", "s", "issue time", "What the host takes to issue a step.", -1},
    {"device_time", "s", "device time",
     "What the device takes for a step that was queued whole; of recorded kernels the sum of their"
     " times.",
     -1},
    {"throughput", "FLOP/s", "throughput", "FLOPs of a step over its time.", 1},
    {"samples_per_s", "samples/s", "samples per second",
     "Samples of a batch over the time of a step; of several devices all together.", 1},
    {"fraction_of_peak", "", "fraction of peak",
     "Throughput over the peak of the arithmetic path that does most of the matrix work.", 1, true},

    // Memory
    {"memory", "B", "allocated memory",
     "Most that tensors and workspaces held at once in a step: what max_memory_allocated reports.",
     -1},
    {"reserved_memory", "B", "reserved memory",
     "Most that the allocator's segments took: what max_memory_reserved reports.", -1},
    {"total_memory", "B", "memory with context",
     "Reserved memory and the context of the driver and its libraries: what a process takes of the"
     " device.",
     -1},
    {"device_memory", "B", "memory of the device",
     "What the device has, or the part of it that may be used.", 1},
    {"parameter_memory", "B", "memory of parameters", "Bytes of the parameters.", -1},
    {"input_memory", "B", "memory of the input", "Bytes of the network's input.", -1},
    {"activation_memory", "B", "memory of all outputs",
     "Bytes of every layer's output, each once: half of what torchsummary calls the "
     "forward/backward"
     " pass size.",
     -1},
    {"saved_activations", "B", "saved activations",
     "Bytes that are kept after the forward pass for the backward pass.", -1},

    // Hardware counters
    {"counted_flops", "FLOP", "counted FLOPs",
     "FLOPs of a step as hardware counters have them, of CUDA cores and tensor cores."},
    {"counted_tensor_flops", "FLOP", "counted tensor FLOPs",
     "FLOPs of the tensor cores in a step, as hardware counters have them."},
    {"dram_bytes", "B", "DRAM traffic",
     "Bytes that the device's memory read and wrote in a step, as hardware counters have them.",
     -1},
    {"pcie_bytes", "B", "PCIe traffic",
     "Bytes that the device read and wrote over PCIe in a step, as hardware counters have them.",
     -1},
    {"counted_intensity", "FLOP/B", "counted intensity",
     "Counted FLOPs over counted bytes of DRAM."},
    {"counted_throughput", "FLOP/s", "counted throughput",
     "Counted FLOPs over the time of the kernels.", 1},

    // The device while it runs
    {"energy", "J", "energy of a step", "Energy of a step, by the device's counter.", -1},
    {"power", "W", "power", "Mean power of the device while steps run."},
    {"utilization", "", "core utilisation", "Share of the time with a kernel on the device.", 1,
     true},
    {"memory_utilization", "", "memory utilisation",
     "Share of the time in which the device's memory was read or written.", 1, true},
    {"sm_efficiency", "", "SM efficiency",
     "Blocks for each multiprocessor of the kernels that run, at most 1, over time: an estimate.",
     1, true},
    {"occupancy", "", "occupancy",
     "Warps on a multiprocessor over what it can hold, weighted by the kernels' time.", 1, true},

    // Several devices
    {"gpus", "", "devices", "How many devices work together."},
    {"speed_up", "x", "speed-up", "Samples per second over those of one device.", 1},
    {"efficiency", "", "efficiency", "Speed-up over the number of devices.", 1, true},
    {"communication", "", "communication",
     "Time in which gradients are exchanged over the time of a step, hidden or not.", -1, true},
    {"hidden", "", "hidden communication",
     "The part of the communication that runs beside other kernels.", 1, true},
    {"idle", "", "idle share",
     "Share of a step in which the stages of a network that was cut wait for each other.", -1,
     true},

    // Training to a goal
    {"accuracy", "", "accuracy",
     "Share of images that are recognised: of training after the last epoch, mean over the runs.",
     1, true},
    {"accuracy_deviation", "", "deviation of accuracy",
     "Standard deviation of the accuracy over runs or models.", -1, true},
    {"time_to_accuracy", "s", "time to accuracy",
     "From the first step to the end of the epoch that reached the accuracy asked for, mean over"
     " the runs that did.",
     -1},
    {"epochs", "", "epochs", "Epochs that a run trained, mean over the runs.", -1},
    {"variation", "", "coefficient of variation",
     "Standard deviation over mean: of the timed steps, of training of the runs' times to "
     "accuracy.",
     -1, true},

    // What fits
    {"largest", "", "largest that fits",
     "The largest batch, or number of layers, whose steps ran on the device.", 1},
    {"predicted_largest", "", "predicted largest",
     "The largest batch, or number of layers, that fits by prediction.", 1},

    // What a device can do
    {"bandwidth", "B/s", "memory bandwidth",
     "Bandwidth of the device's memory: the fastest measured kind of access, or what was published"
     " or divided by.",
     1},
    {"peak_flops", "FLOP/s", "arithmetic peak",
     "FP32 products outside tensor cores as measured, or what was published or divided by.", 1},
    {"tensor_peak_flops", "FLOP/s", "tensor peak",
     "The fastest measured products of floating-point numbers on tensor cores.", 1},

    // By pen: published rows only
    {"estimated_time", "s", "estimated time",
     "What a published study worked out by pen as the time of a step."},
    {"estimated_flops", "FLOP", "estimated FLOPs",
     "What a published study worked out by pen as the FLOPs of a step."},
    {"estimated_bytes", "B", "estimated bytes",
     "What a published study worked out by pen as the traffic of a step."},
});

/// Four significant digits, and no prefix.
std::string plain(double value) {
  constexpr double exact = 1e15;  // above it neighbours differ by more than fractions
  const double magnitude = std::abs(value);
  if (magnitude < exact && (magnitude >= 1000.0 || value == std::round(value))) {
    return with_thousands(static_cast<std::int64_t>(std::llround(value)));
  }
  return format("{:.4g}", value);
}

std::string percent(double share) {
  const double value = share * 100.0;
  return std::abs(value) >= 10.0 ? format("{:.1f} %", value) : format("{:.3g} %", value);
}

}  // namespace

std::span<const Quantity> quantities() { return table; }

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const Quantity& each : table) names.emplace_back(each.name);
  return names;
}

const Quantity* find_quantity(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Quantity::name);
  return found == table.end() ? nullptr : found;
}

std::string text_of(const Quantity& quantity, double value) {
  if (!std::isfinite(value)) return format("{}", value);
  if (quantity.share) return percent(value);
  if (quantity.unit.empty()) return plain(value);
  if (quantity.unit == "x") return format("{:.2f}x", value);
  if (quantity.unit == "elements") return si(value, "");
  // A ratio is read as a number beside others, and 0.25 FLOP/B not as thousandths.
  if (quantity.unit == "FLOP/B" || quantity.unit == "samples/s") {
    return format("{} {}", plain(value), quantity.unit);
  }
  return si(value, quantity.unit);
}

}  // namespace rooflab::study
