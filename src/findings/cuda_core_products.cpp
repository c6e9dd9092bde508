// Matrix work in FP32 on the CUDA cores of a device with tensor cores.
//
//   trace   matrix kernels whose names show neither tensor cores nor another type
//           (trace/kernel_purpose.cpp), over the time of all kernels. Worth: the time t in
//           which nothing else runs, less t * P(FP32) / P(tensor), the peaks of the device file: an
//           upper estimate, since a kernel bound by memory gains less. Unknown without a device
//           file. Where TF32 is what the device offers, products are left out if other products
//           ran in TF32, and convolutions if other convolutions did: it is on, and the library
//           chose these kernels.
//   predicted, measured   rows with matrix work of a case whose matrix work is mostly in FP32, not
//           TF32, by the path that it takes on the device. A row's time p becomes p t' / t with its
//           limit t, and t' its limit at the tensor peak:
//           t' = max(t P(FP32) / P(tensor), bytes / bandwidth). Worth: the sum of p - p t' / t,
//           an upper estimate, since tensor cores reach less of their peak. Convolutions that run
//           in TF32 while products run in FP32 (PyTorch's default) are left out.
//   counters   kernels with FP32 work whose tensor FLOPs were counted and are 0, by name matrix
//           kernels, over the time of all kernels; worth and TF32 as for a trace, t the time that
//           they run alone (kernel_times.cpp).
//
// Source: PyTorch, "CUDA semantics", TensorFloat-32; peaks: datasheets. When it is wrong: names of
// kernels that a compiler made tell nothing; work that must stay in FP32 cannot follow the advice.

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analyze/kernel_class.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/device.hpp"
#include "rules.hpp"
#include "tensor_paths.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {

std::optional<FasterPath> faster_than_fp32(const std::optional<device::Device>& device,
                                           std::optional<double> compute_capability) {
  struct Choice {
    ArithmeticPath path;
    double capability;
    const char* name;
  };
  constexpr Choice choices[] = {{ArithmeticPath::tf32_tensor, 8.0, "TF32"},
                                {ArithmeticPath::fp16_tensor_fp32, 7.0, "FP16"}};
  for (const Choice& choice : choices) {
    if (device && !device->peaks.empty()) {
      const auto peak = device->peaks.find(choice.path);
      if (peak == device->peaks.end()) continue;
      const auto vector = device->peaks.find(ArithmeticPath::fp32_vector);
      return FasterPath{choice.name,
                        vector == device->peaks.end()
                            ? std::nullopt
                            : std::optional(peak->second.value / vector->second.value)};
    }
    if (compute_capability && *compute_capability >= choice.capability) {
      return FasterPath{choice.name, std::nullopt};
    }
  }
  return std::nullopt;
}

namespace {

constexpr std::string_view tf32 = "TF32";

bool is_convolution(const std::string& kernel) {
  return analyze::work_class_of_kernel(kernel) == graph::WorkClass::convolution;
}

/// TF32 does not run what it could run: nothing is seen that says it is on.
bool may_gain(const std::string& kernel, const FasterPath& faster, const Evidence& seen) {
  if (faster.name != tf32) return true;
  return is_convolution(kernel) ? !seen.tf32_convolutions : !seen.tf32_products;
}

/// Switches for what is there, or automatic mixed precision where the device lacks TF32.
std::string attempt_for(const FasterPath& faster, bool products, bool convolutions) {
  if (faster.name != tf32) return text_of(TryLine::autocast_fp16);
  std::vector<std::string> lines;
  if (products) lines.push_back(text_of(TryLine::tf32_products));
  if (convolutions) lines.push_back(text_of(TryLine::tf32_convolutions));
  return join(lines, "; ");
}

/// Kernels that could gain.
struct Products {
  double sum = 0.0;  ///< their time
  std::string longest;
  bool products = false;
  bool convolutions = false;

  void add(const std::string& kernel, double time) {
    if (longest.empty()) longest = short_name(kernel);
    sum += time;
    (is_convolution(kernel) ? convolutions : products) = true;
  }
  /// `whole`: time of all kernels.
  [[nodiscard]] bool is_worth_saying(double whole) const {
    return sum / whole >= row_of(FindingKind::cuda_core_products).least;
  }
  /// `alone_s`: time in which nothing else runs.
  void add_finding(double whole, std::optional<double> alone_s, const FasterPath& faster,
                   FindingList& found) const {
    if (!is_worth_saying(whole)) return;
    const auto worth_s = alone_s && faster.ratio
                             ? std::optional(*alone_s * (1.0 - 1.0 / *faster.ratio))
                             : std::nullopt;
    found
        .add(FindingKind::cuda_core_products, {sum / whole, longest, faster.name}, worth_s,
             attempt_for(faster, products, convolutions))
        .besides = faster.name == tf32;
  }
};

/// The convolutions of a network in FP32 run in TF32, as PyTorch lets cuDNN do it.
bool has_tf32_convolutions(const analyze::CaseResult& result) {
  const auto& flops = result.limit.flops_by_path;
  const auto found = flops.find(ArithmeticPath::tf32_tensor);
  return result.precision == Precision::fp32 && found != flops.end() && found->second > Flops(0);
}

bool is_cudnn(const analyze::LayerRow& row) {
  return row.op_class == analyze::OpClass::convolution ||
         row.op_class == analyze::OpClass::recurrent;
}

}  // namespace

void add_cuda_core_products(const TraceFacts& trace, FindingList& found) {
  const std::optional<FasterPath> faster = faster_than_fp32(
      trace.imported.device, record::capability_of(trace.imported.record.environment.device));
  if (!faster) return;
  Products all;
  for (const trace::StepKernel& kernel : trace.work.cuda_core_products) {
    if (may_gain(kernel.name, *faster, trace.seen)) all.add(kernel.name, kernel.time_ns);
  }
  const double alone_ns = std::min(all.sum, trace.work.alone(trace::LoneKind::cuda_core_product));
  all.add_finding(trace.work.kernel_ns, alone_ns * seconds_per_ns, *faster, found);
}

void add_cuda_core_products(const NetworkFacts& network, FindingList& found) {
  const analyze::CaseResult& result = network.result;
  if (!network.is_on_cuda_cores()) return;
  const std::optional<FasterPath> faster = faster_than_fp32(result.device, std::nullopt);
  const std::optional<double> bandwidth = network.bandwidth();
  if (!faster || !faster->ratio || !bandwidth) return;
  const bool leaves_cudnn = has_tf32_convolutions(result);
  std::vector<std::pair<const analyze::LayerRow*, double>> saved;
  double product_s = 0.0;
  bool convolutions = false;
  bool products = false;
  for (const analyze::LayerRow& row : result.layers) {
    if (row.matrix_flops.value() == 0 || !row.time || row.time->value <= 0.0) continue;
    if (leaves_cudnn && is_cudnn(row)) continue;
    const double time_s = network.row_s(row);
    const double faster_s =
        std::max(row.time->value / *faster->ratio, row.compulsory_bytes.as_double() / *bandwidth);
    (is_cudnn(row) ? convolutions : products) = true;
    product_s += time_s;
    saved.emplace_back(&row, time_s * (1.0 - std::min(1.0, faster_s / row.time->value)));
  }
  if (product_s / network.step_s < row_of(FindingKind::cuda_core_products).least) return;
  double saved_s = 0.0;
  for (const auto& [row, time_s] : saved) saved_s += network.take(*row, time_s);
  const bool has_tf32 = faster->name == tf32;
  // A gradient scaler has the host read whether the gradients are finite, which no graph holds.
  const bool scales_in_graph =
      !has_tf32 && result.phase == Phase::training && result.issued_by == analyze::graph_issuer &&
      device::precision_on(result.device, Precision::amp) != Precision::amp;
  Finding& finding =
      found.add(FindingKind::cuda_core_products, {product_s / network.step_s, {}, faster->name},
                saved_s, attempt_for(*faster, products, convolutions));
  finding.besides = has_tf32;
  if (scales_in_graph) return;
  const Precision advised = has_tf32 ? Precision::tf32 : Precision::amp;
  advise(finding, network.command, {{ChangedMember::precision, std::string(name_of(advised))}});
}

void add_cuda_core_products(const CounterFacts& counters, FindingList& found) {
  using record::KernelFigure;
  const std::optional<FasterPath> faster = faster_than_fp32(
      counters.imported.device, record::capability_of(counters.imported.record.environment.device));
  if (!faster) return;
  Products all;
  std::set<std::string> names;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (!group.time_s || !trace::is_fp32_product_on_cuda_cores(group.name) ||
        group.sums.at(KernelFigure::tensor_flops) != 0.0 ||
        group.sums.at(KernelFigure::fp32_flops).value_or(0.0) <= 0.0 ||
        !may_gain(group.name, *faster, counters.seen)) {
      continue;
    }
    all.add(group.name, *group.time_s);
    names.insert(group.name);
  }
  all.add_finding(counters.kernels_s,
                  counters.times.alone_s([&](const auto& name) { return names.contains(name); }),
                  *faster, found);
  if (all.is_worth_saying(counters.kernels_s)) counters.taken.merge(names);
}

}  // namespace rooflab::findings
