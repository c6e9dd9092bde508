// Points above a roof.
//
// Nothing runs faster than the hardware: a point above a roof says that one of three figures is not
// what the roof supposes. Of measured FLOPs and bytes: the clock exceeds the one that the device
// file's peaks are for, or bytes and time are of different steps, as they always are here (counted
// kernel by kernel, timed without counters), and a cache held more in one than in the other. Of
// modelled FLOPs and bytes over measured time, as a roofline without counters shows them: the
// kernel did less arithmetic than the direct algorithm, or DRAM moved less than every operand once.

#include "counted_roofs.hpp"

#include <string_view>
#include <utility>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

/// Figures of datasheets have three digits.
constexpr double rounding = 1.005;

bool above(double rate, double peak) { return peak > 0.0 && rate > peak * rounding; }

class Breaches {
 public:
  Breaches(const CountedLayer& layer, const CaseResult& model, double time_s)
      : layer_(layer), model_(model), time_s_(time_s) {}

  void measured_arithmetic(ArithmeticPath path) {
    const std::optional<double> flops = layer_.sums.known(path);
    const std::optional<double> peak = device::peak(model_.device, path);
    if (!flops || !peak || !above(*flops / time_s_, *peak)) return;
    const double rate = *flops / time_s_;
    std::string why = "the reason is not known";
    const std::optional<double> clock_hz = layer_.sums.at(KernelFigure::sm_clock_hz);
    if (model_.device.boost_clock && clock_hz && *clock_hz > model_.device.boost_clock->value) {
      const double boost = model_.device.boost_clock->value;
      why = format("the measured clock of {} exceeds the {} that the peak is for",
                   si(*clock_hz, "Hz"), si(boost, "Hz"));
      if (above(rate, *peak * *clock_hz / boost)) {
        why += ", which explains a part of it; the rest is not known";
      }
    }
    add(false, std::string(label_of(path)), rate, *peak, "FLOP/s", why);
  }

  void measured_memory() {
    const std::optional<double> bytes = layer_.sums.at(KernelFigure::dram_bytes);
    if (!model_.device.bandwidth || !bytes) return;
    const double rate = *bytes / time_s_;
    if (!above(rate, model_.device.bandwidth->value)) return;
    add(false, "memory", rate, model_.device.bandwidth->value, "B/s",
        "bytes and time are of different steps: while they were counted the kernels ran one by"
        " one, and L2 may have held less; nothing here tells for certain");
  }

  void modelled_arithmetic() {
    if (!model_.limit.main_path || !layer_.model_matrix_flops) return;
    const std::optional<double> peak = device::peak(model_.device, *model_.limit.main_path);
    const double modelled = layer_.model_matrix_flops->as_double();
    const double rate = modelled / time_s_;
    if (!peak || !above(rate, *peak)) return;
    std::string why = "FLOPs were not counted in full: the reason is not known";
    const std::optional<double> flops = layer_.sums.at(KernelFigure::flops);
    if (flops && *flops < modelled) {
      why = format("{} were executed, {} modelled", si(*flops, "FLOP"), si(modelled, "FLOP"));
      if (layer_.flops_gap && layer_.flops_gap->cause != GapCause::unknown) {
        why += format(" ({})", name_of(layer_.flops_gap->cause));
      }
    } else if (flops) {
      why = "no less was executed: see the measured point";
    }
    add(true, std::string(label_of(*model_.limit.main_path)), rate, *peak, "FLOP/s", why);
  }

  void modelled_memory() {
    if (!model_.device.bandwidth || !layer_.model_bytes) return;
    const double modelled = layer_.model_bytes->as_double();
    const double rate = modelled / time_s_;
    if (!above(rate, model_.device.bandwidth->value)) return;
    std::string why = "DRAM bytes were not counted in full: the reason is not known";
    const std::optional<double> moved = layer_.sums.at(KernelFigure::dram_bytes);
    if (moved && *moved < modelled) {
      why = format("DRAM moved {} of the {} modelled", si(*moved, "B"), si(modelled, "B"));
      if (layer_.bytes_gap && layer_.bytes_gap->cause == GapCause::cache_hits) {
        why += ": the rest stayed in L2";
      }
    } else if (moved) {
      why = "no less was moved: see the measured point";
    }
    add(true, "memory", rate, model_.device.bandwidth->value, "B/s", why);
  }

  std::vector<RoofBreach> all;

 private:
  void add(bool modelled, std::string roof, double rate, double peak, std::string_view unit,
           std::string_view why) {
    std::string text =
        format("{} at {}, {:.2f} times the {} roof of {}: {}", modelled ? "modelled" : "measured",
               si(rate, unit), rate / peak, roof, si(peak, unit), why);
    all.push_back({modelled, std::move(roof), rate, peak, std::move(text)});
  }

  const CountedLayer& layer_;
  const CaseResult& model_;
  double time_s_;
};

}  // namespace

std::vector<RoofBreach> breaches_of(const CountedLayer& layer, const CaseResult& model) {
  const std::optional<double> time_s = layer.sums.at(KernelFigure::time_s);
  if (!time_s || *time_s <= 0.0) return {};
  Breaches breaches(layer, model, *time_s);
  for (const ArithmeticPath path : values_of<ArithmeticPath>) breaches.measured_arithmetic(path);
  breaches.measured_memory();
  breaches.modelled_arithmetic();
  breaches.modelled_memory();
  return std::move(breaches.all);
}

}  // namespace rooflab::analyze
