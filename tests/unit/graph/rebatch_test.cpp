#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::graph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const Shape& shape_named(const Graph& graph, std::string_view name) {
  for (const Value& value : graph.values) {
    if (value.name == name) return value.type.shape;
  }
  ADD_FAILURE() << "no value " << name;
  return graph.values.front().type.shape;
}

template <class Struct>
const Struct& op_named(const Graph& graph, std::string_view name) {
  for (const Node& node : graph.nodes) {
    if (node.name == name) return std::get<Struct>(node.op);
  }
  throw std::runtime_error("no such node");
}

std::string error_of(const Graph& graph, std::int64_t batch, ErrorKind kind = ErrorKind::input) {
  try {
    (void)rebatch(graph, batch);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

TEST(Rebatch, ConvolutionAndFlatten) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  x = b.flatten(x, 1, "flatten");
  x = b.linear(x, "fc", 10);
  const Graph four = rebatch(std::move(b).finish({x}), 4);
  EXPECT_EQ(four.batch(), 4);
  EXPECT_EQ(shape_named(four, "conv"), (Shape{4, 4, 8, 8}));
  EXPECT_EQ(op_named<Reshape>(four, "flatten").target, (std::vector<std::int64_t>{4, -1}));
  EXPECT_EQ(shape_named(four, "fc"), (Shape{4, 10}));
  EXPECT_EQ(shape_named(four, "fc.weight"), (Shape{10, 256}));
}

TEST(Rebatch, TheSameBatchChangesNothing) {
  GraphBuilder b("net");
  const ValueId x = b.reshape(b.input("input", {1, 6}), {2, 3}, "fixed");
  EXPECT_EQ(shape_named(rebatch(std::move(b).finish({x}), 1), "fixed"), (Shape{2, 3}));
}

TEST(Rebatch, FromALargeBatchToASmallOne) {
  GraphBuilder b("net");
  ValueId x = b.input("input", {8, 4, 6});
  x = b.reshape(x, {32, 6}, "merged");  // 8 * 4
  x = b.linear(x, "fc", 6);
  x = b.reshape(x, {8, 24}, "rows");
  const Graph two = rebatch(std::move(b).finish({x}), 2);
  EXPECT_EQ(shape_named(two, "merged"), (Shape{8, 6}));
  EXPECT_EQ(shape_named(two, "rows"), (Shape{2, 24}));
}

/// Multi-head attention as PyTorch computes it sequence first, with every extent written out, as
/// an exporter that traced batch `n` leaves it.
Graph sequence_first_attention(std::int64_t n) {
  constexpr std::int64_t length = 197;
  constexpr std::int64_t heads = 12;
  constexpr std::int64_t width = 768;
  GraphBuilder b("attention");
  ValueId x = b.input("input", {n, length, width});
  x = b.transpose(x, {1, 0, 2}, "sequence_first");
  const ValueId qkv = b.linear(x, "in_proj", 3 * width);
  ValueId packed = b.reshape(qkv, {length, n, 3, width}, "unflatten");
  packed = b.reshape(packed, {1, length, n, 3, width}, "unsqueeze");
  packed = b.transpose(packed, {3, 1, 2, 0, 4}, "packed");
  packed = b.reshape(packed, {3, length, n, width}, "squeeze");
  std::vector<ValueId> parts;
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto scope = b.scope(i);
    ValueId part = b.add(Slice{{0}, {i}, {i + 1}, {1}}, {packed}, "select");
    part = b.reshape(part, {length, n, width}, "squeeze");
    part = b.reshape(part, {length, n * heads, width / heads}, "view");
    parts.push_back(b.transpose(part, {1, 0, 2}, "heads_first"));
  }
  const ValueId keys = b.transpose(parts[1], {0, 2, 1}, "keys");
  ValueId scores = b.add(MatMul{}, {parts[0], keys}, "scores");
  scores = b.add(Softmax{-1}, {scores}, "softmax");
  x = b.add(MatMul{}, {scores, parts[2]}, "weighted");
  x = b.transpose(x, {1, 0, 2}, "tokens_first");
  x = b.reshape(x, {length * n, width}, "tokens");
  x = b.linear(x, "out_proj", width);
  x = b.reshape(x, {length, n, width}, "sequence");
  x = b.transpose(x, {1, 0, 2}, "batch_first");
  return std::move(b).finish({x});
}

TEST(Rebatch, SequenceFirstAttention) {
  const Graph graph = rebatch(sequence_first_attention(1), 5);
  EXPECT_EQ(shape_named(graph, "unsqueeze"), (Shape{1, 197, 5, 3, 768}));
  EXPECT_EQ(shape_named(graph, "0.view"), (Shape{197, 60, 64}));
  EXPECT_EQ(shape_named(graph, "scores"), (Shape{60, 197, 197}));
  EXPECT_EQ(shape_named(graph, "tokens"), (Shape{985, 768}));
  EXPECT_EQ(shape_named(graph, "batch_first"), (Shape{5, 197, 768}));
  // A batch that other extents are multiples of.
  EXPECT_EQ(shape_named(rebatch(sequence_first_attention(12), 2), "scores"), (Shape{24, 197, 197}));
  EXPECT_EQ(shape_named(rebatch(sequence_first_attention(3), 1), "tokens"), (Shape{197, 768}));
}

TEST(Rebatch, ClassTokenByExpand) {
  for (const std::int64_t n : {1, 4}) {
    GraphBuilder b("tokens");
    const ValueId x = b.input("input", {n, 196, 768});
    const ValueId token = b.parameter("class_token", {1, 1, 768});
    const ValueId expanded = b.add(Expand{{n, -1, 768}}, {token}, "expand");
    const ValueId all = b.concat({expanded, x}, 1, "cat");
    const Graph six = rebatch(std::move(b).finish({all}), 6);
    EXPECT_EQ(op_named<Expand>(six, "expand").target, (std::vector<std::int64_t>{6, -1, 768}));
    EXPECT_EQ(shape_named(six, "cat"), (Shape{6, 197, 768}));
  }
}

TEST(Rebatch, ClassTokenWhoseExpandTheExporterDropped) {
  GraphBuilder b("tokens");
  ValueId x = b.input("input", {1, 196, 768});
  const ValueId token = b.parameter("class_token", {1, 1, 768});
  x = b.concat({token, x}, 1, "cat");
  x = b.linear(x, "fc", 10);
  const Graph one = std::move(b).finish({x});
  const Graph six = rebatch(one, 6);
  EXPECT_EQ(op_named<Expand>(six, "cat.expand").target, (std::vector<std::int64_t>{6, -1, -1}));
  EXPECT_EQ(shape_named(six, "cat.expand"), (Shape{6, 1, 768}));
  EXPECT_EQ(shape_named(six, "cat"), (Shape{6, 197, 768}));
  EXPECT_EQ(shape_named(six, "fc"), (Shape{6, 197, 10}));
  EXPECT_EQ(six.parameter_elements(), one.parameter_elements());
  EXPECT_EQ(shape_named(rebatch(six, 2), "cat"), (Shape{2, 197, 768}));
}

TEST(Rebatch, EmbeddingOfTokensAndPositions) {
  GraphBuilder b("gpt");
  const ValueId ids = b.reshape(b.input("ids", {1, 16}, DType::i64), {-1, 16}, "view");
  const ValueId positions = b.add(Generate{{1, 16}, DType::i64}, {}, "positions");
  const ValueId words = b.add(Gather{0}, {b.parameter("wte", {100, 8}), ids}, "words");
  const ValueId places = b.add(Gather{0}, {b.parameter("wpe", {32, 8}), positions}, "places");
  ValueId x = b.binary(words, places, BinaryFunction::add, "add");
  x = b.reshape(x, {-1, 8}, "rows");
  const Graph graph = rebatch(std::move(b).finish({x}), 3);
  EXPECT_EQ(shape_named(graph, "words"), (Shape{3, 16, 8}));
  EXPECT_EQ(shape_named(graph, "places"), (Shape{1, 16, 8}));  // broadcasts
  EXPECT_EQ(shape_named(graph, "rows"), (Shape{48, 8}));
}

TEST(Rebatch, DataMadeFromNothingFollowsWhereItMust) {
  for (const std::int64_t n : {1, 4}) {
    GraphBuilder b("state");
    const ValueId x = b.input("input", {n, 8});
    const ValueId state = b.add(Generate{{n, 5}, DType::f32}, {}, "state");
    const ValueId both = b.concat({x, state}, 1, "cat");
    const Graph graph = rebatch(std::move(b).finish({both}), 7);
    EXPECT_EQ(shape_named(graph, "state"), (Shape{7, 5}));
    EXPECT_EQ(shape_named(graph, "cat"), (Shape{7, 13}));
  }
}

TEST(Rebatch, OtherAttributesThatHoldTheBatch) {
  GraphBuilder b("attributes");
  const ValueId x = b.input("input", {2, 3, 4, 4});
  const ValueId y = b.add(Resize{ResizeMode::nearest, {2, 3, 8, 8}}, {x}, "resize");
  const ValueId z = b.add(Slice{{0, 2}, {0, 1}, {2, 8}, {1, 1}}, {y}, "slice");
  const ValueId index = b.input("index", {2, 3, 1, 1}, DType::i64);
  const ValueId g = b.add(GatherElements{IndexForm::elements, 2}, {z, index}, "gather");
  const ValueId o = b.add(Opaque{"", "Odd", {{2, 9}}, {DType::f32}}, {g}, "odd");
  const Graph graph = rebatch(std::move(b).finish({o}), 5);
  EXPECT_EQ(shape_named(graph, "resize"), (Shape{5, 3, 8, 8}));
  EXPECT_EQ(op_named<Slice>(graph, "slice").end, (std::vector<std::int64_t>{5, 8}));
  EXPECT_EQ(shape_named(graph, "gather"), (Shape{5, 3, 1, 1}));
  EXPECT_EQ(shape_named(graph, "odd"), (Shape{5, 9}));
}

// A spatial transformer: the grid comes from the input too. A grid of fixed samples cannot follow.
TEST(Rebatch, GridSampleHoldsTheBatchInBothOperands) {
  GraphBuilder b("transformer");
  const ValueId x = b.input("input", {2, 3, 4, 4});
  const ValueId grid = b.input("grid", {2, 5, 6, 2});
  const ValueId y = b.add(GridSample{}, {x, grid}, "sample");
  EXPECT_EQ(shape_named(rebatch(std::move(b).finish({y}), 7), "sample"), (Shape{7, 3, 5, 6}));

  GraphBuilder fixed("fixed");
  const ValueId image = fixed.input("input", {2, 3, 4, 4});
  const ValueId places = fixed.parameter("grid", {2, 5, 6, 2});
  const ValueId z = fixed.add(GridSample{}, {image, places}, "sample");
  const Graph graph = std::move(fixed).finish({z});
  EXPECT_THROW((void)rebatch(graph, 7), Error);
}

TEST(Rebatch, RecurrentLayersHoldTheBatchInOrAfterTheSteps) {
  GraphBuilder b("tagger");
  const ValueId x = b.input("input", {2, 7, 5});
  const std::vector<ValueId> first = b.recurrent(x, "lstm", {.batch_first = true}, 4);
  ValueId y = b.transpose(first[0], {1, 0, 2}, "steps_first");
  const std::vector<ValueId> second =
      b.recurrent(y, "gru", {.cell = RecurrentCell::gru}, 6,
                  {b.add(Pad{{0, 0, 0}, {0, 0, 2}}, {first[1]}, "wider")});
  const Graph five = rebatch(std::move(b).finish({second[0], first[2]}), 5);
  EXPECT_EQ(shape_named(five, "lstm:0"), (Shape{5, 7, 4}));
  EXPECT_EQ(shape_named(five, "lstm:2"), (Shape{1, 5, 4}));
  EXPECT_EQ(shape_named(five, "gru:0"), (Shape{7, 5, 6}));

  GraphBuilder across("across");  // the samples are its steps
  const ValueId z = across.recurrent(across.input("input", {2, 7, 5}), "rnn",
                                     {.cell = RecurrentCell::rnn_tanh}, 4)[0];
  EXPECT_THAT(error_of(std::move(across).finish({z}), 5), HasSubstr("all samples alike"));
}

TEST(Rebatch, CoordinatesWithinASample) {
  GraphBuilder b("gather");
  const ValueId x = b.input("input", {2, 9, 4});
  const ValueId where = b.input("where", {2, 5, 1}, DType::i64);
  const ValueId y = b.add(GatherElements{IndexForm::nd, 0, 1}, {x, where}, "gather");
  EXPECT_EQ(shape_named(rebatch(std::move(b).finish({y}), 7), "gather"), (Shape{7, 5, 4}));

  GraphBuilder across("gather");
  const ValueId all = across.input("input", {2, 9, 4});
  const ValueId samples = across.input("samples", {2, 5, 1}, DType::i64);
  const ValueId z = across.add(GatherElements{IndexForm::nd}, {all, samples}, "gather");
  EXPECT_THAT(error_of(std::move(across).finish({z}), 7), HasSubstr("all samples alike"));
}

TEST(Rebatch, ScattersWithinASample) {
  GraphBuilder b("scatter");
  const ValueId x = b.input("input", {2, 9});
  const ValueId where = b.input("where", {2, 5}, DType::i64);
  const ValueId y = b.add(Scatter{IndexForm::elements, 1}, {x, where, b.input("by", {2, 5})}, "s");
  EXPECT_EQ(shape_named(rebatch(std::move(b).finish({y}), 7), "s"), (Shape{7, 9}));

  // Three rows of every sample, the same in all: the batch is not indexed.
  GraphBuilder rows("scatter");
  const ValueId data = rows.transpose(rows.input("input", {2, 9}), {1, 0}, "turn");
  const ValueId which = rows.constant("which", {3, 1}, DType::i64);
  const ValueId by = rows.transpose(rows.input("by", {2, 3}), {1, 0}, "turn_by");
  const ValueId z = rows.add(Scatter{IndexForm::nd}, {data, which, by}, "s");
  EXPECT_EQ(shape_named(rebatch(std::move(rows).finish({z}), 7), "s"), (Shape{9, 7}));

  GraphBuilder across("scatter");
  const ValueId all = across.input("input", {2, 9});
  const ValueId samples = across.input("samples", {2, 1}, DType::i64);
  const ValueId s = across.add(Scatter{IndexForm::nd}, {all, samples, all}, "s");
  EXPECT_THAT(error_of(std::move(across).finish({s}), 7), HasSubstr("all samples alike"));
}

TEST(Rebatch, WindowsMergedIntoTheBatch) {
  // Windows of 4x4 in 8x8, as a Swin transformer makes them; the masks of the four windows repeat.
  GraphBuilder b("windows");
  ValueId x = b.input("input", {1, 8, 8, 6});
  x = b.reshape(x, {1, 2, 4, 2, 4, 6}, "split");
  x = b.transpose(x, {0, 1, 3, 2, 4, 5}, "permute");
  x = b.reshape(x, {4, 16, 6}, "windows");
  const ValueId keys = b.transpose(x, {0, 2, 1}, "keys");
  ValueId scores = b.add(MatMul{}, {x, keys}, "scores");
  scores = b.reshape(scores, {1, 4, 16, 16}, "by_image");
  scores =
      b.binary(scores, b.constant("mask", {4, 16, 16}, DType::f32), BinaryFunction::add, "add");
  scores = b.reshape(scores, {4, 16, 16}, "by_window");
  const Graph graph = rebatch(std::move(b).finish({scores}), 3);
  EXPECT_EQ(shape_named(graph, "windows"), (Shape{12, 16, 6}));
  EXPECT_EQ(shape_named(graph, "by_image"), (Shape{3, 4, 16, 16}));
  EXPECT_EQ(shape_named(graph, "by_window"), (Shape{12, 16, 16}));
}

/// Whole numbers of a batch of 2.
std::shared_ptr<const ConstantData> integers(std::vector<std::int64_t> values) {
  return std::make_shared<const ConstantData>(ConstantData{std::move(values), {}});
}

const Value& value_named(const Graph& graph, std::string_view name) {
  return *std::ranges::find(graph.values, name, &Value::name);
}

TEST(Rebatch, AMaskThatWasWrittenOutForEachSample) {
  GraphBuilder b("masked");
  const ValueId scores = b.input("scores", {2, 3, 5, 5});
  const ValueId mask = b.constant("mask", {2, 1, 1, 5}, DType::f32);
  const ValueId x = b.binary(scores, mask, BinaryFunction::add, "add");
  const Graph graph = rebatch(std::move(b).finish({x}), 4);
  EXPECT_EQ(shape_named(graph, "mask"), (Shape{4, 1, 1, 5}));
  EXPECT_EQ(shape_named(graph, "add"), (Shape{4, 3, 5, 5}));
}

// The extent of 2 is the batch only where the op would not fit with another batch.
TEST(Rebatch, AConstantWhoseExtentEqualsTheBatchByChance) {
  GraphBuilder b("chance");
  const ValueId x = b.input("input", {2, 2, 2});
  const ValueId table = b.constant("table", {2, 2}, DType::f32);
  const ValueId y = b.binary(x, table, BinaryFunction::add, "add");
  const Graph graph = rebatch(std::move(b).finish({y}), 4);
  EXPECT_EQ(shape_named(graph, "table"), (Shape{2, 2}));
  EXPECT_EQ(shape_named(graph, "add"), (Shape{4, 2, 2}));
}

TEST(Rebatch, PositionsThatWereExpandedToTheBatch) {
  GraphBuilder b("positions");
  const ValueId words = b.input("words", {2, 3, 8});
  const ValueId flat = b.constant("ids", {DType::i64, {6}}, integers({0, 1, 2, 0, 1, 2}));
  const ValueId ids = b.constant("places", {DType::i64, {2, 3}}, integers({4, 5, 6, 4, 5, 6}));
  const ValueId rows = b.add(Gather{0}, {b.parameter("wpe", {32, 8}), ids}, "rows");
  const ValueId x = b.binary(words, rows, BinaryFunction::add, "add");
  const ValueId y = b.add(Gather{1}, {x, b.reshape(flat, {6}, "flat")}, "chosen");
  const Graph graph = rebatch(std::move(b).finish({y}), 3);
  EXPECT_EQ(shape_named(graph, "rows"), (Shape{3, 3, 8}));
  const Value& places = value_named(graph, "places");
  EXPECT_EQ(places.type.shape, (Shape{3, 3}));
  EXPECT_EQ(places.data->integers, (std::vector<std::int64_t>{4, 5, 6, 4, 5, 6, 4, 5, 6}));
  EXPECT_EQ(shape_named(graph, "ids"), (Shape{6}));
  EXPECT_EQ(shape_named(graph, "chosen"), (Shape{3, 6, 8}));
}

TEST(Rebatch, AConstantAlongAnInnerAxisRepeatsItsRow) {
  GraphBuilder b("sequence first");
  const ValueId x = b.transpose(b.input("input", {2, 3}), {1, 0}, "turn");
  const ValueId c = b.constant("c", {DType::i64, {3, 2}}, integers({7, 7, 8, 8, 9, 9}));
  const ValueId y = b.binary(x, c, BinaryFunction::mul, "mul");
  const Graph graph = rebatch(std::move(b).finish({y}), 3);
  EXPECT_EQ(value_named(graph, "c").data->integers,
            (std::vector<std::int64_t>{7, 7, 7, 8, 8, 8, 9, 9, 9}));
}

TEST(Rebatch, TwoConstantsOfOneNode) {
  GraphBuilder b("where");
  const ValueId x = b.input("input", {2, 3});
  const ValueId which = b.constant("which", {2, 3}, DType::boolean);
  const ValueId y = b.add(Where{}, {which, x, b.constant("other", {2, 1}, DType::f32)}, "where");
  const Graph graph = rebatch(std::move(b).finish({y}), 5);
  EXPECT_EQ(shape_named(graph, "which"), (Shape{5, 3}));
  EXPECT_EQ(shape_named(graph, "other"), (Shape{5, 1}));
}

TEST(Rebatch, AConstantWithOtherValuesForEachSampleIsAnError) {
  GraphBuilder b("samples differ");
  const ValueId x = b.input("input", {2, 2});
  const ValueId c = b.constant("c", {DType::i64, {2, 2}}, integers({1, 2, 1, 3}));
  const ValueId y = b.add(GatherElements{IndexForm::elements, 1}, {x, c}, "gather");
  EXPECT_THAT(error_of(std::move(b).finish({y}), 4),
              AllOf(HasSubstr("node 'gather'"),
                    HasSubstr("the constant 'c' holds other values for each sample")));
}

TEST(Rebatch, BatchBelowOneIsAUsageError) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {1, 3});
  const Graph graph = std::move(b).finish({x});
  try {
    (void)rebatch(graph, 0);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST(Rebatch, AnAbsurdBatchIsAnErrorAndNoWrappedFigure) {
  GraphBuilder b("net");
  const ValueId x = b.input("input", {1, 3, 224, 224});
  const ValueId y = b.unary(x, UnaryFunction::relu, "relu");
  const Graph graph = std::move(b).finish({y});
  EXPECT_THAT(error_of(graph, std::int64_t{1} << 60, ErrorKind::range), HasSubstr("64-bit"));
}

TEST(Rebatch, NamesTheNodeThatCannotFollow) {
  {
    GraphBuilder b("softmax over the batch");
    const ValueId x = b.add(Softmax{0}, {b.input("input", {2, 3})}, "softmax");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4),
                HasSubstr("node 'softmax' (softmax) depends on the batch of 2"));
  }
  {
    GraphBuilder b("one sample taken");
    const ValueId x = b.add(Slice{{0}, {0}, {1}, {1}}, {b.input("input", {2, 3})}, "first");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4), HasSubstr("node 'first' (slice)"));
  }
  {
    GraphBuilder b("samples change places");
    const ValueId x = b.add(Roll{{1}, {0}}, {b.input("input", {2, 3})}, "roll");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4), HasSubstr("node 'roll' (roll)"));
  }
  {
    GraphBuilder b("batch summed");
    const ValueId x = b.add(Reduce{ReduceFunction::sum, {0}}, {b.input("input", {2, 3})}, "sum");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4), HasSubstr("lose the batch"));
  }
  {
    GraphBuilder b("a parameter for each sample");
    const ValueId x =
        b.binary(b.input("input", {2, 3}), b.parameter("bias", {2, 3}), BinaryFunction::add, "add");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4),
                AllOf(HasSubstr("node 'add' (add)"), HasSubstr("'bias' is trained")));
  }
  {
    GraphBuilder b("samples against samples");
    const ValueId x = b.input("input", {2, 3});
    const ValueId y = b.add(MatMul{}, {x, b.transpose(x, {1, 0}, "t")}, "gram");
    EXPECT_THAT(error_of(std::move(b).finish({y}), 4), HasSubstr("two dimensions"));
  }
  {
    GraphBuilder b("batch split over two dimensions");
    const ValueId x = b.reshape(b.input("input", {8, 3}), {2, 4, 3}, "groups");
    EXPECT_THAT(error_of(std::move(b).finish({x}), 4), HasSubstr("no dimension can hold"));
  }
}

TEST(Rebatch, InputsMustShareTheBatch) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 3});
  const ValueId y = b.input("y", {5});
  EXPECT_THAT(error_of(std::move(b).finish({x, y}), 4), HasSubstr("input 'y' is 5"));
}

TEST(Rebatch, ScalarInputsStay) {
  GraphBuilder b("net");
  const ValueId x = b.input("x", {2, 3});
  const ValueId scaled = b.binary(x, b.input("scale", {}), BinaryFunction::mul, "mul");
  EXPECT_EQ(shape_named(rebatch(std::move(b).finish({scaled}), 4), "mul"), (Shape{4, 3}));
}

}  // namespace
}  // namespace rooflab::graph
