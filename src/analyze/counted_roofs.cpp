// Points above a roof.
//
// Nothing runs faster than the hardware: a point above a roof says that one of three figures is not
// what the roof supposes. Of measured FLOPs and bytes: the clock exceeds the one that the device
// file's peaks are for, or bytes and time are of different steps, as they always are here (counted
// kernel by kernel, timed without counters), and a cache held more in one than in the other. Of
// modelled FLOPs and bytes over measured time, as a roofline without counters shows them: the
// kernel did less arithmetic than the direct algorithm, or DRAM moved less than every operand once.

#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "counted_gap.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

/// Figures of datasheets have three digits.
constexpr double rounding = 1.005;

bool above(double rate, double peak) { return peak > 0.0 && rate > peak * rounding; }

/// Why measured FLOPs over measured time exceed a peak.
std::string arithmetic_reason(const CountedLayer& layer, const device::Device& device, double rate,
                              double peak) {
  const std::optional<double> clock_hz = layer.sums.at(KernelFigure::sm_clock_hz);
  if (!device.boost_clock || !clock_hz || *clock_hz <= device.boost_clock->value) {
    return "the reason is not known";
  }
  const double boost = device.boost_clock->value;
  const bool in_part = above(rate, peak * *clock_hz / boost);
  return format("the measured clock of {} exceeds the {} that the peak is for{}",
                si(*clock_hz, "Hz"), si(boost, "Hz"),
                in_part ? ", which explains a part of it; the rest is not known" : "");
}

/// Why modelled FLOPs over measured time do.
std::string modelled_arithmetic_reason(const CountedLayer& layer) {
  const std::optional<double> flops = layer.sums.at(KernelFigure::flops);
  if (!flops) return "FLOPs were not counted in full: the reason is not known";
  const double modelled = layer.model->matrix_flops.as_double();
  if (*flops >= modelled) return "no less was executed: see the measured point";
  const bool known = layer.flops_gap && layer.flops_gap->cause != GapCause::unknown;
  return format("{} were executed, {} modelled{}", si(*flops, "FLOP"), si(modelled, "FLOP"),
                known ? format(" ({})", name_of(layer.flops_gap->cause)) : "");
}

std::string modelled_memory_reason(const CountedLayer& layer) {
  const std::optional<double> moved = layer.sums.at(KernelFigure::dram_bytes);
  if (!moved) return "DRAM bytes were not counted in full: the reason is not known";
  const double modelled = layer.model->compulsory_bytes.as_double();
  if (*moved >= modelled) return "no less was moved: see the measured point";
  const bool hit = layer.bytes_gap && layer.bytes_gap->cause == GapCause::cache_hits;
  return format("DRAM moved {} of the {} modelled{}", si(*moved, "B"), si(modelled, "B"),
                hit ? ": the rest stayed in L2" : "");
}

}  // namespace

std::vector<RoofBreach> breaches_of(const CountedLayer& layer, const CaseResult& model) {
  const device::Device& device = model.device;
  const std::optional<double> time_s = layer.sums.at(KernelFigure::time_s);
  std::vector<RoofBreach> all;
  const auto add = [&](bool modelled, std::string_view roof, std::string_view unit,
                       const std::optional<double>& amount, const std::optional<double>& peak,
                       auto reason) {
    const std::optional<double> rate = quotient(amount, time_s);
    if (!rate || !peak || !above(*rate, *peak)) return;
    std::string text =
        format("{} at {}, {:.2f} times the {} roof of {}: {}", modelled ? "modelled" : "measured",
               si(*rate, unit), *rate / *peak, roof, si(*peak, unit), reason(*rate, *peak));
    all.push_back({modelled, std::string(roof), *rate, *peak, std::move(text)});
  };
  const auto memory_peak = device.bandwidth ? std::optional(device.bandwidth->value) : std::nullopt;
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    add(false, label_of(path), "FLOP/s", layer.sums.known(path), device::peak(device, path),
        [&](double rate, double peak) { return arithmetic_reason(layer, device, rate, peak); });
  }
  add(false, "memory", "B/s", layer.sums.at(KernelFigure::dram_bytes), memory_peak,
      [](double, double) {
        return "bytes and time are of different steps: while they were counted the kernels ran one"
               " by one, and L2 may have held less; nothing here tells for certain";
      });
  if (model.limit.main_path && layer.model) {
    add(true, label_of(*model.limit.main_path), "FLOP/s", layer.model->matrix_flops.as_double(),
        device::peak(device, *model.limit.main_path),
        [&](double, double) { return modelled_arithmetic_reason(layer); });
  }
  add(true, "memory", "B/s", layer.compulsory_bytes(), memory_peak,
      [&](double, double) { return modelled_memory_reason(layer); });
  return all;
}

}  // namespace rooflab::analyze
