#include "eager_ops.hpp"

#include "activation_join.hpp"
#include "attention_join.hpp"
#include "bias_join.hpp"
#include "constant_computer.hpp"
#include "group_norm_join.hpp"
#include "layer_norm_join.hpp"
#include "limits.hpp"
#include "onnx_notes.hpp"
#include "recurrent_join.hpp"
#include "zero_bias.hpp"

namespace rooflab::onnx {

void restore_eager_ops(Assembly& assembly, TensorData& data, bool is_from_pytorch,
                       ImportResult& result) {
  ConstantComputer constants(assembly, data, max_inspected_elements,
                             ConstantComputer::Unreadable::is_unknown);
  if (is_from_pytorch) drop_zero_biases(assembly, constants);
  drop_zero_states(assembly, constants);
  join_recurrent_layers(assembly);
  join_biases(assembly);
  join_activations(assembly, constants);
  join_layer_norms(assembly, constants);
  join_group_norms(assembly, constants);
  const AttentionCount attentions = join_attentions(assembly, constants);
  if (attentions.by_hand > 0) {
    result.notes.push_back({says.attention_by_hand, {attentions.by_hand}});
  }
}

}  // namespace rooflab::onnx
