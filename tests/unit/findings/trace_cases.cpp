// Traces of one step of 1 ms.

#include "finding_cases.hpp"
#include "step_trace.hpp"

namespace rooflab::findings {
namespace trace_case {

std::vector<Finding> host_wait(bool present) {
  return StepTrace().kernel("k", 0, (present ? 600 : 950) * us).findings();
}

std::vector<Finding> small_batch(bool present) {
  return StepTrace().kernel("k", 0, 1000 * us, present ? 0.25 : 1.0).findings();
}

std::vector<Finding> data_loading(bool present) {
  StepTrace step;
  step.kernel("k", 0, (present ? 800 : 1000) * us);
  step.record().annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 800 * us,
                           200 * us);
  return step.findings();
}

std::vector<Finding> blocking_copies(bool present) {
  StepTrace step;
  step.kernel("k", 0, 900 * us);
  step.record().call(900 * us, 10, 77, 0, "cudaMemcpyAsync");
  step.record().copy(record::CopyKind::memcpy, 900 * us, 100 * us, 77);
  record::Trace& trace = step.record().trace();
  trace.copies.back().name = trace.copy_names.intern(present ? "Memcpy HtoD (Pageable -> Device)"
                                                             : "Memcpy HtoD (Pinned -> Device)");
  trace.copies.back().bytes = 4096;
  return step.findings();
}

std::vector<Finding> layout_conversion(bool present) {
  return StepTrace()
      .kernel(present ? "void cudnn::nchwToNhwcKernel<float>" : "elementwise", 0, 300 * us)
      .kernel(tensor_kernel, 300 * us, 700 * us)
      .findings();
}

std::vector<Finding> cuda_core_products(bool present) {
  return StepTrace().kernel(present ? "sgemm_128x64_nn" : tensor_kernel, 0, 1000 * us).findings();
}

// A convolution of 400 us that a node of the backward pass runs again.
std::vector<Finding> recomputation(bool present) {
  StepTrace step;
  step.record()
      .op(present ? "autograd::engine::evaluate_function: ReluBackward0" : "aten::relu", 0,
          500 * us, 1)
      .op("aten::conv2d", 10, 100 * us, 2);
  step.kernel("conv", 20, 400 * us, 4.0, 2).kernel("k", 400 * us + 20, 599 * us);
  return step.findings();
}

std::vector<Finding> short_kernels(bool present) {
  StepTrace step;
  for (int i = 0; i < 100; ++i) {
    const std::int64_t length = (present ? 4 : 6) * us;
    step.kernel("small", i * length, length);
  }
  step.kernel("k", 600 * us, 400 * us);
  return step.findings();
}

// Idle from 700 to 850 us, in the optimizer, whose kernel follows.
std::vector<Finding> optimizer(bool present) {
  StepTrace step;
  step.record()
      .annotation(present ? "Optimizer.step#SGD.step" : "mine", 700 * us, 300 * us)
      .op("aten::_foreach_add_", 840 * us, 20 * us, 9);
  step.kernel("k", 0, 700 * us).kernel("multi_tensor", 850 * us, 150 * us, 4.0, 9);
  return step.findings();
}

std::vector<Finding> exposed_communication(bool present) {
  return StepTrace()
      .kernel("k", 0, (present ? 700 : 1000) * us)
      .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL()", 700 * us, 300 * us)
      .findings();
}

std::vector<Finding> long_kernel(bool present) {
  StepTrace step;
  for (int i = 0; i < 5; ++i) {
    step.kernel(present ? "same" : std::string(1, static_cast<char>('a' + i)), i * 200 * us,
                200 * us);
  }
  return step.findings();
}

std::vector<Finding> tensor_cores_used(bool present) {
  return StepTrace().kernel(present ? tensor_kernel : "elementwise", 0, 1000 * us).findings();
}

// 1 ms of convolutions, of which 0.6 are predicted.
std::vector<Finding> above_prediction(bool present) {
  analyze::ImportedCase imported;
  StepTrace step;
  step.kernel(tensor_kernel, 0, 1000 * us);
  imported.record = step.record().record();
  imported.trace = trace::analyze_trace(imported.record);
  imported.time_check.emplace();
  imported.time_check->classes = {
      {analyze::OpClass::convolution, 1e-3, 0.2e-3, present ? 0.6e-3 : 0.98e-3}};
  return findings_of(imported);
}

}  // namespace trace_case

std::vector<FindingCase> trace_cases() {
  using namespace trace_case;
  return {{FindingKind::host_wait, "trace", host_wait, 400e-6},
          {FindingKind::small_batch, "trace", small_batch, 750e-6},
          {FindingKind::data_loading, "trace", data_loading, 200e-6},
          {FindingKind::blocking_copies, "trace", blocking_copies, 100e-6},
          {FindingKind::layout_conversion, "trace", layout_conversion, 300e-6},
          {FindingKind::cuda_core_products, "trace", cuda_core_products, 750e-6},
          {FindingKind::recomputation, "trace", recomputation, 400e-6},
          {FindingKind::short_kernels, "trace", short_kernels, 400e-6},
          {FindingKind::optimizer, "trace", optimizer, 150e-6},
          {FindingKind::exposed_communication, "trace", exposed_communication, 300e-6},
          {FindingKind::long_kernel, "trace", long_kernel, std::nullopt},
          {FindingKind::above_prediction, "trace", above_prediction, 400e-6},
          {FindingKind::tensor_cores_used, "trace", tensor_cores_used, std::nullopt}};
}

}  // namespace rooflab::findings
