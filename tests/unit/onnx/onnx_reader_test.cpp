#include "rooflab/onnx/onnx_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "changed_bytes.hpp"
#include "onnx/onnx_notes.hpp"
#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using testing::HasSubstr;

/// One Relu: the smallest file that is right.
GraphWriter relu_graph() {
  GraphWriter graph;
  graph.input("x", {2, 3}).add({"Relu", {"x"}, {"y"}}).output("y");
  return graph;
}

/// The error of reading these bytes.
Error model_error(const std::string& bytes, const ImportOptions& options = {}) {
  return thrown_error([&] { return read_onnx_bytes(bytes, "m.onnx", options); });
}

std::filesystem::path written_model(const std::string& name, const std::string& bytes) {
  std::filesystem::path path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(OnnxReader, ReadsAFileFromDisk) {
  const ImportResult result = read_onnx(written_model("relu.onnx", model(relu_graph(), 13)));
  EXPECT_EQ(result.graph.name, "relu");
  EXPECT_EQ(result.opset, 13);
  EXPECT_EQ(result.producer, "test");
  ASSERT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{2, 3}));
  EXPECT_FALSE(std::get<graph::Unary>(result.graph.nodes[0].op).inplace);
}

// Names and numbers that lie beyond many blocks of the file, weights that are read in part.
TEST(OnnxReader, ReadsOfAFileWhatItReadsOfItsBytes) {
  GraphWriter graph;
  graph.input("x", {1, 100'000});
  graph.initializer(weight("w", {100'000}));
  graph.add({"Add", {"x", "w"}, {std::string(40'000, 'y')}});
  graph.initializer(integers("shape", {10, 10'000}));
  graph.add({"Reshape", {std::string(40'000, 'y'), "shape"}, {"z"}}).output("z");
  const std::string bytes = model(graph);
  const ImportResult read = read_onnx(written_model("m.onnx", bytes));
  EXPECT_EQ(graph::to_text(read.graph), graph::to_text(read_onnx_bytes(bytes, "m.onnx").graph));
  EXPECT_EQ(read.graph.type(read.graph.outputs[0]).shape, (graph::Shape{10, 10'000}));
}

// ---- files that are something else --------------------------------------------------------------

TEST(OnnxReader, SaysWhatAFileLooksLike) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"\x89PNG\r\n\x1a\n....", "PNG"},
      {"PK\x03\x04rest of an archive", "PyTorch"},
      {"{\"format\": \"pt\"}", "JSON"},
      {"<!DOCTYPE html>", "HTML"},
      {"\x89HDF\r\n\x1a\n....", "HDF5"},
      {"layer,macs\nconv1,12\n", "text"},
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS"}};
  for (const auto& [bytes, what] : cases) {
    const Error error = model_error(bytes);
    EXPECT_EQ(error.kind(), ErrorKind::input);
    EXPECT_THAT(error.what(), HasSubstr(what));
    EXPECT_EQ(error.location().file, "m.onnx");
  }
}

TEST(OnnxReader, RefusesAnEmptyFileADirectoryAndAMissingFile) {
  const auto message = [](const std::filesystem::path& path) -> std::string {
    try {
      (void)read_onnx(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.location().file, path.string());
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(message(written_model("empty.onnx", "")), HasSubstr("empty"));
  EXPECT_THAT(message(testing::TempDir()), HasSubstr("directory"));
  EXPECT_THAT(message("/no/such/file.onnx"), HasSubstr("No such file"));
}

TEST(OnnxReader, LooksLikeOnnxByContent) {
  EXPECT_TRUE(looks_like_onnx(written_model("a.bin", model(relu_graph()))));
  EXPECT_FALSE(looks_like_onnx(written_model("b.onnx", "\x89PNG\r\n\x1a\n")));
  EXPECT_FALSE(looks_like_onnx(written_model("c.onnx", "")));
  EXPECT_FALSE(looks_like_onnx("/no/such/file.onnx"));
  EXPECT_FALSE(looks_like_onnx(testing::TempDir()));
}

// ---- damaged files ------------------------------------------------------------------------------

TEST(OnnxReader, EveryTruncationIsAnErrorAndNeverACrash) {
  GraphWriter graph;
  graph.input("x", {1, 3, 8, 8})
      .initializer(weight("conv.weight", {4, 3, 3, 3}))
      .initializer(integers("target", {0, -1}))
      .add({"Conv", {"x", "conv.weight"}, {"c"}, {attribute("pads", Dims{1, 1, 1, 1})}})
      .add({"Reshape", {"c", "target"}, {"y"}})
      .output("y");
  const std::string whole = model(graph);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW((void)read_onnx_bytes(whole.substr(0, length), "m.onnx"), Error) << length;
  }
  EXPECT_NO_THROW((void)read_onnx_bytes(whole, "m.onnx"));
}

TEST(OnnxReader, EveryChangedByteEndsInAGraphOrAnError) {
  GraphWriter graph;
  graph.input("x", {"N", 3, 8, 8})
      .initializer(weight("w", {4, 3, 3, 3}))
      .initializer(integers("target", {0, -1}))
      .add({"Conv", {"x", "w"}, {"c"}, {attribute("strides", Dims{2, 2})}})
      .add({"Reshape", {"c", "target"}, {"y"}})
      .output("y");
  const std::string whole = model(graph);
  expect_every_changed_byte_is_read_or_refused(whole);
}

TEST(OnnxReader, ALengthThatLiesIsFoundAtItsOffset) {
  std::string bytes = model(relu_graph());
  // Field 1 (2 bytes), producer "test" (6 bytes), then the graph: tag at 8, its length at 9.
  ASSERT_EQ(bytes[8], 0x3a);
  bytes[9] = 0x7f;
  const Error error = model_error(bytes);
  EXPECT_EQ(error.location().byte_offset, 8);
  EXPECT_THAT(error.what(), HasSubstr("longer"));
  EXPECT_THAT(error.hint(), HasSubstr("complete"));
}

TEST(OnnxReader, ANestedLengthBeyondItsParentIsAnError) {
  GraphWriter graph = relu_graph();
  // A tensor that claims 100 bytes of raw data inside a message of 2.
  graph.raw(5, std::string("\x4a\x64", 2));
  EXPECT_THAT(model_error(model(graph)).what(), HasSubstr("longer"));
}

TEST(OnnxReader, DataShorterThanItsExtentsIsNotRead) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .initializer(tensor("target", int64_type, {2}, std::string(8, '\0')))
      .add({"Reshape", {"x", "target"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  EXPECT_EQ(result.unknown.size(), 1U);
}

// ---- files that contradict themselves -----------------------------------------------------------

TEST(OnnxReader, RefusesOldAndMissingOperatorSets) {
  EXPECT_THAT(model_error(model(relu_graph(), 6)).what(), HasSubstr("operator set 6"));
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_int64(1, 8);
  message.add_message(7, relu_graph().bytes());
  EXPECT_THAT(model_error(bytes).what(), HasSubstr("operator set"));
}

TEST(OnnxReader, RefusesAModelWithoutAGraph) {
  EXPECT_THAT(model_error(std::string("\x08\x08", 2)).what(), HasSubstr("no graph"));
}

TEST(OnnxReader, RefusesImpossibleExtents) {
  const auto with_extents = [](const Extents& extents) {
    GraphWriter graph;
    graph.input("x", extents).add({"Relu", {"x"}, {"y"}}).output("y");
    return model_error(model(graph));
  };
  EXPECT_THAT(with_extents({1, -3}).what(), HasSubstr("-3"));
  EXPECT_THAT(with_extents({1, std::int64_t{1} << 60}).what(), HasSubstr("beyond"));
  const std::int64_t large = std::int64_t{1} << 39;
  EXPECT_EQ(with_extents({large, large}).kind(), ErrorKind::range);

  GraphWriter graph = relu_graph();
  graph.initializer(weight("w", {-4}));
  const Error error = model_error(model(graph));
  EXPECT_THAT(error.what(), HasSubstr("initialiser 'w'"));
  EXPECT_TRUE(error.location().byte_offset.has_value());
}

TEST(OnnxReader, RefusesAbsurdAttributes) {
  GraphWriter graph;
  graph.input("x", {1, 1, 8, 8})
      .add({"MaxPool", {"x"}, {"y"}, {attribute("kernel_shape", Dims{std::int64_t{1} << 62, 1})}})
      .output("y");
  EXPECT_THAT(model_error(model(graph)).what(), HasSubstr("kernel_shape"));
}

TEST(OnnxReader, NamesTheNodeAtFault) {
  GraphWriter graph;
  graph.input("x", {1, 5, 8, 8})
      .initializer(weight("w", {4, 3, 3, 3}))
      .add({"Conv", {"x", "w"}, {"y"}, {}, "stem"})
      .output("y");
  const Error error = model_error(model(graph));
  EXPECT_THAT(error.what(), HasSubstr("'stem' (Conv)"));
  EXPECT_THAT(error.what(), HasSubstr("3 channels"));
}

TEST(OnnxReader, RefusesMissingAndCyclicInputs) {
  GraphWriter missing;
  missing.input("x", {2}).add({"Add", {"x", "nowhere"}, {"y"}}).output("y");
  EXPECT_THAT(model_error(model(missing)).what(), HasSubstr("'nowhere'"));

  GraphWriter cycle;
  cycle.input("x", {2})
      .add({"Add", {"x", "b"}, {"a"}, {}, "first"})
      .add({"Relu", {"a"}, {"b"}, {}, "second"})
      .output("b");
  EXPECT_THAT(model_error(model(cycle)).what(), HasSubstr("cycle"));

  GraphWriter unwritten = relu_graph();
  unwritten.output("z");
  EXPECT_THAT(model_error(model(unwritten)).what(), HasSubstr("output 'z'"));

  GraphWriter twice = relu_graph();
  twice.add({"Abs", {"x"}, {"y"}});
  EXPECT_THAT(model_error(model(twice)).what(), HasSubstr("two nodes"));
}

TEST(OnnxReader, SortsNodesThatAreOutOfOrder) {
  GraphWriter graph;
  graph.input("x", {2}).add({"Relu", {"a"}, {"y"}}).add({"Abs", {"x"}, {"a"}}).output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_EQ(name_of(result.graph.nodes[0].op), "abs");
}

// ---- functions and branches ---------------------------------------------------------------------

TEST(OnnxReader, RefusesAFunctionThatCallsItself) {
  const FunctionSpec loop{"Loop", "own", {"a"}, {"b"}, {{"Loop", {"a"}, {"b"}, {}, "", "own"}}};
  GraphWriter graph;
  graph.input("x", {2}).add({"Loop", {"x"}, {"y"}, {}, "", "own"}).output("y");
  const Error error = model_error(model(graph, 17, {function(loop, 17)}));
  EXPECT_THAT(error.what(), HasSubstr("calls itself"));
}

TEST(OnnxReader, RefusesAnExplosionOfFunctions) {
  // Each of 40 functions calls the next one twice: 2^40 nodes.
  std::vector<std::string> functions;
  for (int i = 0; i < 40; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    functions.push_back(
        function({"F" + std::to_string(i),
                  "own",
                  {"a"},
                  {"c"},
                  {{next, {"a"}, {"b"}, {}, "", "own"}, {next, {"b"}, {"c"}, {}, "", "own"}}},
                 17));
  }
  functions.push_back(function({"F40", "own", {"a"}, {"c"}, {{"Relu", {"a"}, {"c"}}}}, 17));
  GraphWriter graph;
  graph.input("x", {2}).add({"F0", {"x"}, {"y"}, {}, "", "own"}).output("y");
  EXPECT_THAT(model_error(model(graph, 17, functions)).what(),
              HasSubstr("more than 262144 nodes with its functions expanded"));
}

TEST(OnnxReader, RefusesBranchesNestedTooDeeply) {
  GraphWriter inner;
  inner.add({"Relu", {"x"}, {"r"}}).output("r");
  std::string bytes = inner.bytes();
  for (int i = 0; i < 100; ++i) {
    GraphWriter outer;
    outer
        .add({"If",
              {"yes"},
              {"r" + std::to_string(i)},
              {attribute_message("then_branch", 6, bytes)}})
        .output("r" + std::to_string(i));
    bytes = outer.bytes();
  }
  GraphWriter graph;
  graph.input("x", {2})
      .initializer(truth("yes", true))
      .add({"If", {"yes"}, {"y"}, {attribute_message("then_branch", 6, bytes)}})
      .output("y");
  EXPECT_THAT(model_error(model(graph)).what(), HasSubstr("nested too deeply"));
}

TEST(OnnxReader, InlinesFunctionsWithTheirAttributes) {
  const FunctionSpec pooled{
      "Pooled",
      "own",
      {"a"},
      {"b"},
      {{"Softmax", {"a"}, {"s"}, {attribute_reference("axis", "along")}}, {"Relu", {"s"}, {"b"}}}};
  GraphWriter graph;
  graph.input("x", {2, 3})
      .add({"Pooled", {"x"}, {"y"}, {attribute("along", std::int64_t{0})}, "", "own"})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph, 17, {function(pooled, 17)}), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_EQ(std::get<graph::Softmax>(result.graph.nodes[0].op).axis, 0);
  EXPECT_TRUE(result.unknown.empty());
}

TEST(OnnxReader, TakesTheBranchOfAConstantCondition) {
  GraphWriter yes;
  yes.add({"Relu", {"x"}, {"r"}}).output("r");
  GraphWriter no;
  no.add({"Abs", {"x"}, {"r"}}).output("r");
  GraphWriter graph;
  graph.input("x", {2})
      .initializer(integers("two", {2}))
      .add({"Shape", {"x"}, {"s"}})
      .add({"Equal", {"s", "two"}, {"c"}})
      .add({"If",
            {"c"},
            {"y"},
            {attribute_message("then_branch", 6, yes.bytes()),
             attribute_message("else_branch", 6, no.bytes())}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_EQ(name_of(result.graph.nodes[0].op), "relu");
}

// ---- open dimensions ----------------------------------------------------------------------------

GraphWriter open_graph() {
  GraphWriter graph;
  graph.input("x", {"batch", "time"}).add({"Relu", {"x"}, {"y"}}).output("y");
  return graph;
}

TEST(OnnxReader, AsksForAnOpenDimensionByItsName) {
  const Error error = model_error(model(open_graph()));
  EXPECT_THAT(error.what(), HasSubstr("'time'"));
  EXPECT_THAT(error.hint(), HasSubstr("--dim time="));
}

TEST(OnnxReader, BindsDimensionsAndNotesAnAssumedBatch) {
  const auto input_shape = [](const ImportOptions& options, std::size_t notes) {
    const ImportResult result = read_onnx_bytes(model(open_graph()), "m.onnx", options);
    EXPECT_EQ(result.notes.size(), notes);
    return result.graph.type(result.graph.inputs[0]).shape;
  };
  EXPECT_EQ(input_shape({.dims = {{"time", 7}}, .batch = {}}, 1), (graph::Shape{1, 7}));
  EXPECT_EQ(input_shape({.dims = {{"time", 7}}, .batch = 4}, 0), (graph::Shape{4, 7}));
  EXPECT_EQ(input_shape({.dims = {{"time", 7}, {"batch", 5}}, .batch = {}}, 0),
            (graph::Shape{5, 7}));
  EXPECT_EQ(input_shape({.dims = {{"x:1", 3}}, .batch = 2}, 0), (graph::Shape{2, 3}));
}

TEST(OnnxReader, RefusesTwoExtentsOfOneDimension) {
  const auto message = [](const ImportOptions& options) {
    const Error error = model_error(model(open_graph()), options);
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.hint(), "give one of the two");
    return std::string(error.what());
  };
  EXPECT_EQ(message({.dims = {{"time", 7}, {"batch", 8}}, .batch = 4}),
            "'batch' is the batch: it cannot be both 8 (--dim) and 4 (--batch)");
  EXPECT_EQ(message({.dims = {{"time", 7}, {"x:0", 8}}, .batch = 4}),
            "'x:0' is the batch: it cannot be both 8 (--dim) and 4 (--batch)");
  EXPECT_EQ(message({.dims = {{"time", 7}, {"x:1", 3}}, .batch = 4}),
            "'x:1' and 'time' are one dimension, which cannot be both 3 and 7");
  EXPECT_NO_THROW((void)read_onnx_bytes(model(open_graph()), "m.onnx",
                                        {.dims = {{"time", 7}, {"batch", 4}}, .batch = 4}));
}

TEST(OnnxReader, NotesAnOutputThatIsDeclaredOtherwise) {
  const auto notes = [](const Extents& declared, std::int32_t type = float_type) {
    GraphWriter graph;
    graph.input("x", {2, 3}).add({"Relu", {"x"}, {"y"}}).raw(12, value_info("y", declared, type));
    return texts_of(read_onnx_bytes(model(graph), "m.onnx").notes);
  };
  EXPECT_THAT(notes({2, 3}), testing::IsEmpty());
  EXPECT_THAT(notes({"n", 3}), testing::IsEmpty());
  EXPECT_THAT(notes({2, 4}),
              testing::ElementsAre("the file declares its output 'y' as f32 [2,4], but its nodes "
                                   "make f32 2x3, which counts"));
  EXPECT_THAT(notes({2, 3, 1}), testing::SizeIs(1));
  EXPECT_THAT(notes({2, 3}, 10), testing::SizeIs(1));  // float16
}

TEST(OnnxReader, RefusesDimensionsThatDoNotExist) {
  const Error error =
      model_error(model(open_graph()), {.dims = {{"time", 7}, {"tiem", 7}}, .batch = {}});
  EXPECT_EQ(error.kind(), ErrorKind::usage);
  EXPECT_THAT(error.what(), HasSubstr("'tiem'"));
  EXPECT_THAT(error.hint(), HasSubstr("time"));
  EXPECT_EQ(model_error(model(open_graph()), {.dims = {{"time", 0}}, .batch = {}}).kind(),
            ErrorKind::usage);
}

// ---- parameters ---------------------------------------------------------------------------------

TEST(OnnxReader, CountsParametersByTheirDefinition) {
  GraphWriter graph;
  graph.input("x", {1, 3, 4, 4})
      .initializer(weight("bn.weight", {3}))
      .initializer(weight("bn.bias", {3}))
      .initializer(weight("bn.mean", {3}))
      .initializer(weight("bn.var", {3}))
      .initializer(floats("two", {2.0F}, true))
      .initializer(weight("unused", {1000}))
      .initializer(weight("w", {5, 3, 1, 1}))
      .add({"Identity", {"w"}, {"w2"}})
      .add({"BatchNormalization", {"x", "bn.weight", "bn.bias", "bn.mean", "bn.var"}, {"n"}})
      .add({"Pow", {"n", "two"}, {"p"}})
      .add({"Conv", {"p", "w"}, {"c"}})
      .add({"Conv", {"p", "w2"}, {"d"}})
      .add({"Add", {"c", "d"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  // Weight and bias of the norm, and the tied weight once: 3 + 3 + 15.
  EXPECT_EQ(result.graph.parameter_elements(), 21);
  std::vector<std::string> buffers;
  for (const graph::Value& value : result.graph.values) {
    if (value.kind == graph::ValueKind::buffer) buffers.push_back(value.name);
  }
  EXPECT_THAT(buffers, testing::ElementsAre("bn.mean", "bn.var"));
  EXPECT_THAT(result.notes, testing::ElementsAre(HasValue(says.elements_unused, 1000)));
}

TEST(OnnxReader, AWeightThatIsOnlySeenTransposedStaysAParameter) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .initializer(weight("w", {4, 3}))
      .initializer(weight("v", {8, 1}))
      .initializer(integers("pair", {2, 4}))
      .add({"Transpose", {"w"}, {"t"}, {attribute("perm", Dims{1, 0})}})
      .add({"MatMul", {"x", "t"}, {"m"}})
      .add({"Reshape", {"v", "pair"}, {"r"}})
      .add({"Add", {"m", "r"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_FALSE(std::get<graph::Linear>(result.graph.nodes[0].op).weight_in_by_out);
  EXPECT_EQ(result.graph.parameter_elements(), 12 + 8);
}

TEST(OnnxReader, ATiedEmbeddingIsOneParameter) {
  GraphWriter graph;
  graph.input("ids", {1, 5}, int64_type)
      .initializer(weight("wte.weight", {100, 8}))
      .add({"Gather", {"wte.weight", "ids"}, {"e"}})
      .add({"Transpose", {"wte.weight"}, {"t"}, {attribute("perm", Dims{1, 0})}})
      .add({"MatMul", {"e", "t"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  EXPECT_EQ(result.graph.parameter_elements(), 800);
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<graph::Linear>(result.graph.nodes[1].op));
}

// ---- what is unknown ----------------------------------------------------------------------------

TEST(OnnxReader, ListsUnknownOpsAndTakesTheirShapesFromTheFile) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .info("u", {4, 5})
      .add({"Fold", {"x"}, {"u"}, {}, "f", "com.acme"})
      .add({"Relu", {"u"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.unknown.size(), 1U);
  EXPECT_EQ(result.unknown[0].op, "com.acme.Fold");
  EXPECT_EQ(result.unknown[0].count, 1);
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{4, 5}));
  EXPECT_EQ(name_of(result.graph.nodes[1].op), "relu");
}

TEST(OnnxReader, AnUnknownShapeMakesTheNextOpsOpaqueUntilADeclaredOne) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .info("b", {7})
      .add({"Mystery", {"x"}, {"u"}})
      .add({"Relu", {"u"}, {"a"}})
      .add({"Abs", {"a"}, {"b"}})
      .add({"Neg", {"b"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  std::vector<std::string> unknown;
  for (const UnknownOp& op : result.unknown) unknown.push_back(op.op);
  EXPECT_THAT(unknown, testing::UnorderedElementsAre("Mystery", "Relu", "Abs"));
  EXPECT_THAT(result.notes, testing::Contains(HasCode(says.op_not_counted)));
  EXPECT_EQ(result.graph.type(result.graph.outputs[0]).shape, (graph::Shape{7}));
  EXPECT_EQ(name_of(result.graph.nodes[3].op), "neg");
}

TEST(OnnxReader, WhatALoopReadsFromOutsideStaysInTheGraph) {
  GraphWriter body;
  body.add({"Add", {"i", "h"}, {"o"}}).output("o");
  GraphWriter graph;
  graph.input("x", {2, 3})
      .input("n", {}, int64_type)
      .initializer(weight("w", {3, 4}))
      .add({"MatMul", {"x", "w"}, {"h"}})
      .add({"Loop", {"n", "", "x"}, {"y"}, {attribute_message("body", 6, body.bytes())}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 2U);
  EXPECT_EQ(name_of(result.graph.nodes[0].op), "linear");
  EXPECT_EQ(result.graph.nodes[1].inputs.size(), 3U);
  EXPECT_THAT(result.notes, testing::Contains(HasValue(says.op_not_counted, "Loop")));
}

TEST(OnnxReader, AProductOfTwoActivationsIsNoLinear) {
  GraphWriter graph;
  graph.input("x", {4, 3})
      .initializer(weight("w", {3, 3}))
      .add({"MatMul", {"x", "w"}, {"k"}})
      .add({"Transpose", {"k"}, {"t"}})
      .add({"MatMul", {"x", "t"}, {"y"}})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  ASSERT_EQ(result.graph.nodes.size(), 3U);
  EXPECT_EQ(name_of(result.graph.nodes[2].op), "matmul");
}

// As the exporter names Hugging Face's BERT: whatever reads modules from the names of nodes (tables
// by depth, lifetimes, calls of modules) sees dots alone.
TEST(OnnxReader, PathsWithSlashesBecomeScopePaths) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .add({"Relu", {"x"}, {"a"}, {}, "/bert/encoder/layer.0/attention/self/query/Relu"})
      .add({"Add", {"a", "x"}, {"b"}, {}, "/bert/encoder/layer.0/attention/output/Add"})
      .add({"Relu", {"b"}, {"c"}, {}, "/bert/encoder/layer.0/attention/output/act/Relu"})
      .add({"Relu", {"c"}, {"y"}, {}, "/features/features.0/features.0.1/Relu"})
      .output("y");
  const ImportResult result = read_onnx_bytes(model(graph), "m.onnx");
  std::vector<std::string> names;
  for (const graph::Node& node : result.graph.nodes) names.push_back(node.name);
  EXPECT_THAT(names,
              testing::ElementsAre("bert.encoder.layer.0.attention.self.query",
                                   "bert.encoder.layer.0.attention.output.add",
                                   "bert.encoder.layer.0.attention.output.act", "features.0.1"));
}

// ---- names --------------------------------------------------------------------------------------

TEST(OnnxReader, RefusesAnInputThatIsListedTwice) {
  for (const std::int64_t width : {3, 8}) {  // alike or not: a value has one definition
    GraphWriter graph = relu_graph();
    graph.input("x", {2, width});
    EXPECT_STREQ(model_error(model(graph)).what(), "value 'x' is defined twice");
  }
}

TEST(OnnxReader, AnInitialiserMayBeListedAsAnInput) {
  GraphWriter graph;
  graph.input("x", {2, 3}).input("w", {3}).input("w", {3}).initializer(weight("w", {3}));
  graph.add({"Add", {"x", "w"}, {"y"}}).output("y");
  EXPECT_EQ(read_onnx_bytes(model(graph), "m.onnx").graph.inputs.size(), 1U);
}

}  // namespace
}  // namespace rooflab::onnx
