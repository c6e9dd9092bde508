// Functions other than the ops of a graph. Operands are random: zeros switch fewer transistors. FP8
// products multiply by a weight that is stored by its outputs, as PyTorch wants it, with one scale
// for each operand. Groups of rows are as equal as whole rows allow.

#include "named_call.hpp"

#include <c10/core/GradMode.h>

#include <functional>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "queued_timing.hpp"
#include "torch_version.hpp"

// Versions with functions that older ones lack: 2.5 and 2.8.
#if ROOFLAB_TORCH_AT_LEAST(2, 5)
#define ROOFLAB_TORCH_MULTIPLIES_FP8 1
#endif
#if ROOFLAB_TORCH_AT_LEAST(2, 8)
#define ROOFLAB_TORCH_MULTIPLIES_GROUPS 1
#endif

namespace rooflab::torch_worker {
namespace {

/// A function with its operands.
struct NamedCall {
  std::function<void()> call;
  at::Tensor first;  ///< the operand that the op before has written
};

/// How the operands of a kind are made.
struct CallPlace {
  std::string op;
  std::string pass;
  std::string type;
  const std::vector<double>& sizes;
  at::Device device;

  [[nodiscard]] std::int64_t size(std::size_t i) const {
    if (i >= sizes.size()) throw Unsupported{format("the call {} with {} sizes", op, sizes.size())};
    return static_cast<std::int64_t>(sizes[i]);
  }
  [[nodiscard]] at::TensorOptions options() const {
    static const std::map<std::string, at::ScalarType> types = {{"f32", at::kFloat},
                                                                {"bf16", at::kBFloat16},
                                                                {"fp8", at::kBFloat16},
                                                                {"f16", at::kHalf},
                                                                {"i64", at::kLong}};
    const auto known = types.find(type);
    if (known == types.end()) throw Unsupported{"a call on " + type};
    return at::TensorOptions().dtype(known->second).device(device);
  }
  [[nodiscard]] at::Tensor random(std::initializer_list<std::int64_t> list) const {
    const std::vector<std::int64_t> shape = list;
    if (type == "i64") return at::randint(1000, extents(shape), options());
    return at::randn(extents(shape), options());
  }
};

NamedCall copy_call(const CallPlace& at) {
  const at::Tensor x = at.random({at.size(0)});
  return {[x] { static_cast<void>(x.clone()); }, x};
}

/// Keys and values, repeated for the heads that share them.
NamedCall expanded_copy_call(const CallPlace& at) {
  const std::int64_t copies = at.size(1);
  const std::int64_t run = at.size(2);
  const std::int64_t pieces = at.size(0) / (copies * run);
  const at::Tensor x = at.random({pieces, 1, run});
  const at::Tensor wide = x.expand({pieces, copies, run});
  return {[wide] { static_cast<void>(wide.clone(at::MemoryFormat::Contiguous)); }, x};
}

NamedCall fill_call(const CallPlace& at) {
  const std::int64_t elements = at.size(0);
  return {[elements, options = at.options()] { static_cast<void>(at::zeros({elements}, options)); },
          {}};
}

NamedCall sort_call(const CallPlace& at) {
  const at::Tensor x = at.random({at.size(0), at.size(1)});
  return {[x] { static_cast<void>(at::sort(x, -1, /*descending=*/true)); }, x};
}

#ifdef ROOFLAB_TORCH_MULTIPLIES_GROUPS
NamedCall grouped_product_call(const CallPlace& at) {
  const std::int64_t groups = at.size(0);
  const std::int64_t rows = at.size(1);
  const at::Tensor x = at.random({rows, at.size(2)});
  std::vector<std::int32_t> last_rows;
  for (std::int64_t i = 1; i <= groups; ++i) {
    last_rows.push_back(static_cast<std::int32_t>(i * rows / groups));
  }
  const at::Tensor ends = at::tensor(last_rows, at::TensorOptions().dtype(at::kInt)).to(at.device);
  if (at.pass == "forward") {
    // Each matrix stored by its columns, as the weight of a linear layer is.
    const at::Tensor w = at.random({groups, at.size(3), at.size(2)}).transpose(1, 2);
    return {[x, w, ends] { static_cast<void>(at::_grouped_mm(x, w, ends)); }, x};
  }
  const at::Tensor dy = at.random({rows, at.size(3)});
  return {[x, dy, ends] { static_cast<void>(at::_grouped_mm(x.t(), dy, ends)); }, dy};
}
#endif

#ifdef ROOFLAB_TORCH_MULTIPLIES_FP8
NamedCall fp8_product_call(const CallPlace& at) {
  const at::Tensor x = at.random({at.size(0), at.size(1)}).to(at::ScalarType::Float8_e4m3fn);
  const at::Tensor w = at.random({at.size(2), at.size(1)}).to(at::ScalarType::Float8_e4m3fn);
  const at::Tensor scale = at::ones({}, at::TensorOptions().dtype(at::kFloat).device(at.device));
  return {[x, w, scale] {
            static_cast<void>(at::_scaled_mm(x, w.t(), scale, scale, {}, {}, at::kBFloat16));
          },
          {}};
}
#endif

NamedCall named_call(const CallPlace& at) {
  const std::string& op = at.op;
  if (op == "copy") return copy_call(at);
  if (op == "copy_expanded") return expanded_copy_call(at);
  if (op == "fill") return fill_call(at);
  if (op == "sort") return sort_call(at);
#ifdef ROOFLAB_TORCH_MULTIPLIES_GROUPS
  if (op == "grouped_matmul") return grouped_product_call(at);
#endif
#ifdef ROOFLAB_TORCH_MULTIPLIES_FP8
  if (op == "linear" && at.type == "fp8") return fp8_product_call(at);
#endif
  throw Unsupported{format("the call {}.{}.{} with this version of PyTorch", op, at.pass, at.type)};
}

}  // namespace

engine::ProbeResult measure_call(const engine::ProbeItem& item, OpBench& bench) {
  const c10::NoGradGuard no_grad;
  const engine::ProbeCall asked = engine::call_of(item);
  std::vector<std::string> parts = split(asked.kind, '.');
  parts.resize(3);
  const NamedCall named =
      named_call({parts[0], parts[1], parts[2], asked.sizes, bench.backend.device()});
  TimedCall timed{.call = named.call, .before = [&] {
                    const std::size_t written = named.first.defined() ? 1 : 0;
                    bench.caches.prepare({&named.first, written});
                  }};
  time_calls(bench.backend, bench.mark_s, {&timed, 1});
  engine::ProbeResult result;
  result.forward_s = timed.device_median_s();
  result.issue_s = timed.host_median_s();
  result.spread = timed.spread();
  if (timed.unsteady) result.message = "unsteady";
  return result;
}

}  // namespace rooflab::torch_worker
