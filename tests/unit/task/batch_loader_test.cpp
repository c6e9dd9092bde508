#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "system/temporary_folder.hpp"
#include "task/size_loader.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;

ChosenNetwork network_of(const std::string& model) {
  ChosenNetwork network;
  network.model = model;
  network.settings.phase = {Phase::inference};
  return network;
}

std::string text_of(const LoadedModel& loaded) { return graph::to_text(loaded.graph); }

TEST(BatchLoader, GivesWhatTheNetworkGives) {
  const std::string folder = ROOFLAB_SOURCE_DIR "/tests/data/accuracy/onnx/";
  for (const std::string& model :
       {std::string("resnet18"), std::string("googlenet"),
        folder + "gpt2-512.onnx",  // a mask with the batch in it: read for each
        folder + "bert-512.onnx"}) {
    const ChosenNetwork network = network_of(model);
    BatchLoader loader(network);
    for (const std::int64_t batch : {1, 4, 3, 1, 16, 2}) {
      const LoadedModel loaded = loader.load({{"batch", batch}});
      EXPECT_EQ(text_of(loaded), text_of(network.load({{"batch", batch}}))) << model << batch;
      EXPECT_EQ(loaded.name, model);
    }
  }
}

// Two sizes beyond 1 say how others are made; the file is no longer needed.
TEST(BatchLoader, ReadsAFileThreeTimes) {
  const TemporaryFolder folder("batch-loader-test");
  const fs::path file = folder.file("bert.onnx");
  fs::copy_file(ROOFLAB_SOURCE_DIR "/tests/data/accuracy/onnx/bert-128.onnx", file);
  const ChosenNetwork network = network_of(file.string());
  BatchLoader loader(network);
  for (const std::int64_t batch : {1, 2, 3}) (void)loader.load({{"batch", batch}});
  fs::remove(file);
  EXPECT_EQ(loader.load({{"batch", 5}}).graph.batch(), 5);
  EXPECT_EQ(loader.load({{"batch", 1}}).graph.batch(), 1);
  EXPECT_THROW((void)network.load({{"batch", 5}}), Error);
}

TEST(BatchLoader, SaysWhatLoadingSays) {
  const ChosenNetwork network = network_of("resnet18");
  BatchLoader loader(network);
  (void)loader.load({{"batch", 1}});
  (void)loader.load({{"batch", 2}});
  for (const std::int64_t batch : {std::int64_t{0}, std::int64_t{1} << 60}) {
    const Error expected = thrown_error([&] { return network.load({{"batch", batch}}); });
    const Error error = thrown_error([&] { return loader.load({{"batch", batch}}); });
    EXPECT_NE(expected.full_message(), "");
    EXPECT_EQ(error.full_message(), expected.full_message());
  }
}

std::string lines_of(const LoadedModel& loaded) {
  std::string text;
  for (const schedule::ScheduledOp& op : loaded.recorded->ops) {
    text += format(
        "{} {}\n", loaded.recorded->name_of(op),
        op.writes.empty() ? "" : loaded.recorded->tensor(op.writes.front()).type.shape.to_string());
  }
  return text;
}

// A recording and those of other sizes are read once, whatever is asked of them.
TEST(BatchLoader, ReadsRecordingsOnce) {
  const TemporaryFolder folder("batch-loader-recordings");
  std::vector<std::string> files;
  for (const char* name : {"decode-b2-c24", "decode-b4-c24", "decode-b2-c40"}) {
    const std::string file = std::string(name) + ".rec.jsonl.gz";
    files.push_back(folder.file(file).string());
    fs::copy_file(std::string(ROOFLAB_SOURCE_DIR "/tests/data/recordings/") + file, files.back());
  }
  ChosenNetwork network;
  network.model = files[0];
  network.settings.recorded = {files[1], files[2]};
  const std::string expected = lines_of(network.load({{"batch", 3}, {"context", 56}}));
  BatchLoader loader(network);
  EXPECT_EQ(loader.load({}).recorded->context, 24);
  for (const std::string& file : files) fs::remove(file);
  const LoadedModel loaded = loader.load({{"batch", 3}, {"context", 56}});
  EXPECT_EQ(lines_of(loaded), expected);
  EXPECT_EQ(loaded.graph.batch(), 3);
  EXPECT_EQ(loaded.recorded->context, 56);
  EXPECT_EQ(loader.load({{"context", 7}}).graph.batch(), 2);
  EXPECT_EQ(
      lines_of(network_of(ROOFLAB_SOURCE_DIR "/tests/data/recordings/decode-b3-c56.rec.jsonl.gz")
                   .load({})),
      expected);
}

}  // namespace
}  // namespace rooflab::task
