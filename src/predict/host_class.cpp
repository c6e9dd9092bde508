#include "rooflab/predict/op_shape.hpp"

namespace rooflab::predict {

using namespace graph;

std::string_view host_class_of(const Op& op) {
  return std::visit(Overloaded{
                        [](const Conv&) -> std::string_view { return "conv2d"; },
                        [](const Linear&) -> std::string_view { return "linear"; },
                        [](const MatMul&) -> std::string_view { return "matmul"; },
                        [](const Einsum&) -> std::string_view { return "matmul"; },
                        [](const Attention&) -> std::string_view { return "attention"; },
                        [](const BatchNorm&) -> std::string_view { return "batch_norm"; },
                        [](const LayerNorm&) -> std::string_view { return "layer_norm"; },
                        [](const RmsNorm&) -> std::string_view { return "layer_norm"; },
                        [](const GroupNorm&) -> std::string_view { return "layer_norm"; },
                        [](const LocalResponseNorm&) -> std::string_view { return "layer_norm"; },
                        [](const Unary&) -> std::string_view { return "unary"; },
                        [](const Binary&) -> std::string_view { return "binary"; },
                        [](const Where&) -> std::string_view { return "binary"; },
                        [](const Softmax&) -> std::string_view { return "softmax"; },
                        [](const Cast&) -> std::string_view { return "cast"; },
                        [](const Dropout&) -> std::string_view { return "dropout"; },
                        [](const StochasticDepth&) -> std::string_view { return "dropout"; },
                        [](const Pool&) -> std::string_view { return "pool"; },
                        [](const AdaptivePool&) -> std::string_view { return "reduce"; },
                        [](const Reduce&) -> std::string_view { return "reduce"; },
                        [](const Concat&) -> std::string_view { return "cat"; },
                        [](const auto& other) -> std::string_view {
                          return graph::is_view(Op(other)) ? "view" : "copy";
                        },
                    },
                    op);
}

}  // namespace rooflab::predict
