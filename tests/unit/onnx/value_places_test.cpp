// Where the data of values lies: handmade files whose bytes the test knows, compared with the bytes
// at the places that the reader names.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "../base/note_matchers.hpp"
#include "../base/thrown_error.hpp"
#include "onnx/onnx_notes.hpp"
#include "onnx_writer.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Key;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr std::int32_t half_type = 10;
constexpr std::int32_t double_type = 11;
constexpr std::int32_t f8_type = 17;
constexpr std::int32_t int4_type = 22;

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// Name, type and extents of a TensorProto; the test adds the data.
std::string tensor_header(const std::string& name, std::int32_t type, const Dims& dims) {
  std::string bytes;
  protozero::pbf_writer message(bytes);
  message.add_packed_int64(1, dims.begin(), dims.end());
  message.add_int32(2, type);
  message.add_string(8, name);
  return bytes;
}

struct ExternalSpec {
  std::string location;
  std::string offset;
  std::string length;
};

std::string external_tensor(const std::string& name, const Dims& dims, const ExternalSpec& spec) {
  std::string bytes = tensor_header(name, float_type, dims);
  protozero::pbf_writer message(bytes);
  for (const auto& [key, value] :
       {std::pair{"location", spec.location}, {"offset", spec.offset}, {"length", spec.length}}) {
    if (value.empty()) continue;
    protozero::pbf_writer entry(message, 13);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  message.add_int32(14, 1);
  return bytes;
}

/// A folder of this test's own.
std::filesystem::path folder() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  auto path = std::filesystem::path(testing::TempDir()) / "value_places" / test->name();
  std::filesystem::create_directories(path);
  return path;
}

std::filesystem::path written_here(const std::string& name, const std::string& bytes) {
  std::filesystem::path path = folder() / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

const ImportOptions plain_import;
ImportOptions with_places() {
  ImportOptions options;
  options.with_places = true;
  return options;
}

/// x and an initialiser added up.
GraphWriter sum_with(const std::string& tensor, const Extents& extents,
                     std::int32_t type = float_type) {
  GraphWriter graph;
  graph.input("x", extents, type).initializer(tensor).add({"Add", {"x", "w"}, {"y"}}).output("y");
  return graph;
}

ImportResult read_here(const GraphWriter& graph, std::int64_t opset = 17) {
  return read_onnx(written_here("m.onnx", model(graph, opset)), with_places());
}

/// The bytes of a value of this type at its place.
std::string at_place(const ImportResult& result, const std::string& name) {
  const ValuePlace& place = result.places.at(name);
  for (const graph::Value& value : result.graph.values) {
    if (value.name != name) continue;
    return read_file(place.file.string())
        .substr(static_cast<std::size_t>(place.offset),
                static_cast<std::size_t>(value.type.bytes()));
  }
  return "no such value";
}

Error places_error(const std::filesystem::path& path) {
  return thrown_error([&] { return read_onnx(path, with_places()); });
}

// ---- data in the model's own file ---------------------------------------------------------------

TEST(ValuePlaces, RawDataIsWhereTheFileHasIt) {
  const std::vector<float> weight = {1, -2, 3.5F, 4, 5, 6, 7, 8};
  const std::vector<float> bias = {0.25F, -0.5F};
  GraphWriter graph;
  graph.input("x", {1, 1, 4, 4})
      .initializer(tensor("conv.weight", float_type, {2, 1, 2, 2}, bytes_of(weight)))
      .initializer(floats("conv.bias", bias))
      .add({"Conv", {"x", "conv.weight", "conv.bias"}, {"y"}})
      .output("y");
  const std::filesystem::path path = written_here("m.onnx", model(graph));
  const ImportResult result = read_onnx(path, with_places());
  EXPECT_THAT(result.places, UnorderedElementsAre(Key("conv.weight"), Key("conv.bias")));
  EXPECT_EQ(result.places.at("conv.weight").file, std::filesystem::absolute(path));
  EXPECT_EQ(at_place(result, "conv.weight"), bytes_of(weight));
  EXPECT_EQ(at_place(result, "conv.bias"), bytes_of(bias));
  EXPECT_THAT(result.bytes, IsEmpty());
  EXPECT_THAT(result.without_values, IsEmpty());
}

TEST(ValuePlaces, ARelativePathIsMadeAbsolute) {
  const std::filesystem::path path =
      written_here("m.onnx", model(sum_with(floats("w", {1, 2}), {2})));
  const ImportResult result =
      read_onnx(std::filesystem::relative(path, std::filesystem::current_path()), with_places());
  EXPECT_TRUE(result.places.at("w").file.is_absolute());
  EXPECT_EQ(at_place(result, "w"), bytes_of<float>({1, 2}));
}

TEST(ValuePlaces, PackedFloatsAndDoublesLieInTheFileAsTheyAre) {
  const std::vector<float> single = {1.5F, -2.5F, 3};
  std::string packed = tensor_header("w", float_type, {3});
  protozero::pbf_writer(packed).add_packed_float(4, single.begin(), single.end());
  EXPECT_EQ(at_place(read_here(sum_with(packed, {3})), "w"), bytes_of(single));

  const std::vector<double> wide = {1e-300, 2};
  std::string doubles = tensor_header("w", double_type, {2});
  protozero::pbf_writer(doubles).add_packed_double(10, wide.begin(), wide.end());
  EXPECT_EQ(at_place(read_here(sum_with(doubles, {2}, double_type)), "w"), bytes_of(wide));
}

TEST(ValuePlaces, HalvesInRawData) {
  const std::vector<std::uint16_t> halves = {0x3c00, 0xc000, 0x0001};  // 1, -2, 2^-24
  const std::string raw = tensor("w", half_type, {3}, bytes_of(halves));
  EXPECT_EQ(at_place(read_here(sum_with(raw, {3}, half_type)), "w"), bytes_of(halves));
}

TEST(ValuePlaces, AReshapedWeightStaysWhereItIs) {
  GraphWriter graph;
  graph.input("x", {2, 3})
      .initializer(floats("w", {1, 2, 3, 4, 5, 6}))
      .initializer(integers("target", {2, 3}))
      .add({"Reshape", {"w", "target"}, {"v"}})
      .add({"Add", {"x", "v"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  EXPECT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_EQ(at_place(result, "w"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
}

TEST(ValuePlaces, ALinearLayerKeepsItsWeightAsStored) {
  // y = x W^T by Gemm and by a Transpose before a MatMul: both keep W [out, in].
  const std::string weight = tensor("w", float_type, {2, 3}, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  GraphWriter gemm;
  gemm.input("x", {4, 3})
      .initializer(weight)
      .add({"Gemm", {"x", "w"}, {"y"}, {attribute("transB", std::int64_t{1})}})
      .output("y");
  GraphWriter matmul;
  matmul.input("x", {4, 3})
      .initializer(weight)
      .add({"Transpose", {"w"}, {"t"}})
      .add({"MatMul", {"x", "t"}, {"y"}})
      .output("y");
  for (const GraphWriter& graph : {gemm, matmul}) {
    const ImportResult result = read_here(graph);
    ASSERT_EQ(result.graph.nodes.size(), 1U);
    EXPECT_FALSE(std::get<graph::Linear>(result.graph.nodes[0].op).weight_in_by_out);
    EXPECT_EQ(result.graph.type(result.graph.nodes[0].inputs[1]).shape, (graph::Shape{2, 3}));
    EXPECT_EQ(at_place(result, "w"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  }
}

TEST(ValuePlaces, StatisticsAndConstantNodesHavePlacesToo) {
  GraphWriter graph;
  graph.input("x", {1, 1, 2, 2});
  for (const std::string name : {"scale", "shift", "mean", "var"}) {
    graph.initializer(floats(name, {static_cast<float>(name.size())}));
  }
  graph.add({"BatchNormalization", {"x", "scale", "shift", "mean", "var"}, {"n"}})
      .add({"Constant", {}, {"c"}, {attribute_message("value", 5, floats("", {9}))}})
      .add({"Add", {"n", "c"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  EXPECT_EQ(at_place(result, "mean"), bytes_of<float>({4}));
  EXPECT_EQ(at_place(result, "var"), bytes_of<float>({3}));
  EXPECT_EQ(at_place(result, "constant"), bytes_of<float>({9}));
}

TEST(ValuePlaces, InMemoryThePlacesAreOffsetsIntoTheBytes) {
  const std::string bytes = model(sum_with(floats("w", {1, 2}), {2}));
  const ImportResult result = read_onnx_bytes(bytes, "m.onnx", with_places());
  const ValuePlace& place = result.places.at("w");
  EXPECT_TRUE(place.file.empty());
  EXPECT_EQ(bytes.substr(static_cast<std::size_t>(place.offset), 8), bytes_of<float>({1, 2}));
}

TEST(ValuePlaces, APlainImportLooksForNothing) {
  // Data of the wrong length is nobody's business then.
  const std::string wrong = tensor("w", float_type, {3}, bytes_of<float>({1, 2}));
  const std::filesystem::path path = written_here("m.onnx", model(sum_with(wrong, {3})));
  const ImportResult result = read_onnx(path, plain_import);
  EXPECT_THAT(result.places, IsEmpty());
  EXPECT_THAT(result.bytes, IsEmpty());
  EXPECT_THAT(result.without_values, IsEmpty());
  const Error error = places_error(path);
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_STREQ(error.what(), "the data of 'w' is 8 bytes long and not 12");
  EXPECT_TRUE(error.location().byte_offset.has_value());
}

// ---- data that lies nowhere as such -------------------------------------------------------------

TEST(ValueBytes, IntegersCodedAsVarints) {
  const std::vector<std::int64_t> indices = {2, 0, 300};
  std::string coded = tensor_header("i", int64_type, {3});
  protozero::pbf_writer(coded).add_packed_int64(7, indices.begin(), indices.end());
  GraphWriter graph;
  graph.input("x", {400, 2}).initializer(coded).add({"Gather", {"x", "i"}, {"y"}}).output("y");
  const ImportResult result = read_here(graph);
  EXPECT_THAT(result.places, IsEmpty());
  EXPECT_EQ(result.bytes.at("i"), bytes_of(indices));
}

TEST(ValueBytes, HalvesAsBitPatternsInInt32Data) {
  const std::vector<std::int32_t> patterns = {0x3c00, 0xc000};
  std::string coded = tensor_header("w", half_type, {2});
  protozero::pbf_writer(coded).add_packed_int32(5, patterns.begin(), patterns.end());
  EXPECT_EQ(read_here(sum_with(coded, {2}, half_type)).bytes.at("w"),
            bytes_of<std::uint16_t>({0x3c00, 0xc000}));
}

TEST(ValueBytes, NumbersWrittenOneByOne) {
  std::string loose = tensor_header("w", float_type, {2});
  protozero::pbf_writer message(loose);
  message.add_float(4, 1.5F);
  message.add_float(4, -3.0F);
  EXPECT_EQ(read_here(sum_with(loose, {2})).bytes.at("w"), bytes_of<float>({1.5F, -3.0F}));
}

TEST(ValueBytes, FourBitIntegersAreSpreadOut) {
  // 1, -8, 7: the first of two in the low half of a byte (onnx.proto, raw_data).
  const std::string nibbles = tensor("w", int4_type, {3}, "\x81\x07");
  const ImportResult result = read_here(sum_with(nibbles, {3}, 3), 21);
  EXPECT_EQ(result.bytes.at("w"), bytes_of<std::int8_t>({1, -8, 7}));
}

TEST(ValueBytes, ATransposedWeightInItsNewOrder) {
  GraphWriter graph;
  graph.input("x", {3, 2})
      .initializer(tensor("w", float_type, {2, 3}, bytes_of<float>({1, 2, 3, 4, 5, 6})))
      .add({"Transpose", {"w"}, {"t"}})
      .add({"Add", {"x", "t"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  ASSERT_EQ(result.graph.nodes.size(), 1U);
  EXPECT_THAT(result.places, IsEmpty());
  EXPECT_EQ(result.bytes.at("w"), bytes_of<float>({1, 4, 2, 5, 3, 6}));
}

TEST(ValueBytes, ACastWeightInItsNewType) {
  GraphWriter graph;
  graph.input("x", {3})
      .initializer(tensor("w", half_type, {3}, bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x3555})))
      .add({"Cast", {"w"}, {"c"}, {attribute("to", std::int64_t{1})}})
      .add({"Add", {"x", "c"}, {"y"}})
      .output("y");
  // 0x3555 is 1365 / 4096.
  EXPECT_EQ(read_here(graph).bytes.at("w"), bytes_of<float>({1, -2, 1365.0F / 4096.0F}));
  GraphWriter down;
  down.input("x", {5}, half_type)
      .initializer(floats("w", {1, -2, 1.0F / 3.0F, 70000, 0x1.8p-24F}))
      .add({"Cast", {"w"}, {"c"}, {attribute("to", std::int64_t{half_type})}})
      .add({"Add", {"x", "c"}, {"y"}})
      .output("y");
  // IEEE 754 binary16: 1/3 rounds to 0x3555, 70000 to infinity, 1.5 x 2^-24 ties to 2 x 2^-24.
  EXPECT_EQ(read_here(down).bytes.at("w"),
            bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x3555, 0x7c00, 0x0002}));
}

TEST(ValueBytes, ACastToBfloatRoundsToTheNearestTiesToEven) {
  GraphWriter graph;
  graph.input("x", {4}, 16)
      .initializer(floats("w", {1.0F / 3.0F, 0x1.01p0F, 0x1.03p0F, -2.0F}))
      .add({"Cast", {"w"}, {"c"}, {attribute("to", std::int64_t{16})}})
      .add({"Add", {"x", "c"}, {"y"}})
      .output("y");
  // As floats 3eaaaaab, 3f808000, 3f818000, c0000000; bfloat16 keeps the upper half.
  EXPECT_EQ(read_here(graph).bytes.at("w"),
            bytes_of<std::uint16_t>({0x3eab, 0x3f80, 0x3f82, 0xc000}));
}

TEST(ValueBytes, AFoldedConstant) {
  GraphWriter graph;
  graph.input("x", {1, 2})
      .initializer(tensor("mask", bool_type, {2}, std::string("\1\0", 2)))
      .initializer(floats("low", {-1e9F}, true))
      .initializer(floats("zero", {0.0F}, true))
      .add({"Where", {"mask", "zero", "low"}, {"m"}})
      .add({"Add", {"x", "m"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  EXPECT_THAT(result.bytes, SizeIs(1));
  EXPECT_EQ(result.bytes.at("constant"), bytes_of<float>({0.0F, -1e9F}));
}

TEST(ValueBytes, AConstantTooLargeToFoldIsComputedHere) {
  // A causal mask of 80 x 80, beyond what the import itself computes with.
  GraphWriter graph;
  graph.input("x", {80, 80})
      .initializer(integers("extents", {80, 80}))
      .add(
          {"ConstantOfShape", {"extents"}, {"o"}, {attribute_message("value", 5, floats("", {1}))}})
      .add({"Trilu", {"o"}, {"t"}, {attribute("upper", std::int64_t{0})}})
      .add({"Mul", {"x", "t"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  ASSERT_EQ(result.graph.nodes.size(), 1U);
  std::vector<float> expected;
  for (int row = 0; row < 80; ++row) {
    for (int column = 0; column < 80; ++column) expected.push_back(column <= row ? 1.0F : 0.0F);
  }
  EXPECT_EQ(result.bytes.at("constant"), bytes_of(expected));
}

TEST(ValueBytes, ConstantsThatOpsMakeThemselves) {
  GraphWriter eye;
  eye.input("x", {2, 3})
      .add({"EyeLike", {"x"}, {"e"}, {attribute("k", std::int64_t{1})}})
      .add({"Add", {"x", "e"}, {"y"}})
      .output("y");
  EXPECT_EQ(read_here(eye).bytes.at("constant"), bytes_of<float>({0, 1, 0, 0, 0, 1}));
  GraphWriter one_hot;
  one_hot.input("x", {2}, int64_type)
      .initializer(integers("depth", {3}, true))
      .initializer(floats("off_on", {0, 1}))
      .add({"OneHot", {"x", "depth", "off_on"}, {"y"}})
      .output("y");
  EXPECT_EQ(read_here(one_hot).bytes.at("constant"), bytes_of<std::int64_t>({0, 1, 2}));
}

TEST(ValueBytes, IndicesFromTheEndAreCountedFromTheFront) {
  GraphWriter graph;
  graph.input("x", {5, 2})
      .initializer(integers("i", {-1, 0}))
      .add({"Gather", {"x", "i"}, {"y"}})
      .output("y");
  const ImportResult result = read_here(graph);
  EXPECT_EQ(result.bytes.at("constant"), bytes_of<std::int64_t>({4, 0}));
  // The graph holds them too, for a network that runs without the file's weights.
  const auto constant = std::ranges::find(result.graph.values, "constant", &graph::Value::name);
  ASSERT_NE(constant, result.graph.values.end());
  ASSERT_NE(constant->data, nullptr);
  EXPECT_EQ(constant->data->integers, (std::vector<std::int64_t>{4, 0}));
}

TEST(WithoutValues, AreNamedWithTheirReason) {
  const ImportResult eight = read_here(sum_with(tensor("w", f8_type, {2}, "ab"), {2}, f8_type));
  EXPECT_THAT(eight.without_values, ElementsAre("w"));
  EXPECT_THAT(eight.notes, ElementsAre(Says("'w' cannot be read: the graph does not keep")));

  const ImportResult nothing = read_here(sum_with(tensor_header("w", float_type, {2}), {2}));
  EXPECT_THAT(nothing.without_values, ElementsAre("w"));
  EXPECT_THAT(nothing.notes, ElementsAre(Says("does not hold it in full")));

  // 5000 elements are not computed with, and a scatter that adds is not computed later either.
  GraphWriter scatter;
  scatter.input("x", {5000})
      .initializer(integers("extents", {5000}))
      .initializer(tensor("i", int64_type, {1, 1}, std::string(8, '\0')))
      .initializer(floats("u", {3}))
      .add({"ConstantOfShape", {"extents"}, {"o"}})
      .add({"Constant", {}, {"c"}, {attribute_message("value", 5, floats("", {3}))}})
      .add({"ScatterND", {"o", "i", "c"}, {"s"}, {attribute_text("reduction", "add")}})
      .add({"Add", {"x", "s"}, {"y"}})
      .output("y");
  const ImportResult folded = read_here(scatter);
  EXPECT_THAT(folded.without_values, ElementsAre("constant"));
  EXPECT_THAT(folded.notes, testing::Contains(Says("which the importer does not compute")));
}

// ---- external data ------------------------------------------------------------------------------

TEST(ExternalPlaces, AreInTheFileBesideTheModel) {
  (void)written_here("data/w.bin", "12345678" + bytes_of<float>({1, 2, 3}) + "rest");
  const ImportResult result =
      read_here(sum_with(external_tensor("w", {3}, {"data/w.bin", "8", "12"}), {3}));
  EXPECT_EQ(result.places.at("w"), (ValuePlace{folder() / "data" / "w.bin", 8}));
  EXPECT_EQ(at_place(result, "w"), bytes_of<float>({1, 2, 3}));
}

TEST(ExternalPlaces, OffsetAndLengthMayBeLeftOut) {
  (void)written_here("w.bin", bytes_of<float>({1, 2, 3}));
  const ImportResult result =
      read_here(sum_with(external_tensor("w", {3}, {"x/../w.bin", "", ""}), {3}));
  EXPECT_EQ(result.places.at("w"), (ValuePlace{folder() / "w.bin", 0}));
}

TEST(ExternalPlaces, ATransposedWeightIsReadFromThere) {
  (void)written_here("w.bin", bytes_of<float>({1, 2, 3, 4, 5, 6}));
  GraphWriter graph;
  graph.input("x", {3, 2})
      .initializer(external_tensor("w", {2, 3}, {"w.bin", "", ""}))
      .add({"Transpose", {"w"}, {"t"}})
      .add({"Add", {"x", "t"}, {"y"}})
      .output("y");
  EXPECT_EQ(read_here(graph).bytes.at("w"), bytes_of<float>({1, 4, 2, 5, 3, 6}));
}

TEST(ExternalPlaces, ATruncatedOrMissingFileIsAnErrorOnlyWhenPlacesAreAskedFor) {
  const std::filesystem::path data = written_here("w.bin", std::string(11, 'a'));
  const std::filesystem::path path =
      written_here("m.onnx", model(sum_with(external_tensor("w", {3}, {"w.bin", "", ""}), {3})));
  EXPECT_NO_THROW((void)read_onnx(path));
  const Error error = places_error(path);
  EXPECT_EQ(error.kind(), ErrorKind::input);
  EXPECT_THAT(error.what(), HasSubstr("12 bytes at 0 of 11"));
  EXPECT_EQ(error.location().file, data.string());
  std::filesystem::remove(data);
  EXPECT_NO_THROW((void)read_onnx(path));
  const Error missing = places_error(path);
  EXPECT_EQ(missing.kind(), ErrorKind::input);
  EXPECT_THAT(missing.what(), HasSubstr("No such file"));
  EXPECT_FALSE(missing.hint().empty());
}

TEST(ExternalPlaces, NumbersThatContradictTheTypeAreErrors) {
  (void)written_here("w.bin", std::string(64, 'a'));
  const std::vector<ExternalSpec> wrong = {
      {"w.bin", "0", "16"},  {"w.bin", "-4", ""},   {"w.bin", "9223372036854775807", ""},
      {"w.bin", "56", "12"}, {"w.bin", "four", ""}, {"", "0", "12"}};
  for (const ExternalSpec& spec : wrong) {
    SCOPED_TRACE(spec.location + " " + spec.offset + " " + spec.length);
    const std::string tensor_bytes = external_tensor("w", {3}, spec);
    EXPECT_EQ(places_error(written_here("m.onnx", model(sum_with(tensor_bytes, {3})))).kind(),
              ErrorKind::input);
  }
}

TEST(ExternalPlaces, OutsideTheModelsFolderAreRefused) {
  (void)written_here("secret.bin", std::string(12, 's'));
  const std::string absolute = (folder() / "secret.bin").string();
  for (const std::string& location :
       {std::string("../secret.bin"), std::string("a/../../secret.bin"), std::string(".."),
        absolute}) {
    SCOPED_TRACE(location);
    const std::string tensor_bytes = external_tensor("w", {3}, {location, "", ""});
    const std::filesystem::path path =
        written_here("models/m.onnx", model(sum_with(tensor_bytes, {3})));
    EXPECT_NO_THROW((void)read_onnx(path));
    EXPECT_THAT(places_error(path).what(), HasSubstr("not in the model's folder"));
  }
}

TEST(ExternalPlaces, AreNotLookedForFromMemory) {
  const std::string bytes = model(sum_with(external_tensor("w", {3}, {"../w.bin", "", ""}), {3}));
  const ImportResult result = read_onnx_bytes(bytes, "m.onnx", with_places());
  EXPECT_THAT(result.without_values, ElementsAre("w"));
  EXPECT_THAT(result.notes, ElementsAre(Says("it is in another file")));
}

TEST(ValuePlaces, EveryChangedByteEndsInAGraphOrAnError) {
  GraphWriter graph;
  graph.input("x", {3, 2})
      .initializer(tensor("w", float_type, {2, 3}, bytes_of<float>({1, 2, 3, 4, 5, 6})))
      .initializer(external_tensor("e", {2}, {"e.bin", "4", "8"}))
      .initializer(integers("extents", {80, 80}))
      .add({"Transpose", {"w"}, {"t"}})
      .add({"ConstantOfShape", {"extents"}, {"o"}})
      .add({"Trilu", {"o"}, {"c"}})
      .add({"Add", {"x", "t"}, {"y"}})
      .add({"Add", {"x", "e"}, {"z"}})
      .output("y")
      .output("z")
      .output("c");
  (void)written_here("e.bin", std::string(12, 'e'));
  const std::string whole = model(graph);
  EXPECT_NO_THROW((void)read_onnx(written_here("m.onnx", whole), with_places()));
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const int change : {1, 128, 255}) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ change);
      try {
        (void)read_onnx(written_here("m.onnx", changed), with_places());
      } catch (const Error&) {
        continue;
      }
    }
  }
}

// ---- files of exporters -------------------------------------------------------------------------

TEST(SamplePlaces, EveryValueIsInOneOfTheThreeAndTheGraphIsTheSame) {
  const std::filesystem::path samples =
      std::filesystem::path(ROOFLAB_SOURCE_DIR) / "tests" / "data" / "onnx";
  for (const auto& entry : std::filesystem::directory_iterator(samples)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path().filename());
    const std::string bytes = read_file(entry.path().string());
    const ImportResult result = read_onnx_bytes(bytes, "m.onnx", with_places());
    EXPECT_EQ(to_text(result.graph), to_text(read_onnx_bytes(bytes, "m.onnx").graph));
    EXPECT_THAT(result.value_notes, IsEmpty());
    // Stripped of their large weights; what is computed from the rest is there.
    for (const Note& note : result.notes) {
      if (note.code != says.values_unreadable) continue;
      EXPECT_EQ(note.values.at(2), "it is in another file");
    }
    for (const graph::Value& value : result.graph.values) {
      if (value.kind == graph::ValueKind::input || value.kind == graph::ValueKind::result) continue;
      SCOPED_TRACE(value.name);
      const auto without = std::ranges::count(result.without_values, value.name);
      EXPECT_EQ(static_cast<std::ptrdiff_t>(result.places.count(value.name) +
                                            result.bytes.count(value.name)) +
                    without,
                1);
      const auto computed = result.bytes.find(value.name);
      if (computed == result.bytes.end()) continue;
      EXPECT_EQ(static_cast<std::int64_t>(computed->second.size()), value.type.bytes());
    }
  }
}

}  // namespace
}  // namespace rooflab::onnx
