// Predictions of 2 s whose rows, limits and devices are made up.

#include "finding_cases.hpp"

namespace rooflab::findings {
namespace prediction_case {

using analyze::CaseResult;
using analyze::LayerRow;

CaseResult predicted(double time_s, double limit_s) {
  CaseResult result;
  result.model = "net";
  result.batch = 8;
  result.device.id = "toy";
  result.device.peaks[ArithmeticPath::fp32_vector].value = 10.0;
  result.device.bandwidth = device::Figure{};
  result.device.bandwidth->value = 100.0;
  result.limit.time = Seconds{limit_s};
  result.prediction_model = analyze::PredictionModel::calibrated;
  result.prediction.emplace();
  result.prediction->time = result.prediction->device = Seconds{time_s};
  result.command = "rooflab predict net --device toy --batch 8";
  return result;
}

LayerRow row_of(std::string name, std::string op, double predicted_s, double limit_s) {
  LayerRow row;
  row.name = std::move(name);
  row.op = std::move(op);
  row.predicted = Seconds{predicted_s};
  row.time = Seconds{limit_s};
  return row;
}

std::vector<Finding> host_wait(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.prediction->device = Seconds{present ? 1.5 : 1.9};
  result.issued_by = "pytorch";
  return findings_of(result);
}

// 16 samples in 3 s instead of 4.
std::vector<Finding> small_batch(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.doubled_batch = Seconds{present ? 3.0 : 3.9};
  return findings_of(result);
}

// Of a limit of 1 s, 0.8 are bound by memory; fused it is 0.4. The rows take 1.5 s of 2: at most
// 0.6 of the step.
std::vector<Finding> memory_bound(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.limit.ideal_time = Seconds{0.4};
  result.layers = {row_of("norm", "batch_norm", 1.5, 0.8)};
  result.layers[0].bound = present ? predict::Bound::memory : predict::Bound::compute;
  return findings_of(result);
}

// The tensor peak is four times that of FP32: 0.8 s at the limit would be 0.2, and 20 bytes at
// 100 B/s take as long. 1.6 s predicted become 0.4.
std::vector<Finding> cuda_core_products(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  if (present) result.device.peaks[ArithmeticPath::tf32_tensor].value = 40.0;
  result.layers = {row_of("fc", "linear", 1.6, 0.8)};
  result.layers[0].matrix_flops = Flops(8);
  result.layers[0].compulsory_bytes = Bytes(20);
  return findings_of(result);
}

// TF32 on a device without it is FP32 on the CUDA cores, although tensor cores offer FP16; and what
// the case calls FP32 may run in TF32. The worth is that of above.
std::vector<Finding> products_by_their_path(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.precision = present ? Precision::tf32 : Precision::fp32;
  result.limit.main_path = present ? ArithmeticPath::fp32_vector : ArithmeticPath::tf32_tensor;
  result.device.peaks[ArithmeticPath::fp16_tensor_fp32].value = 40.0;
  result.layers = {row_of("fc", "linear", 1.6, 0.8)};
  result.layers[0].matrix_flops = Flops(8);
  result.layers[0].compulsory_bytes = Bytes(20);
  return findings_of(result);
}

// 16 outputs of 27 or 36 terms.
std::vector<Finding> channel_padding(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.limit.main_path = ArithmeticPath::tf32_tensor;
  result.layers = {row_of("conv1", "conv2d", 1.0, 0.25)};
  result.layers[0].output_shape = graph::Shape{1, 4, 2, 2};
  result.layers[0].macs = Macs(16 * (present ? 27 : 36));
  return findings_of(result);
}

std::vector<Finding> unaligned_size(bool present) {
  const std::int64_t words = present ? 50257 : 50304;
  CaseResult result = predicted(2.0, 1.0);
  result.limit.main_path = ArithmeticPath::bf16_tensor_fp32;
  result.layers = {row_of("head", "linear", 1.0, 0.25)};
  result.layers[0].output_shape = graph::Shape{2, words};
  result.layers[0].macs = Macs(2 * words * 768);
  return findings_of(result);
}

std::vector<Finding> optimizer(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.layers = {row_of("(optimizer)", "optimizer", present ? 0.5 : 0.1, 0.1)};
  return findings_of(result);
}

// The same 2 s channels-last are expected to take 1.25 s, or 1.95 s, less than 5 % less.
std::vector<Finding> layout_conversion(bool present) {
  CaseResult result = predicted(2.0, 1.0);
  result.prediction->kinds.emplace_back();
  result.prediction->kinds.back().kind = "conv2d.forward.bf16.nchw";
  result.prediction->kinds.back().share = 0.5;
  result.channels_last = Seconds{present ? 1.25 : 1.95};
  return findings_of(result);
}

std::vector<Finding> limit_far_below(bool present) {
  return findings_of(predicted(2.0, present ? 0.4 : 1.0));
}

}  // namespace prediction_case

std::vector<FindingCase> prediction_cases() {
  using namespace prediction_case;
  return {{FindingKind::host_wait, "prediction", host_wait, 0.5},
          {FindingKind::small_batch, "prediction", small_batch, 0.5},
          {FindingKind::memory_bound, "prediction", memory_bound, 1.2},
          {FindingKind::cuda_core_products, "prediction", cuda_core_products, 1.2},
          {FindingKind::cuda_core_products, "prediction by path", products_by_their_path, 1.2},
          {FindingKind::channel_padding, "prediction", channel_padding, 0.75},
          {FindingKind::unaligned_size, "prediction", unaligned_size, 0.75},
          {FindingKind::optimizer, "prediction", optimizer, 0.4},
          {FindingKind::layout_conversion, "prediction", layout_conversion, 0.75},
          {FindingKind::limit_far_below, "prediction", limit_far_below, std::nullopt}};
}

}  // namespace rooflab::findings
