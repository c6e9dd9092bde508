// A decode step as one op still reads the tokens before: by hand, on a device of 100 B/s.

#include <gtest/gtest.h>

#include "../predict/toy_device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::task {
namespace {

constexpr std::string_view head =
    R"({"rooflab_recording":1,"writer":"test","framework":"torch 2.11.0","name":"Cache","batch":2,)"
    R"("context":1024,"grad":false,"values":true})"
    "\n"
    R"({"module":0,"name":"","class":"Cache","root":0,"training":false})"
    "\n";

predict::NetworkLimit limit_of(const std::string& lines) {
  const recording::Recording recorded =
      recording::parse_recording(std::string(head) + lines, "cache.rec.jsonl");
  device::Device device = predict::toy_device();
  return predict::limit_of(recording::lower(recorded), device);
}

// 2 samples, 8 heads, 1,024 tokens of 128 halves: 4,194,304 bytes of the cache, and 4,096 of the
// new token. The grown copy, which the step gives back, need not be written.
TEST(IdealOfACache, ReadsItOnceAndWritesNoGrownCopy) {
  const predict::NetworkLimit limit = limit_of(
      R"({"storage":0,"bytes":4194304,"device":"cuda:0","role":"cache","name":"keys","before":true}
{"layout":"bf16","shape":[2,8,1024,128]}
{"tensor":0,"layout":0,"storage":0}
{"storage":1,"bytes":4096,"device":"cuda:0","role":"input","before":true}
{"layout":"bf16","shape":[2,8,1,128]}
{"tensor":1,"layout":1,"storage":1}
{"at":"forward","module":0}
{"storage":2,"bytes":4198400,"device":"cuda:0"}
{"layout":"bf16","shape":[2,8,1025,128]}
{"tensor":2,"layout":2,"storage":2}
{"op":"aten.cat","in":[[0,1]],"out":[2],"args":{"dim":-2}}
{"role":"cache","storages":[[2,"keys"]]}
{"free":[0]}
{"output":[2]}
{"end":true,"ops":1,"storages":3,"frees":1}
)");
  EXPECT_EQ(limit.ideal_bytes, Bytes(4'194'304 + 4'096));
  ASSERT_TRUE(limit.ideal_time);
  EXPECT_DOUBLE_EQ(limit.ideal_time->value, 41'984.0);
}

// The recorder does not know that a tensor of a module is a cache, but it was there and is read:
// 512 of its 1,024 rows of 128 halves. What an op makes of it is the output, 512 x 128 x 2 bytes.
TEST(IdealOfACache, ReadsWhatAModuleKeptAsFarAsItIsUsed) {
  const predict::NetworkLimit limit =
      limit_of(R"({"storage":0,"bytes":262144,"device":"cuda:0","before":true}
{"layout":"bf16","shape":[1024,128]}
{"tensor":0,"layout":0,"storage":0}
{"layout":"bf16","shape":[512,128]}
{"tensor":1,"layout":1,"storage":0}
{"at":"forward","module":0}
{"op":"aten.slice","in":[0],"out":[1],"args":{"end":512}}
{"storage":1,"bytes":131072,"device":"cuda:0"}
{"tensor":2,"layout":1,"storage":1}
{"op":"aten.neg","in":[1],"out":[2]}
{"output":[2]}
{"end":true,"ops":2,"storages":2,"frees":0}
)");
  EXPECT_EQ(limit.ideal_bytes, Bytes(131'072 + 131'072));
}

}  // namespace
}  // namespace rooflab::task
