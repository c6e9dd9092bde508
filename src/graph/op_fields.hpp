#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_facts.hpp"

/// The attributes of every op by name, and the words of their enumerations: the table for writing
/// and reading the text form. An op is added with one line here.
namespace rooflab::graph {

template <class Struct, class Member>
struct Field {
  std::string_view name;
  Member Struct::*member;
};
template <class Struct, class Member>
Field(const char*, Member Struct::*) -> Field<Struct, Member>;

/// The words of an enumeration among the attributes, in its order.
template <std::size_t count>
struct EnumWords {
  std::string_view what;  ///< subject of the message about an unknown word
  std::array<std::string_view, count> words;
};

template <auto last, class... Words>
constexpr auto enum_words(std::string_view what, Words... words) {
  static_assert(static_cast<std::size_t>(last) + 1 == sizeof...(Words));
  return EnumWords<sizeof...(Words)>{what, {words...}};
}

constexpr auto words_of(For<RecurrentCell>) {
  return EnumWords<enum_names<RecurrentCell>.size()>{"recurrent cell", enum_names<RecurrentCell>};
}
constexpr auto words_of(For<PoolKind>) {
  return enum_words<PoolKind::average>("kind of pooling", "max", "average");
}
constexpr auto words_of(For<PadMode>) {
  return enum_words<PadMode::edge>("way of padding", "constant", "reflect", "edge");
}
constexpr auto words_of(For<ResizeMode>) {
  return enum_words<ResizeMode::cubic>("way of resizing", "nearest", "linear", "cubic");
}

constexpr auto words_of(For<IndexForm>) {
  return enum_words<IndexForm::nd>("form of indices", "elements", "nd");
}
constexpr auto words_of(For<ScatterReduction>) {
  return enum_words<ScatterReduction::minimum>("reduction of a scatter", "none", "add", "mul",
                                               "maximum", "minimum");
}
constexpr auto words_of(For<GridSampleMode>) {
  return enum_words<GridSampleMode::bicubic>("way of sampling", "bilinear", "nearest", "bicubic");
}
constexpr auto words_of(For<GridSamplePadding>) {
  return enum_words<GridSamplePadding::reflection>("way of padding", "zeros", "border",
                                                   "reflection");
}

constexpr auto words_of(For<OpClass>) {
  return enum_words<OpClass::other>("class of work", "convolution", "matmul", "attention",
                                    "recurrent", "normalisation", "activation", "pooling",
                                    "elementwise", "copy", "loss", "optimizer", "other");
}

template <class Enum>
concept HasWords = std::is_enum_v<Enum> && requires {
  words_of(For<Enum>{});
};

constexpr auto fields_of(For<Conv>) {
  return std::tuple{Field{"kernel", &Conv::kernel},
                    Field{"stride", &Conv::stride},
                    Field{"padding_begin", &Conv::padding_begin},
                    Field{"padding_end", &Conv::padding_end},
                    Field{"dilation", &Conv::dilation},
                    Field{"groups", &Conv::groups},
                    Field{"transposed", &Conv::transposed},
                    Field{"output_padding", &Conv::output_padding}};
}
constexpr auto fields_of(For<Linear>) {
  return std::tuple{Field{"weight_in_by_out", &Linear::weight_in_by_out}};
}
constexpr auto fields_of(For<MatMul>) { return std::tuple<>{}; }
constexpr auto fields_of(For<Einsum>) { return std::tuple{Field{"equation", &Einsum::equation}}; }
constexpr auto fields_of(For<Attention>) {
  return std::tuple{Field{"causal", &Attention::causal}, Field{"scale", &Attention::scale}};
}
constexpr auto fields_of(For<Recurrent>) {
  return std::tuple{Field{"cell", &Recurrent::cell},
                    Field{"layers", &Recurrent::layers},
                    Field{"bidirectional", &Recurrent::bidirectional},
                    Field{"batch_first", &Recurrent::batch_first},
                    Field{"bias", &Recurrent::bias},
                    Field{"initial_state", &Recurrent::initial_state},
                    Field{"dropout", &Recurrent::dropout}};
}
constexpr auto fields_of(For<BatchNorm>) {
  return std::tuple{Field{"epsilon", &BatchNorm::epsilon}, Field{"momentum", &BatchNorm::momentum}};
}
constexpr auto fields_of(For<LayerNorm>) {
  return std::tuple{Field{"normalized_rank", &LayerNorm::normalized_rank},
                    Field{"epsilon", &LayerNorm::epsilon}};
}
constexpr auto fields_of(For<RmsNorm>) { return std::tuple{Field{"epsilon", &RmsNorm::epsilon}}; }
constexpr auto fields_of(For<GroupNorm>) {
  return std::tuple{Field{"groups", &GroupNorm::groups}, Field{"epsilon", &GroupNorm::epsilon}};
}
constexpr auto fields_of(For<LocalResponseNorm>) {
  return std::tuple{
      Field{"size", &LocalResponseNorm::size}, Field{"alpha", &LocalResponseNorm::alpha},
      Field{"beta", &LocalResponseNorm::beta}, Field{"offset", &LocalResponseNorm::offset}};
}
constexpr auto fields_of(For<Unary>) {
  return std::tuple{Field{"function", &Unary::function}, Field{"inplace", &Unary::inplace},
                    Field{"alpha", &Unary::alpha}, Field{"beta", &Unary::beta}};
}
constexpr auto fields_of(For<Binary>) {
  return std::tuple{Field{"function", &Binary::function}, Field{"inplace", &Binary::inplace}};
}
constexpr auto fields_of(For<Where>) { return std::tuple<>{}; }
constexpr auto fields_of(For<Softmax>) {
  return std::tuple{Field{"axis", &Softmax::axis}, Field{"log", &Softmax::log}};
}
constexpr auto fields_of(For<Cast>) { return std::tuple{Field{"to", &Cast::to}}; }
constexpr auto fields_of(For<Dropout>) {
  return std::tuple{Field{"p", &Dropout::p}, Field{"inplace", &Dropout::inplace}};
}
constexpr auto fields_of(For<StochasticDepth>) {
  return std::tuple{Field{"p", &StochasticDepth::p}};
}
constexpr auto fields_of(For<Pool>) {
  return std::tuple{Field{"kind", &Pool::kind},
                    Field{"kernel", &Pool::kernel},
                    Field{"stride", &Pool::stride},
                    Field{"padding_begin", &Pool::padding_begin},
                    Field{"padding_end", &Pool::padding_end},
                    Field{"dilation", &Pool::dilation},
                    Field{"ceil_mode", &Pool::ceil_mode},
                    Field{"padding_counts", &Pool::padding_counts}};
}
constexpr auto fields_of(For<AdaptivePool>) {
  return std::tuple{Field{"kind", &AdaptivePool::kind},
                    Field{"output_size", &AdaptivePool::output_size}};
}
constexpr auto fields_of(For<Reduce>) {
  return std::tuple{Field{"function", &Reduce::function}, Field{"axes", &Reduce::axes},
                    Field{"keep_dims", &Reduce::keep_dims}, Field{"dtype", &Reduce::dtype}};
}
constexpr auto fields_of(For<CumulativeSum>) {
  return std::tuple{Field{"axis", &CumulativeSum::axis}};
}
constexpr auto fields_of(For<TopK>) {
  return std::tuple{Field{"k", &TopK::k}, Field{"axis", &TopK::axis}};
}
constexpr auto fields_of(For<Reshape>) { return std::tuple{Field{"target", &Reshape::target}}; }
constexpr auto fields_of(For<Transpose>) {
  return std::tuple{Field{"permutation", &Transpose::permutation}};
}
constexpr auto fields_of(For<Expand>) { return std::tuple{Field{"target", &Expand::target}}; }
constexpr auto fields_of(For<Slice>) {
  return std::tuple{Field{"axes", &Slice::axes}, Field{"begin", &Slice::begin},
                    Field{"end", &Slice::end}, Field{"step", &Slice::step}};
}
constexpr auto fields_of(For<Split>) {
  return std::tuple{Field{"axis", &Split::axis}, Field{"sizes", &Split::sizes}};
}
constexpr auto fields_of(For<Concat>) { return std::tuple{Field{"axis", &Concat::axis}}; }
constexpr auto fields_of(For<Pad>) {
  return std::tuple{Field{"begin", &Pad::begin}, Field{"end", &Pad::end}, Field{"mode", &Pad::mode},
                    Field{"value", &Pad::value}};
}
constexpr auto fields_of(For<Gather>) { return std::tuple{Field{"axis", &Gather::axis}}; }
constexpr auto fields_of(For<GatherElements>) {
  return std::tuple{Field{"form", &GatherElements::form}, Field{"axis", &GatherElements::axis},
                    Field{"batch_dims", &GatherElements::batch_dims}};
}
constexpr auto fields_of(For<Scatter>) {
  return std::tuple{Field{"form", &Scatter::form}, Field{"axis", &Scatter::axis},
                    Field{"reduction", &Scatter::reduction}};
}
constexpr auto fields_of(For<Resize>) {
  return std::tuple{Field{"mode", &Resize::mode}, Field{"output", &Resize::output},
                    Field{"align_corners", &Resize::align_corners}};
}
constexpr auto fields_of(For<GridSample>) {
  return std::tuple{Field{"mode", &GridSample::mode},
                    Field{"padding_mode", &GridSample::padding_mode},
                    Field{"align_corners", &GridSample::align_corners}};
}
constexpr auto fields_of(For<Contiguous>) { return std::tuple<>{}; }
constexpr auto fields_of(For<Roll>) {
  return std::tuple{Field{"shifts", &Roll::shifts}, Field{"axes", &Roll::axes}};
}
constexpr auto fields_of(For<Triangle>) {
  return std::tuple{Field{"upper", &Triangle::upper}, Field{"diagonal", &Triangle::diagonal}};
}
constexpr auto fields_of(For<Generate>) {
  return std::tuple{Field{"output", &Generate::output}, Field{"dtype", &Generate::dtype}};
}
constexpr auto fields_of(For<Opaque>) {
  return std::tuple{Field{"domain", &Opaque::domain},   Field{"type", &Opaque::type},
                    Field{"outputs", &Opaque::outputs}, Field{"dtypes", &Opaque::dtypes},
                    Field{"flops", &Opaque::flops},     Field{"like", &Opaque::like},
                    Field{"class", &Opaque::op_class}};
}

/// Calls `visit(field)` for every attribute of an op struct, in the table's order.
template <class Struct, class Visitor>
void for_each_field(Visitor visit) {
  std::apply([&visit](const auto&... field) { (visit(field), ...); }, fields_of(For<Struct>{}));
}

}  // namespace rooflab::graph
