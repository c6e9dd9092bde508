#pragma once

#include <string_view>
#include <tuple>
#include <type_traits>

#include "rooflab/graph/op.hpp"

/// The attributes of every op by name: the one table behind writing and reading the text form. An
/// op is added with one line here.
namespace rooflab::graph {

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::*member;
};
template <class Struct, class Member>
Field(const char*, Member Struct::*) -> Field<Struct, Member>;

template <class Struct, class... Members>
struct OpFields {
  std::string_view word;
  std::tuple<Field<Struct, Members>...> fields;
};

template <class Struct, class... Members>
constexpr OpFields<Struct, Members...> op_fields(std::string_view word,
                                                 Field<Struct, Members>... fields) {
  return {word, {fields...}};
}

template <class Struct>
using For = std::type_identity<Struct>;

constexpr auto fields_of(For<Conv>) {
  return op_fields<Conv>(
      "conv", Field{"kernel", &Conv::kernel}, Field{"stride", &Conv::stride},
      Field{"padding_begin", &Conv::padding_begin}, Field{"padding_end", &Conv::padding_end},
      Field{"dilation", &Conv::dilation}, Field{"groups", &Conv::groups},
      Field{"transposed", &Conv::transposed}, Field{"output_padding", &Conv::output_padding});
}
constexpr auto fields_of(For<Linear>) {
  return op_fields<Linear>("linear", Field{"weight_in_by_out", &Linear::weight_in_by_out});
}
constexpr auto fields_of(For<MatMul>) { return op_fields<MatMul>("matmul"); }
constexpr auto fields_of(For<Einsum>) {
  return op_fields<Einsum>("einsum", Field{"equation", &Einsum::equation});
}
constexpr auto fields_of(For<Attention>) {
  return op_fields<Attention>("attention", Field{"causal", &Attention::causal},
                              Field{"scale", &Attention::scale});
}
constexpr auto fields_of(For<BatchNorm>) {
  return op_fields<BatchNorm>("batch_norm", Field{"epsilon", &BatchNorm::epsilon},
                              Field{"momentum", &BatchNorm::momentum});
}
constexpr auto fields_of(For<LayerNorm>) {
  return op_fields<LayerNorm>("layer_norm", Field{"normalized_rank", &LayerNorm::normalized_rank},
                              Field{"epsilon", &LayerNorm::epsilon});
}
constexpr auto fields_of(For<RmsNorm>) {
  return op_fields<RmsNorm>("rms_norm", Field{"epsilon", &RmsNorm::epsilon});
}
constexpr auto fields_of(For<GroupNorm>) {
  return op_fields<GroupNorm>("group_norm", Field{"groups", &GroupNorm::groups},
                              Field{"epsilon", &GroupNorm::epsilon});
}
constexpr auto fields_of(For<LocalResponseNorm>) {
  return op_fields<LocalResponseNorm>(
      "local_response_norm", Field{"size", &LocalResponseNorm::size},
      Field{"alpha", &LocalResponseNorm::alpha}, Field{"beta", &LocalResponseNorm::beta},
      Field{"offset", &LocalResponseNorm::offset});
}
constexpr auto fields_of(For<Unary>) {
  return op_fields<Unary>("unary", Field{"function", &Unary::function},
                          Field{"inplace", &Unary::inplace}, Field{"alpha", &Unary::alpha},
                          Field{"beta", &Unary::beta});
}
constexpr auto fields_of(For<Binary>) {
  return op_fields<Binary>("binary", Field{"function", &Binary::function},
                           Field{"inplace", &Binary::inplace});
}
constexpr auto fields_of(For<Where>) { return op_fields<Where>("where"); }
constexpr auto fields_of(For<Softmax>) {
  return op_fields<Softmax>("softmax", Field{"axis", &Softmax::axis}, Field{"log", &Softmax::log});
}
constexpr auto fields_of(For<Cast>) { return op_fields<Cast>("cast", Field{"to", &Cast::to}); }
constexpr auto fields_of(For<Dropout>) {
  return op_fields<Dropout>("dropout", Field{"p", &Dropout::p},
                            Field{"inplace", &Dropout::inplace});
}
constexpr auto fields_of(For<StochasticDepth>) {
  return op_fields<StochasticDepth>("stochastic_depth", Field{"p", &StochasticDepth::p});
}
constexpr auto fields_of(For<Pool>) {
  return op_fields<Pool>(
      "pool", Field{"kind", &Pool::kind}, Field{"kernel", &Pool::kernel},
      Field{"stride", &Pool::stride}, Field{"padding_begin", &Pool::padding_begin},
      Field{"padding_end", &Pool::padding_end}, Field{"dilation", &Pool::dilation},
      Field{"ceil_mode", &Pool::ceil_mode}, Field{"padding_counts", &Pool::padding_counts});
}
constexpr auto fields_of(For<AdaptivePool>) {
  return op_fields<AdaptivePool>("adaptive_pool", Field{"kind", &AdaptivePool::kind},
                                 Field{"output_size", &AdaptivePool::output_size});
}
constexpr auto fields_of(For<Reduce>) {
  return op_fields<Reduce>("reduce", Field{"function", &Reduce::function},
                           Field{"axes", &Reduce::axes}, Field{"keep_dims", &Reduce::keep_dims});
}
constexpr auto fields_of(For<CumulativeSum>) {
  return op_fields<CumulativeSum>("cumsum", Field{"axis", &CumulativeSum::axis});
}
constexpr auto fields_of(For<TopK>) {
  return op_fields<TopK>("topk", Field{"k", &TopK::k}, Field{"axis", &TopK::axis});
}
constexpr auto fields_of(For<Reshape>) {
  return op_fields<Reshape>("reshape", Field{"target", &Reshape::target});
}
constexpr auto fields_of(For<Transpose>) {
  return op_fields<Transpose>("transpose", Field{"permutation", &Transpose::permutation});
}
constexpr auto fields_of(For<Expand>) {
  return op_fields<Expand>("expand", Field{"target", &Expand::target});
}
constexpr auto fields_of(For<Slice>) {
  return op_fields<Slice>("slice", Field{"axes", &Slice::axes}, Field{"begin", &Slice::begin},
                          Field{"end", &Slice::end}, Field{"step", &Slice::step});
}
constexpr auto fields_of(For<Split>) {
  return op_fields<Split>("split", Field{"axis", &Split::axis}, Field{"sizes", &Split::sizes});
}
constexpr auto fields_of(For<Concat>) {
  return op_fields<Concat>("concat", Field{"axis", &Concat::axis});
}
constexpr auto fields_of(For<Pad>) {
  return op_fields<Pad>("pad", Field{"begin", &Pad::begin}, Field{"end", &Pad::end},
                        Field{"mode", &Pad::mode}, Field{"value", &Pad::value});
}
constexpr auto fields_of(For<Gather>) {
  return op_fields<Gather>("gather", Field{"axis", &Gather::axis});
}
constexpr auto fields_of(For<GatherElements>) {
  return op_fields<GatherElements>("gather_elements", Field{"form", &GatherElements::form},
                                   Field{"axis", &GatherElements::axis},
                                   Field{"batch_dims", &GatherElements::batch_dims});
}
constexpr auto fields_of(For<Scatter>) {
  return op_fields<Scatter>("scatter", Field{"form", &Scatter::form}, Field{"axis", &Scatter::axis},
                            Field{"reduction", &Scatter::reduction});
}
constexpr auto fields_of(For<Resize>) {
  return op_fields<Resize>("resize", Field{"mode", &Resize::mode}, Field{"output", &Resize::output},
                           Field{"align_corners", &Resize::align_corners});
}
constexpr auto fields_of(For<Contiguous>) { return op_fields<Contiguous>("contiguous"); }
constexpr auto fields_of(For<Roll>) {
  return op_fields<Roll>("roll", Field{"shifts", &Roll::shifts}, Field{"axes", &Roll::axes});
}
constexpr auto fields_of(For<Triangle>) {
  return op_fields<Triangle>("triangle", Field{"upper", &Triangle::upper},
                             Field{"diagonal", &Triangle::diagonal});
}
constexpr auto fields_of(For<Generate>) {
  return op_fields<Generate>("generate", Field{"output", &Generate::output},
                             Field{"dtype", &Generate::dtype});
}
constexpr auto fields_of(For<Opaque>) {
  return op_fields<Opaque>("opaque", Field{"domain", &Opaque::domain}, Field{"type", &Opaque::type},
                           Field{"outputs", &Opaque::outputs}, Field{"dtypes", &Opaque::dtypes});
}

/// Calls `visit(field)` for every attribute of an op struct, in the table's order.
template <class Struct, class Visitor>
void for_each_field(Visitor visit) {
  std::apply([&visit](const auto&... field) { (visit(field), ...); },
             fields_of(For<Struct>{}).fields);
}

}  // namespace rooflab::graph
