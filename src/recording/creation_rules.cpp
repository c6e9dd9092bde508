// Data made from nothing: memory alone, constants, random numbers.

#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

graph::Op generate(const OpView& view, STensor result) {
  const graph::TensorType& type = view.lowerer().tensor(result).type;
  return graph::Generate{type.shape, type.dtype};
}

bool lower_made(const OpView& view, schedule::Work work) {
  Lowerer& l = view.lowerer();
  const std::vector<STensor> results = view.written();
  if (results.empty()) return false;
  const graph::NodeId node =
      l.node(view, generate(view, results.front()), {}, values_of_tensors(l, results));
  l.emit(work, node, view.plain_pass(), {}, results);
  return true;
}

bool fill(const OpView& view) { return lower_made(view, schedule::FillWork{}); }
bool random(const OpView& view) { return lower_made(view, schedule::RandomWork{}); }

/// The allocator's work is the host's: nothing runs on the device.
bool memory_alone(const OpView& view) {
  Lowerer& l = view.lowerer();
  const std::vector<STensor> results = view.all_out();
  if (results.empty()) return false;
  const graph::NodeId node = l.node(view, graph::Reshape{l.shape(results.front()).dims()}, {},
                                    values_of_tensors(l, results));
  l.emit(schedule::ViewWork{}, node, view.plain_pass(), {}, results);
  return true;
}

constexpr std::array creation_table = {
    NamedRule{"empty", memory_alone},
    NamedRule{"empty_like", memory_alone},
    NamedRule{"empty_strided", memory_alone},
    NamedRule{"empty_permuted", memory_alone},
    NamedRule{"new_empty", memory_alone},
    NamedRule{"new_empty_strided", memory_alone},
    NamedRule{"resize", memory_alone},
    NamedRule{"set", memory_alone},
    NamedRule{"_efficientzerotensor", memory_alone},
    NamedRule{"zeros", fill},
    NamedRule{"zeros_like", fill},
    NamedRule{"ones", fill},
    NamedRule{"ones_like", fill},
    NamedRule{"full", fill},
    NamedRule{"full_like", fill},
    NamedRule{"fill", fill},
    NamedRule{"zero", fill},
    NamedRule{"new_zeros", fill},
    NamedRule{"new_ones", fill},
    NamedRule{"new_full", fill},
    NamedRule{"scalar_tensor", fill},
    NamedRule{"arange", fill},
    NamedRule{"range", fill},
    NamedRule{"linspace", fill},
    NamedRule{"logspace", fill},
    NamedRule{"eye", fill},
    NamedRule{"iota", fill},
    NamedRule{"tril_indices", fill},
    NamedRule{"triu_indices", fill},
    NamedRule{"hann_window", fill},
    NamedRule{"hamming_window", fill},
    NamedRule{"fft_fftfreq", fill},
    NamedRule{"fft_rfftfreq", fill},
    NamedRule{"rand", random},
    NamedRule{"rand_like", random},
    NamedRule{"randn", random},
    NamedRule{"randn_like", random},
    NamedRule{"randint", random},
    NamedRule{"randint_like", random},
    NamedRule{"randperm", random},
    NamedRule{"normal", random},
    NamedRule{"normal_functional", random},
    NamedRule{"uniform", random},
    NamedRule{"bernoulli", random},
    NamedRule{"random", random},
    NamedRule{"exponential", random},
    NamedRule{"log_normal", random},
    NamedRule{"cauchy", random},
    NamedRule{"geometric", random},
    NamedRule{"multinomial", random},
    NamedRule{"poisson", random},
};

}  // namespace

std::span<const NamedRule> creation_rules() { return creation_table; }

}  // namespace rooflab::recording
