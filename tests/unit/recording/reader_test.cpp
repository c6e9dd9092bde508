#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "recording_text.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::recording {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* first_line = "{\"rooflab_recording\":1}\n";

Error error_in(const std::string& text) {
  return thrown_error(ErrorKind::input, [&] { (void)parse_recording(text, "a.rec"); });
}

/// `LINE: MESSAGE` of the error that lines behind the first one end in.
std::string complaint(std::string_view lines) {
  const Error error = error_in(first_line + std::string(lines));
  EXPECT_EQ(error.location().file, "a.rec");
  return format("{}: {}", error.location().line.value_or(0), error.what());
}

std::string packed_by_gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

constexpr const char* whole =
    R"({"rooflab_recording":1,"writer":"rooflab 0.1.0","framework":"torch 2.11.0","name":"Net","batch":8,"grad":false,"values":false,"tf32":{"matmul":true,"cudnn":false}}
{"module":0,"name":"","class":"Net","root":0,"training":true}
{"module":1,"name":"fc","class":"Linear","root":0}
{"layout":"bf16","shape":[8,4]}
{"layout":"f32","shape":[4,8],"strides":[1,4]}
{"storage":0,"bytes":64,"device":"cuda:0","role":"input","before":true}
{"tensor":0,"layout":0,"storage":0}
{"at":"backward","module":1,"node":"MmBackward0","autocast":"bf16","recomputed":true,"stream":1}
{"storage":1,"bytes":140,"device":"cuda:0"}
{"tensor":1,"layout":1,"storage":1,"offset":3}

{"op":"aten.mm","in":[0,null,[0,1],{"number":2.0}],"out":[1],"args":{"alpha":2},"writes":[0],"overload":"out"}
{"op":"aten.mm","in":[],"out":[]}
{"role":"gradient","storages":[[1,"fc.weight"]]}
{"free":[0]}
{"optimizer":"SGD","options":{"lr":0.5,"nesterov":true,"foreach":null},"parameters":2}
{"output":[1]}
{"gap":"triton","name":"add_kernel","where":"model.py:12 in forward","count":2}
{"assumed":"item","value":1,"where":"m.py:310 in forward","count":3}
{"end":true,"ops":2,"storages":2,"frees":1}
)";

// A whole recording --------------------------------------------------------------------------

TEST(RecordingReader, ReadsEveryKindOfLine) {
  const Recording r = parse_recording(whole, "a.rec");
  EXPECT_EQ(r.file, "a.rec");
  EXPECT_EQ(r.name, "Net");
  EXPECT_EQ(r.framework, "torch 2.11.0");
  EXPECT_EQ(r.batch, 8);
  EXPECT_FALSE(r.grad);
  EXPECT_FALSE(r.values);
  EXPECT_TRUE(r.tf32_products);
  EXPECT_FALSE(r.tf32_convolutions);
  ASSERT_EQ(r.modules.size(), 2);
  EXPECT_EQ(r.modules[1].name, "fc");
  EXPECT_EQ(r.modules[1].class_name, "Linear");
  ASSERT_EQ(r.layouts.size(), 2);
  EXPECT_EQ(r.layouts[0].type.dtype, DType::bf16);
  EXPECT_THAT(r.layouts[0].strides, ElementsAre(4, 1));
  EXPECT_THAT(r.layouts[1].strides, ElementsAre(1, 4));
  ASSERT_EQ(r.storages.size(), 2);
  EXPECT_TRUE(r.storages[0].before);
  EXPECT_EQ(r.storages[0].role, schedule::Role::input);
  EXPECT_EQ(r.storages[1].role, schedule::Role::parameter_gradient);
  EXPECT_EQ(r.storages[1].name, "fc.weight");
  EXPECT_EQ(r.storages[1].bytes, Bytes(140));
  ASSERT_EQ(r.tensors.size(), 2);
  EXPECT_EQ(r.tensors[1].offset, 3);
  EXPECT_THAT(r.op_names, ElementsAre("aten.mm"));
  ASSERT_EQ(r.gaps.size(), 1);
  EXPECT_EQ(r.gaps[0].kind, "triton");
  EXPECT_EQ(r.gaps[0].count, 2);
  ASSERT_EQ(r.assumptions.size(), 1);
  EXPECT_EQ(r.assumptions[0].where, "m.py:310 in forward");
  EXPECT_EQ(r.assumptions[0].count, 3);
  EXPECT_THAT(r.outputs, ElementsAre(1));
  ASSERT_EQ(r.optimizers.size(), 1);
  EXPECT_EQ(r.optimizers[0].options,
            (std::map<std::string, double>{{"lr", 0.5}, {"nesterov", 1.0}}));
}

TEST(RecordingReader, AnOpHasItsPlaceOperandsAndLine) {
  const Recording r = parse_recording(whole, "a.rec");
  ASSERT_EQ(r.ops.size(), 2);
  const Op& op = r.ops[0];
  EXPECT_EQ(op.line, 12);  // blank lines count, and say nothing
  EXPECT_EQ(r.name_of(op), "aten.mm");
  EXPECT_EQ(r.place_of(op), (Place{Part::backward, 1, true, 1, DType::bf16}));
  ASSERT_EQ(op.in.size(), 4);
  EXPECT_EQ(std::get<TensorId>(op.in[0]), 0);
  EXPECT_EQ(std::get<TensorId>(op.in[1]), absent);
  EXPECT_THAT(std::get<std::vector<TensorId>>(op.in[2]), ElementsAre(0, 1));
  EXPECT_EQ(std::get<TensorId>(op.in[3]), python_number);
  EXPECT_EQ(op.arguments.at("alpha").get<int>(), 2);
  EXPECT_THAT(op.writes, ElementsAre(0));
  ASSERT_EQ(r.frees.size(), 1);
  EXPECT_EQ(r.frees[0].op, 2);
}

TEST(RecordingReader, AStorageIsBornWithTheNextOp) {
  const Recording r = parse_recording(whole, "a.rec");
  EXPECT_THAT(r.born, ElementsAre(0, 0));
  RecordingText text;
  const int a = text.tensor("f32", {4});
  text.op("aten.zeros", {}, {a});
  const int b = text.tensor("f32", {4});
  text.op("aten.relu", {a}, {b});
  EXPECT_THAT(text.read().born, ElementsAre(0, 1));
}

TEST(RecordingReader, UnknownKeysAreIgnored) {
  const Recording r = parse_recording(
      "{\"rooflab_recording\":1,\"later\":[1]}\n{\"at\":\"forward\",\"thread\":3}\n"
      "{\"end\":true}\n",
      "a.rec");
  EXPECT_THAT(r.ops, IsEmpty());
  EXPECT_FALSE(r.batch.has_value());
}

TEST(RecordingReader, TheLastLineNeedsNoLineEnd) {
  EXPECT_NO_THROW((void)parse_recording("{\"rooflab_recording\":1}\n{\"end\":true}", "a.rec"));
}

// Complex numbers are pairs of real ones, side by side.
TEST(RecordingReader, AComplexTypeIsARealOneWithAnExtentOfTwo) {
  const Recording r = parse_recording(
      "{\"rooflab_recording\":1}\n{\"layout\":\"c64\",\"shape\":[4,8]}\n"
      "{\"layout\":\"c128\",\"shape\":[4,8],\"strides\":[1,4]}\n{\"end\":true}\n",
      "a.rec");
  EXPECT_EQ(r.layouts[0].type, (graph::TensorType{DType::f32, {4, 8, 2}}));
  EXPECT_THAT(r.layouts[0].strides, ElementsAre(16, 2, 1));
  EXPECT_EQ(r.layouts[1].type, (graph::TensorType{DType::f64, {4, 8, 2}}));
  EXPECT_THAT(r.layouts[1].strides, ElementsAre(2, 8, 1));
}

// A storage that grows takes the larger size from the start, so that no peak is missed.
TEST(RecordingReader, AResizedStorageHasItsLargestSize) {
  const Recording r = parse_recording(
      "{\"rooflab_recording\":1}\n{\"storage\":0,\"bytes\":16}\n{\"storage\":0,\"bytes\":64}\n"
      "{\"storage\":0,\"bytes\":8}\n{\"end\":true,\"storages\":3}\n",
      "a.rec");
  ASSERT_EQ(r.storages.size(), 1);
  EXPECT_EQ(r.storages[0].bytes, Bytes(64));
}

TEST(RecordingReader, AParameterKeepsItsRole) {
  RecordingText text;
  (void)text.parameter("f32", {4}, "w");
  text.line(R"({"role":"optimizer","storages":[[0,"other"]]})");
  EXPECT_EQ(text.read().storages[0].role, schedule::Role::parameter);
  EXPECT_EQ(text.read().storages[0].name, "w");
}

// Contradictions -------------------------------------------------------------------------------

TEST(RecordingReader, AKeyThatIsThereTwiceIsAnErrorWithItsLine) {
  EXPECT_EQ(complaint(R"({"op":"aten.mm","in":[],"op":"aten.bmm","out":[]})"),
            "2: the key 'op' is there twice");
  EXPECT_EQ(complaint(R"({"layout":"f32","shape":[2],"shape":[4]})"),
            "2: the key 'shape' is there twice");
}

TEST(RecordingReader, AnEndThatSaysNoIsAnError) {
  EXPECT_EQ(complaint(R"({"end":false,"ops":0})"), "2: 'end' must be true");
  EXPECT_EQ(complaint(R"({"end":0})"), "2: 'end' must be true");
}

TEST(RecordingNotes, NameABatchThatNoInputHas) {
  const auto notes = [](std::int64_t batch, const std::vector<std::int64_t>& shape) {
    RecordingText text(format(R"(,"batch":{})", batch));
    (void)text.input("f32", shape);
    return texts_of(notes_of(text.read()));
  };
  EXPECT_THAT(notes(7, {4, 3}),
              ElementsAre("the recording says batch 7, which divides no extent of an input: "
                          "samples/s are computed with it"));
  EXPECT_THAT(notes(7, {7, 3}), IsEmpty());
  EXPECT_THAT(notes(7, {3, 7}), IsEmpty());
  EXPECT_THAT(notes(7, {14}), IsEmpty());  // two tokens of each sample
}

// Files ----------------------------------------------------------------------------------------

TEST(RecordingReader, AFileIsToldByItsFirstLine) {
  const TemporaryFolder folder("recordings");
  const auto plain = folder.file("plain.txt");
  write_file_atomically(plain, whole);
  const auto packed = folder.file("packed.bin");
  write_file_atomically(packed, packed_by_gzip(whole));
  const auto foreign = folder.file("foreign.rec.jsonl");
  write_file_atomically(foreign, "{\"schema\": 2}\n");
  EXPECT_TRUE(is_recording(plain));
  EXPECT_TRUE(is_recording(packed));
  EXPECT_FALSE(is_recording(foreign));
  EXPECT_FALSE(is_recording(folder.file("missing")));
  EXPECT_FALSE(is_recording(folder.path()));
  EXPECT_EQ(read_recording(plain).ops.size(), 2);
  EXPECT_EQ(read_recording(packed).ops.size(), 2);
  EXPECT_EQ(read_recording(packed).file, packed.string());
}

// What cannot be read must not be taken for another kind of file.
TEST(RecordingReader, AFileThatCannotBeReadIsAnError) {
  const TemporaryFolder folder("recordings");
  const auto loop = folder.file("loop");
  std::filesystem::create_symlink(loop, loop);
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)is_recording(loop); }),
              HasSubstr("Too many levels of symbolic links"));
}

TEST(RecordingReader, AnEmptyFileIsNoRecording) {
  const TemporaryFolder folder("recordings");
  const auto file = folder.file("empty");
  write_file_atomically(file, "");
  EXPECT_FALSE(is_recording(file));
  EXPECT_THAT(thrown_message(ErrorKind::input, [&] { (void)read_recording(file); }),
              HasSubstr("is empty"));
  EXPECT_STREQ(error_in("").what(), "this is not a recording: it is empty");
  EXPECT_STREQ(error_in("\n\n").what(), "this is not a recording: it is empty");
}

TEST(RecordingReader, DamagedCompressionIsSaid) {
  std::string packed = packed_by_gzip(whole);
  const Error cut = error_in(packed.substr(0, packed.size() / 2));
  EXPECT_THAT(cut.what(), HasSubstr("ends"));
  EXPECT_EQ(cut.hint(), "record it again");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);  // its checksum
  EXPECT_THAT(error_in(packed).what(), HasSubstr("checksum"));
}

TEST(RecordingReader, AForeignFileIsNoRecording) {
  EXPECT_STREQ(error_in("\x08\x01 onnx").what(),
               "this is not a recording: its first line is not JSON");
  const Error error = error_in("{\"schema\":2}\n");
  EXPECT_STREQ(error.what(), "this is not a recording");
  EXPECT_EQ(error.hint(), "rooflab.record() of Python writes one");
  EXPECT_EQ(error.location().line, 1);
}

TEST(RecordingReader, ANewerVersionIsRefused) {
  const Error error = error_in("{\"rooflab_recording\":2}\n");
  EXPECT_STREQ(error.what(), "the recording has version 2 of the format, this program reads 1");
  EXPECT_EQ(error.hint(), "a newer rooflab reads it");
  EXPECT_STREQ(error_in("{\"rooflab_recording\":0}\n").what(),
               "the version of the format must be 1 or more");
  EXPECT_STREQ(error_in("{\"rooflab_recording\":\"1\"}\n").what(),
               "'rooflab_recording' must be a whole number");
}

TEST(RecordingReader, ARecordingThatEndsEarlyIsRefused) {
  const std::string text(whole);
  const Error error = error_in(text.substr(0, text.rfind("{\"end\"")));
  EXPECT_STREQ(error.what(), "the recording ends early: its last line is missing");
  EXPECT_EQ(error.hint(), "the program was stopped while it recorded: record it again");
  EXPECT_EQ(error.location().line, 19);
  EXPECT_THAT(error_in(text.substr(0, text.size() - 5)).what(), HasSubstr("not JSON"));
}

TEST(RecordingReader, AHugeLineIsRefused) {
  const std::string line(std::size_t{65} << 20U, ' ');
  EXPECT_EQ(complaint(line), "2: a line is longer than 64 MiB");
  EXPECT_EQ(complaint(line + "\n"), "2: a line is longer than 64 MiB");
}

// Lines ------------------------------------------------------------------------------------------

TEST(RecordingReader, ALineIsAnObjectOfAKnownKind) {
  EXPECT_EQ(complaint("{\"op\":"), "2: this line is not JSON");
  EXPECT_EQ(complaint("[1]\n"), "2: a line must be an object with a key");
  EXPECT_EQ(complaint("{}\n"), "2: a line must be an object with a key");
  EXPECT_EQ(complaint("\n{\"kernel\":1}\n"), "3: unknown kind of line 'kernel'");
  EXPECT_EQ(complaint("{\"end\":true}\n\n{\"free\":[]}\n"), "4: a line follows the line 'end'");
}

TEST(RecordingReader, EveryKeyHasItsType) {
  EXPECT_EQ(complaint("{\"layout\":\"f33\",\"shape\":[]}"), "2: unknown element type 'f33'");
  EXPECT_EQ(complaint("{\"layout\":1,\"shape\":[]}"), "2: 'layout' must be a text");
  EXPECT_EQ(complaint("{\"layout\":\"f32\"}"), "2: 'shape' is missing");
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":4}"), "2: 'shape' must be a list");
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":[0.5]}"), "2: 'shape' must be a whole number");
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":[-1]}"),
            "2: an extent of 'shape' is out of range");
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":[2],\"strides\":[1,2]}"),
            "2: 'strides' and 'shape' differ in length");
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":[2],\"strides\":[-1]}"),
            "2: a stride is out of range");
  EXPECT_EQ(complaint("{\"storage\":0,\"bytes\":-1}"), "2: 'bytes' is out of range");
  EXPECT_EQ(complaint("{\"storage\":0,\"bytes\":18446744073709551615}"),
            "2: 'bytes' is out of range");
  EXPECT_EQ(complaint("{\"storage\":0}"), "2: 'bytes' is missing");
  EXPECT_EQ(complaint("{\"storage\":0,\"bytes\":1,\"before\":1}"),
            "2: 'before' must be true or false");
  EXPECT_EQ(complaint("{\"storage\":0,\"bytes\":1,\"role\":\"weight\"}"),
            "2: unknown role 'weight'");
  EXPECT_EQ(complaint("{\"at\":\"warmup\"}"), "2: unknown pass 'warmup'");
  EXPECT_EQ(complaint("{\"at\":\"forward\",\"autocast\":\"half\"}"),
            "2: unknown type in 'autocast'");
  EXPECT_EQ(complaint("{\"op\":1}"), "2: 'op' must be a text");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"in\":1}"), "2: 'in' must be a list");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"args\":[]}"), "2: 'args' must be an object");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"in\":[],\"wrapped\":0}"), "2: 'wrapped' is out of range");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"in\":[],\"writes\":[0]}"),
            "2: 'writes' names argument 0, the op has 0");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"call\":-1}"), "2: 'call' is out of range");
  EXPECT_EQ(complaint("{\"free\":1}"), "2: 'free' must be a list");
  EXPECT_EQ(complaint("{\"output\":1}"), "2: 'output' must be a list");
  EXPECT_EQ(complaint("{\"role\":\"input\"}"), "2: 'storages' is missing");
  EXPECT_EQ(complaint("{\"role\":\"input\",\"storages\":[1]}"),
            "2: 'storages' must be pairs of number and name");
  EXPECT_EQ(complaint("{\"role\":\"input\",\"storages\":3}"), "2: 'storages' must be a list");
  EXPECT_EQ(complaint("{\"optimizer\":null}"), "2: 'optimizer' must be a text");
  EXPECT_EQ(complaint("{\"gap\":\"triton\",\"count\":-1}"), "2: 'count' must not be negative");
  EXPECT_EQ(complaint("{\"assumed\":\"item\",\"where\":1}"), "2: 'where' must be a text");
  const Error error = error_in("{\"rooflab_recording\":1,\"batch\":0}");
  EXPECT_STREQ(error.what(), "'batch' must be 1 or more");
}

TEST(RecordingReader, ATensorThatIsTooLargeIsRefused) {
  EXPECT_THAT(complaint("{\"layout\":\"f32\",\"shape\":[281474976710656,281474976710656]}"),
              HasSubstr("2: "));
  EXPECT_EQ(complaint("{\"layout\":\"f32\",\"shape\":[281474976710657]}"),
            "2: an extent of 'shape' is out of range");
}

TEST(RecordingReader, NumbersComeInOrder) {
  EXPECT_EQ(complaint("{\"module\":1}"), "2: module 1 is not the next one (0)");
  EXPECT_EQ(complaint("{\"module\":0,\"root\":1}"), "2: root 1 was not named before");
  EXPECT_EQ(complaint("{\"storage\":1,\"bytes\":0}"), "2: storage 1 is not the next one (0)");
  EXPECT_EQ(complaint("{\"storage\":-1,\"bytes\":0}"), "2: storage -1 is not the next one (0)");
  const std::string layout = "{\"layout\":\"f32\",\"shape\":[]}\n{\"storage\":0,\"bytes\":4}\n";
  EXPECT_EQ(complaint(layout + "{\"tensor\":1,\"layout\":0,\"storage\":0}"),
            "4: tensor 1 is not the next one (0)");
  EXPECT_EQ(complaint(layout + "{\"tensor\":0,\"layout\":1,\"storage\":0}"),
            "4: layout 1 was not named before");
  EXPECT_EQ(complaint(layout + "{\"tensor\":0,\"layout\":0,\"storage\":1}"),
            "4: storage 1 was not named before");
  EXPECT_EQ(complaint(layout + "{\"tensor\":0,\"layout\":0,\"storage\":0,\"offset\":-1}"),
            "4: 'offset' is out of range");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"in\":[0]}"), "2: tensor 0 was not named before");
  EXPECT_EQ(complaint("{\"op\":\"a\",\"out\":[[0]]}"), "2: tensor 0 was not named before");
  EXPECT_EQ(complaint("{\"at\":\"forward\",\"module\":0}"), "2: module 0 was not named before");
  EXPECT_EQ(complaint("{\"free\":[0]}"), "2: storage 0 was not named before");
  EXPECT_EQ(complaint("{\"output\":[0]}"), "2: tensor 0 was not named before");
  EXPECT_EQ(complaint(layout + "{\"free\":[0]}\n{\"free\":[0]}"), "5: storage 0 is freed twice");
}

// 100,000 x 100,000 numbers of 4 bytes in a storage of 4: its memory would be that of the storage.
TEST(RecordingReader, ATensorOutsideOfItsStorageIsRefused) {
  const std::string layout = R"({"layout":"f32","shape":[100000,100000]})";
  EXPECT_EQ(complaint(layout + "\n" + R"({"storage":0,"bytes":4,"device":"cuda:0"})" + "\n" +
                      R"({"tensor":0,"layout":0,"storage":0})" + "\n{\"end\":true}"),
            "5: tensor 0 reaches 40000000000 bytes of storage 0, which has 4");
}

TEST(RecordingReader, TheCountsOfTheLastLineMustAgree) {
  EXPECT_EQ(complaint("{\"end\":true,\"ops\":1}"),
            "2: the line 'end' says ops: 1, but there are 0");
  EXPECT_EQ(complaint("{\"end\":true,\"storages\":2}"),
            "2: the line 'end' says storages: 2, but there are 0");
  EXPECT_EQ(complaint("{\"end\":true,\"frees\":2}"),
            "2: the line 'end' says frees: 2, but there are 0");
  const Error error = error_in(std::string(first_line) + "{\"end\":true,\"ops\":3}");
  EXPECT_EQ(error.hint(), "lines of the recording are missing: record it again");
}

// ---- generation ---------------------------------------------------------------------------------

TEST(RecordingReader, ContextAndCache) {
  RecordingText text(R"(,"batch":2,"context":24)");
  const int cache = text.tensor("f32", {2, 24}, R"(,"role":"cache","before":true)");
  const int grown = text.tensor("f32", {2, 25});
  text.op("aten.cat", {Slot::list({cache})}, {grown});
  text.line(R"({"role":"cache","storages":[[1,null]]})");
  const Recording r = text.read();
  EXPECT_EQ(r.context, 24);
  EXPECT_EQ(r.storages[0].role, schedule::Role::cache);
  EXPECT_EQ(r.storages[1].role, schedule::Role::cache);
  const schedule::Schedule schedule = lower(r);
  EXPECT_EQ(schedule.context, 24);
  EXPECT_EQ(schedule.storages[0].role, schedule::Role::cache);
  EXPECT_FALSE(RecordingText(R"(,"context":null)").read().context);
  EXPECT_STREQ(error_in("{\"rooflab_recording\":1,\"context\":-1}").what(),
               "'context' must be 0 or more");
  EXPECT_STREQ(error_in("{\"rooflab_recording\":1,\"context\":\"long\"}").what(),
               "'context' must be a whole number");
}

TEST(RecordingReader, NumbersOfAProfileAreRead) {
  // The third line has the compact form of the second.
  const Recording recording = parse_recording(
      std::string(first_line) +
          "{\"op\":\"aten.mm\",\"call\":7,\"in\":[],\"out\":[],\"args\":{\"a\":1}}\n"
          "{\"op\":\"aten.mm\",\"call\":19,\"in\":[],\"out\":[],\"args\":{\"a\":1}}\n"
          "{\"op\":\"aten.t\",\"in\":[],\"out\":[]}\n{\"end\":true}\n",
      "a.rec");
  ASSERT_EQ(recording.ops.size(), 3U);
  EXPECT_EQ(recording.ops[0].call, 7);
  EXPECT_EQ(recording.ops[1].call, 19);
  EXPECT_EQ(recording.ops[2].call, -1);
  EXPECT_EQ(recording.ops[1].arguments, recording.ops[0].arguments);
}

}  // namespace
}  // namespace rooflab::recording
