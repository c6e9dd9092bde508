#include "engine/stages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::engine {
namespace {

using record::Status;
using testing::ElementsAre;
using testing::HasSubstr;

StageRequest example() {
  graph::GraphBuilder b("net");
  graph::ValueId x = b.input("input", {8, 4});
  x = b.linear(x, "fc1", 4);
  x = b.unary(x, graph::UnaryFunction::tanh, "tanh");
  x = b.linear(x, "fc2", 2);
  StageRequest request;
  request.request.graph = std::move(b).finish({x});
  request.request.identity.model = "net";
  request.request.identity.device = "cpu,cpu";
  request.request.identity.batch = 8;
  request.request.settings.memory_limit_bytes = 8'000'000'000;
  request.cuts = {1};
  request.devices = {"cpu", "cpu"};
  request.micro_batches = 4;
  request.warmup_steps = 3;
  return request;
}

TEST(Stages, RequestReadsWhatItWrote) {
  const StageRequest request = example();
  const StageRequest read = from_file_json<StageRequest>(file_json(request), "x.json");
  EXPECT_EQ(read.cuts, request.cuts);
  EXPECT_EQ(read.devices, request.devices);
  EXPECT_EQ(read.micro_batches, 4);
  EXPECT_EQ(read.warmup_steps, 3);
  EXPECT_EQ(read.request.settings.memory_limit_bytes, 8'000'000'000);
  EXPECT_EQ(graph::to_text(read.request.graph), graph::to_text(request.request.graph));
}

TEST(Stages, RequestRefusesDevicesThatAreNotOneMoreThanTheCuts) {
  Json json = file_json(example());
  json["devices"] = {"cpu"};
  try {
    (void)from_file_json<StageRequest>(json, "x.json");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), HasSubstr("'devices' must be one more than the 1 cuts"));
  }
}

TEST(Stages, RunInTheWorker) {
  const record::StageRun run = run_stages(example(), {.worker = ROOFLAB_FAKE_WORKER});
  EXPECT_EQ(run.status, Status::ok) << run.message;
  EXPECT_THAT(run.cuts, ElementsAre(1));
  ASSERT_EQ(run.stages.size(), 2U);
  EXPECT_EQ(run.stages[0].last, "fc1");
  EXPECT_EQ(run.stages[1].first, "tanh");
  EXPECT_EQ(run.stages[1].received, Bytes(8 * 4 * 4));
}

}  // namespace
}  // namespace rooflab::engine
