#include <gtest/gtest.h>

#include "rooflab/predict/memory_model.hpp"

// Memory of a step whose lives were seen, as a recording has them. By hand: three ops.
//
//   bytes                          op 0   op 1   op 2
//   parameter           1000       1000   1000   1000
//   input                100        100    100    100
//   optimizer's state   2000       2000   2000   2000
//   old gradient        1000       1000                  left by the step before, freed after op 0
//   a                    500        500    500    500
//   b                    300               300           freed after op 1
//   new gradient        1000                     1000    outlives the step

namespace rooflab::predict {
namespace {

using schedule::Role;

constexpr std::size_t to_the_end = 3;

class RecordedMemory : public testing::Test {
 protected:
  RecordedMemory() {
    s_.phase = Phase::training;
    add(1000, Role::parameter, {0, to_the_end, true});
    add(100, Role::input, {0, to_the_end, true});
    add(2000, Role::optimizer_state, {0, to_the_end, true});
    old_gradient_ = add(1000, Role::parameter_gradient, {0, 0, true});
    const auto a = add(500, Role::activation, {0, 2, false});
    const auto b = add(300, Role::activation, {1, 1, false});
    new_gradient_ = add(1000, Role::parameter_gradient, {2, to_the_end, false});
    op(schedule::Pass::forward, {1, 0}, {a});
    op(schedule::Pass::forward, {a}, {b});
    op(schedule::Pass::weight_gradient, {a}, {new_gradient_});
    s_.forward_end = 2;
    s_.parameter_gradients = {new_gradient_};
    s_.saved = {a};
  }

  schedule::TensorId add(std::int64_t bytes, Role role, schedule::StorageLife life) {
    const auto id = static_cast<schedule::TensorId>(s_.tensors.size());
    s_.storages.push_back({Bytes(bytes), role});
    s_.tensors.push_back({{DType::u8, {bytes}}, {1}, id});
    s_.lives.push_back(life);
    return id;
  }
  void op(schedule::Pass pass, std::vector<schedule::TensorId> reads,
          std::vector<schedule::TensorId> writes) {
    schedule::ScheduledOp one;
    one.work = schedule::CopyWork{};
    one.pass = pass;
    one.reads = std::move(reads);
    one.writes = std::move(writes);
    s_.ops.push_back(std::move(one));
  }
  schedule::StorageLife& life_of(schedule::TensorId id) {
    return s_.lives[static_cast<std::size_t>(id)];
  }

  schedule::Schedule s_;
  schedule::TensorId old_gradient_ = -1;
  schedule::TensorId new_gradient_ = -1;
};

TEST_F(RecordedMemory, TheLargestSumOverTheOps) {
  const MemoryEstimate memory = estimate_memory(s_);
  EXPECT_EQ(memory.parameters, Bytes(1000));
  EXPECT_EQ(memory.input, Bytes(100));
  EXPECT_EQ(memory.optimizer, Bytes(2000));
  EXPECT_EQ(memory.gradients, Bytes(1000));  // the old ones are gone when the new ones come
  EXPECT_EQ(memory.peak_activations, Bytes(800));
  EXPECT_EQ(memory.saved_activations, Bytes(500));
  EXPECT_EQ(memory.allocated_peak, Bytes(4600));  // ops 0 and 2
}

// zero_grad() after the forward pass: the old gradients are there in addition to b.
TEST_F(RecordedMemory, OldGradientsThatStayLonger) {
  life_of(old_gradient_).last = 1;
  EXPECT_EQ(estimate_memory(s_).allocated_peak, Bytes(4900));
  life_of(old_gradient_).last = 2;  // set_to_none after the backward pass
  EXPECT_EQ(estimate_memory(s_).allocated_peak, Bytes(5600));
}

// Accumulation in place: one gradient is there all the time.
TEST_F(RecordedMemory, AGradientThatOutlivesBothSteps) {
  life_of(old_gradient_).last = to_the_end;
  s_.storages.back().bytes = Bytes(0);
  const MemoryEstimate memory = estimate_memory(s_);
  EXPECT_EQ(memory.gradients, Bytes(1000));
  EXPECT_EQ(memory.allocated_peak, Bytes(4900));  // op 1
}

// The allocator rounds to 512 bytes and takes segments of 2 MiB for small pieces: the second step's
// gradient takes the place of the first one's.
TEST_F(RecordedMemory, LeftOverGradientsTakeThePlacesOfTheNewOnes) {
  constexpr std::int64_t mib = 1 << 20;
  s_.storages[static_cast<std::size_t>(old_gradient_)].bytes = Bytes(64 * mib);
  s_.storages[static_cast<std::size_t>(new_gradient_)].bytes = Bytes(64 * mib);
  const MemoryEstimate memory = estimate_memory(s_);
  EXPECT_EQ(memory.gradients, Bytes(64 * mib));
  EXPECT_LT(memory.reserved, Bytes(2 * 64 * mib));  // two at once would need two segments
  EXPECT_GE(memory.reserved, Bytes(64 * mib));
  life_of(old_gradient_).last = 2;  // both at once
  EXPECT_GE(estimate_memory(s_).reserved, Bytes(2 * 64 * mib));
}

// A static cache of 400 B is there all the time: neither an activation nor a second time there.
TEST_F(RecordedMemory, ACacheIsAPartOfItsOwn) {
  EXPECT_FALSE(estimate_memory(s_).cache);
  add(400, Role::cache, {0, to_the_end, true});
  const MemoryEstimate memory = estimate_memory(s_);
  EXPECT_EQ(memory.cache, Bytes(400));
  EXPECT_EQ(memory.peak_activations, Bytes(800));
  EXPECT_EQ(memory.saved_activations, Bytes(500));
  EXPECT_EQ(memory.input, Bytes(100));
  EXPECT_EQ(memory.allocated_peak, Bytes(4600 + 400));
}

// A cache that grows: the new one of 450 B is made in op 1, the old one of 400 B goes behind it. By
// hand: op 0 has 4600 + 400 B; op 1 3900 + 400 + 450; op 2 4600 + 450.
TEST_F(RecordedMemory, AGrowingCacheIsThatWhichTheStepLeaves) {
  add(400, Role::cache, {0, 1, true});
  add(450, Role::cache, {1, to_the_end, false});
  const MemoryEstimate memory = estimate_memory(s_);
  EXPECT_EQ(memory.cache, Bytes(450));
  EXPECT_EQ(memory.peak_activations, Bytes(800));
  EXPECT_EQ(memory.allocated_peak, Bytes(5050));
  // A loop that keeps its results holds no second cache: the old one is the one left before.
  EXPECT_EQ(estimate_memory(s_, {GradientReset::after_loss, true}).allocated_peak, Bytes(5050));
}

// A prefill makes the cache. A loop that keeps it until the next one is there has two.
TEST_F(RecordedMemory, ACacheOfAPrefill) {
  add(450, Role::cache, {1, to_the_end, false});
  EXPECT_EQ(estimate_memory(s_).cache, Bytes(450));
  EXPECT_EQ(estimate_memory(s_, {GradientReset::after_loss, true}).allocated_peak,
            Bytes(4600 + 450 + 450));
}

// A step that drops its cache before it ends: the most at once, 300 + 200 B in op 1.
TEST_F(RecordedMemory, ACacheThatTheStepDrops) {
  add(300, Role::cache, {0, 1, false});
  add(200, Role::cache, {1, 2, false});
  EXPECT_EQ(estimate_memory(s_).cache, Bytes(500));
}

}  // namespace
}  // namespace rooflab::predict
