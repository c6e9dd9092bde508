// Parameters and buffers of recordings: those that nothing uses, several in one storage, and
// offsets of complex numbers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/format.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {
namespace recorded_parameters {

Recording recorded(const std::string& lines, int ops, int storages) {
  return parse_recording(
      format("{{\"rooflab_recording\":1,\"name\":\"Net\",\"batch\":1,\"grad\":false}}\n{}"
             "{{\"end\":true,\"ops\":{},\"storages\":{},\"frees\":0}}\n",
             lines, ops, storages),
      "net.rec.jsonl");
}

/// Elements of the parameters by name.
std::map<std::string, std::int64_t> parameters_of(const Recording& recording) {
  std::map<std::string, std::int64_t> all;
  for (const graph::Value& value : lower(recording).graph.values) {
    if (value.kind == graph::ValueKind::parameter) all[value.name] = value.type.shape.elements();
  }
  return all;
}

}  // namespace recorded_parameters

using recorded_parameters::parameters_of;
using recorded_parameters::recorded;
using testing::ElementsAre;
using testing::Pair;

TEST(RecordedParameters, OneThatNoOperationUses) {
  const Recording recording = recorded(
      R"({"storage":0,"bytes":40,"device":"cpu","role":"parameter","name":"unused","before":true}
{"layout":"f32","shape":[2,5]}
{"tensor":0,"layout":0,"storage":0}
{"storage":1,"bytes":12,"device":"cpu","role":"buffer","name":"table","before":true}
{"layout":"f32","shape":[3]}
{"tensor":1,"layout":1,"storage":1}
)",
      0, 2);
  EXPECT_THAT(parameters_of(recording), ElementsAre(Pair("unused", 10)));
}

// 100 numbers: [0, 16) and [16, 32) are parameters, and so is every other number of [32, 52). Not
// parameters are a tensor across the first two, and the view that an op makes.
TEST(RecordedParameters, SeveralInOneStorage) {
  const Recording recording = recorded(
      R"({"storage":0,"bytes":400,"device":"cpu","role":"parameter","name":"scale","before":true}
{"layout":"f32","shape":[16]}
{"tensor":0,"layout":0,"storage":0}
{"tensor":1,"layout":0,"storage":0,"offset":16}
{"layout":"f32","shape":[10],"strides":[2]}
{"tensor":2,"layout":1,"storage":0,"offset":32}
{"tensor":3,"layout":0,"storage":0,"offset":8}
{"at":"forward"}
{"layout":"f32","shape":[4]}
{"tensor":4,"layout":2,"storage":0,"offset":60}
{"op":"aten.slice","in":[0],"out":[4],"args":{"end":4}}
)",
      1, 1);
  EXPECT_THAT(parameters_of(recording),
              ElementsAre(Pair("scale", 16), Pair("scale from 16", 16), Pair("scale from 32", 10)));
}

// 8 complex numbers of 8 bytes: the second half begins at number 4, which is part 8.
TEST(RecordedParameters, OffsetsOfComplexNumbersCountTheirParts) {
  const Recording recording = recorded(
      R"({"storage":0,"bytes":64,"device":"cpu","role":"parameter","name":"w","before":true}
{"layout":"c64","shape":[4]}
{"tensor":0,"layout":0,"storage":0}
{"tensor":1,"layout":0,"storage":0,"offset":4}
)",
      0, 1);
  EXPECT_EQ(recording.tensors[1].offset, 8);
  EXPECT_THAT(parameters_of(recording), ElementsAre(Pair("w", 8), Pair("w from 8", 8)));
}

}  // namespace rooflab::recording
