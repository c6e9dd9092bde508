#include "rooflab/analyze/counted_layers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "analyze/analyze_notes.hpp"
#include "counted_records.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

CountedLayers counted(record::Record record) {
  const device::Catalog catalog({counted_device()});
  auto result = measured_case_of(std::move(record), catalog).counted;
  EXPECT_TRUE(result.has_value());
  return result.value_or(CountedLayers());
}

const CountedLayer& layer_of(const CountedLayers& all, std::string_view name) {
  static const CountedLayer none;
  const auto found = std::ranges::find(all.layers, name, &CountedLayer::name);
  EXPECT_NE(found, all.layers.end()) << name;
  return found == all.layers.end() ? none : *found;
}

/// The example's network with a single kernel for the convolution.
CountedLayers one_kernel(const CountedKernel& kernel, Precision precision = Precision::tf32) {
  record::Record record = counted_record();
  record.identity.precision = precision;
  add_kernel(*record.kernels, kernel);
  return counted(std::move(record));
}

TEST(CountedLayers, NoneWithoutCounting) {
  record::Record record = counted_record();
  record.counting.reset();
  const device::Catalog catalog({counted_device()});
  EXPECT_FALSE(measured_case_of(record, catalog).counted);
}

TEST(CountedLayers, KernelsOfANodeAddUp) {
  const CountedLayers all = counted(counted_example());
  ASSERT_EQ(all.layers.size(), 3U);
  const CountedLayer& conv = all.layers[0];
  EXPECT_EQ(conv.name, "conv");
  EXPECT_EQ(conv.op, "conv2d");
  EXPECT_EQ(conv.op_class, OpClass::convolution);
  EXPECT_EQ(conv.sums.launches, 2U);
  EXPECT_DOUBLE_EQ(*conv.sums.at(KernelFigure::time_s), 1e-4);
  EXPECT_DOUBLE_EQ(conv.time_share.value(), 0.5);
  EXPECT_EQ(conv.sums.at(KernelFigure::fp32_flops), 602'112.0);  // 2 x (100352 + 200704)
  EXPECT_EQ(conv.sums.at(KernelFigure::tensor_flops), 245'366'784.0);
  EXPECT_EQ(conv.sums.at(KernelFigure::flops), 245'968'896.0);
  EXPECT_EQ(conv.sums.at(KernelFigure::dram_bytes), 5'400'000.0);
  EXPECT_EQ(conv.sums.at(KernelFigure::l2_bytes), 13'000'000.0);
  EXPECT_DOUBLE_EQ(*conv.sums.at(KernelFigure::sm_clock_hz), 0.9e9);
  EXPECT_DOUBLE_EQ(*conv.sums.at(record::KernelFigure::intensity), 245'968'896.0 / 5'400'000.0);
  EXPECT_DOUBLE_EQ(*conv.sums.at(record::KernelFigure::flops_per_s), 2.45968896e12);
  EXPECT_DOUBLE_EQ(*conv.sums.at(record::KernelFigure::bytes_per_s), 5.4e10);
  EXPECT_EQ(conv.model->matrix_flops, Flops(231'211'008));
  EXPECT_EQ(conv.model->compulsory_bytes, Bytes(1'392'640));
  EXPECT_DOUBLE_EQ(*conv.bytes_ratio(), 5'400'000.0 / 1'392'640.0);
  EXPECT_THAT(conv.sums.tensor_by_type(),
              ElementsAre(std::pair(KernelFigure::tensor_tf32, 245'366'784.0),
                          std::pair(KernelFigure::tensor_bf16, 0.0)));
}

TEST(CountedLayers, WhatHasNoNodeAndWhatHasNoKernel) {
  const CountedLayers all = counted(counted_example());
  EXPECT_EQ(all.without_node, 1U);
  EXPECT_EQ(all.layers.back().name, "(no node)");
  EXPECT_EQ(all.layers.back().sums.at(KernelFigure::flops), 1000.0);
  EXPECT_FALSE(all.layers.back().model);
  EXPECT_FALSE(all.layers.back().flops_gap);
  EXPECT_THAT(all.without_kernels, ElementsAre("pool"));
}

TEST(CountedLayers, TotalsAndTheWholeStep) {
  const CountedLayers all = counted(counted_example());
  EXPECT_EQ(all.total.sums.launches, 4U);
  EXPECT_EQ(all.total.sums.count(KernelFigure::flops), 4U);
  EXPECT_EQ(all.total.sums.at(KernelFigure::flops), 245'969'896.0);
  EXPECT_EQ(all.total.sums.at(KernelFigure::dram_bytes), 5'403'024.0);
  EXPECT_DOUBLE_EQ(*all.total.sums.at(KernelFigure::time_s), 2e-4);
  EXPECT_EQ(all.total.model->matrix_flops, Flops(231'211'008));
  ASSERT_TRUE(all.step);
  EXPECT_EQ(all.step->at(KernelFigure::dram_bytes), 1'500'000.0);
  EXPECT_FALSE(all.step->at(KernelFigure::flops));  // CUDA cores cannot be counted over a step
  EXPECT_THAT(all.step_differences, ElementsAre(HasValue(says.traffic_one_by_one, 1.5e6)));
  record::Record other = counted_example();
  other.counting->step->set(KernelFigure::tensor_tf32, 0, 300'000'000);
  other.counting->step->set(KernelFigure::dram_read_bytes, 0, 4'900'000);
  EXPECT_THAT(counted(other).step_differences, ElementsAre(HasValue(says.steps_not_alike, 300e6)));
}

TEST(CountedLayers, PaddingIsTold) {
  const CountedLayer conv = layer_of(counted(counted_example()), "conv");
  ASSERT_TRUE(conv.flops_gap);
  EXPECT_EQ(conv.flops_gap->cause, GapCause::padding);
  EXPECT_THAT(conv.flops_gap->text, HasSubstr("1.06 times the direct count: tiles of 64 x 32 round"
                                              " pixels 784 to 832"));
}

TEST(CountedLayers, LayoutConversionIsTold) {
  const CountedLayer conv = layer_of(counted(counted_example()), "conv");
  ASSERT_TRUE(conv.bytes_gap);
  EXPECT_EQ(conv.bytes_gap->cause, GapCause::layout_conversion);
  EXPECT_THAT(conv.bytes_gap->text,
              HasSubstr("1 of 2 kernels rearrange data (void engines_precompiled::nchwToNhwcKernel"
                        "<float>) and move 4 MB of the 4.007 MB too much"));
}

TEST(CountedLayers, CacheHitsAndConventions) {
  const CountedLayer relu = layer_of(counted(counted_example()), "relu");
  ASSERT_TRUE(relu.flops_gap);
  EXPECT_EQ(relu.flops_gap->cause, GapCause::conventions);
  EXPECT_THAT(relu.flops_gap->text, HasSubstr("a comparison is one for the model"));
  ASSERT_TRUE(relu.bytes_gap);
  EXPECT_EQ(relu.bytes_gap->cause, GapCause::cache_hits);
  EXPECT_THAT(relu.bytes_gap->text,
              HasSubstr("L2 was asked for 802.8 kB and DRAM moved 1.024 kB: the rest hit in L2"
                        " (operands of 802.8 kB; the cache holds 50 MB)"));
}

TEST(CountedLayers, GapsByAbsoluteDifference) {
  const CountedLayers all = counted(counted_example());
  std::vector<std::string> names;
  for (const CountedLayer* layer : all.largest_flops_gaps()) names.push_back(layer->name);
  EXPECT_THAT(names, ElementsAre("conv", "relu"));  // 14.8 M against 0.1 M
  names.clear();
  for (const CountedLayer* layer : all.largest_bytes_gaps()) names.push_back(layer->name);
  EXPECT_THAT(names, ElementsAre("conv", "relu"));  // 4.0 MB against 0.8 MB
}

TEST(CountedLayers, WithinTheThresholdThereIsNoGap) {
  // 4.9 % more FLOPs, 19 % more bytes.
  const CountedLayer conv = layer_of(
      one_kernel({.name = "k", .scope = 1, .tensor = 242'540'000, .dram = 1'657'000}), "conv");
  EXPECT_FALSE(conv.flops_gap);
  EXPECT_FALSE(conv.bytes_gap);
  EXPECT_EQ(conv.remark, "");
}

TEST(CountedLayers, WinogradAndFftByName) {
  const CountedLayer winograd =
      layer_of(one_kernel({.name = "void cudnn::winograd::generateWinogradTilesKernel<0, float>",
                           .scope = 1,
                           .ffma = 52'000'000,
                           .dram = 1'400'000}),
               "conv");
  ASSERT_TRUE(winograd.flops_gap);
  EXPECT_EQ(winograd.flops_gap->cause, GapCause::winograd);
  EXPECT_THAT(winograd.flops_gap->text, HasSubstr("0.45 times the direct count: Winograd"));
  EXPECT_EQ(winograd.remark, "its matrix products ran on CUDA cores, not on tensor cores");
  const CountedLayer fft =
      layer_of(one_kernel({.name = "fft2d_r2c_32x32", .scope = 1, .ffma = 1e6}), "conv");
  EXPECT_EQ(fft.flops_gap->cause, GapCause::fft);
}

TEST(CountedLayers, ThreeProductsForOne) {
  const CountedLayer conv = layer_of(
      one_kernel({.name = "k", .scope = 1, .tensor = 3 * 231'211'008.0}, Precision::fp32), "conv");
  EXPECT_EQ(conv.flops_gap->cause, GapCause::split_precision);
  // In TF32 nothing says that products are split.
  EXPECT_EQ(layer_of(one_kernel({.name = "k", .scope = 1, .tensor = 3 * 231'211'008.0}), "conv")
                .flops_gap->cause,
            GapCause::unknown);
}

TEST(CountedLayers, WhatNothingExplainsIsNotKnown) {
  const CountedLayer less =
      layer_of(one_kernel({.name = "k", .scope = 1, .tensor = 100e6, .dram = 10e6}), "conv");
  EXPECT_EQ(less.flops_gap->cause, GapCause::unknown);
  EXPECT_THAT(less.flops_gap->text, HasSubstr("the reason is not known"));
  EXPECT_EQ(less.bytes_gap->cause, GapCause::unknown);
  // Tiles that hang over without giving the figure.
  const CountedLayer more = layer_of(
      one_kernel({.name = tiled_kernel, .scope = 1, .tensor = 260e6, .grid = {4, 13, 1}}), "conv");
  EXPECT_EQ(more.flops_gap->cause, GapCause::tiles);
  EXPECT_THAT(more.flops_gap->text, HasSubstr("tiles of 64 x 32 do not divide 784 x 128"));
}

TEST(CountedLayers, SplitSumsAndSeveralKernels) {
  record::Record record = counted_record();
  add_kernel(*record.kernels, {.name = "gemm", .scope = 1, .dram = 2'000'000});
  add_kernel(*record.kernels, {.name = "splitKreduce_kernel<32, 16>", .scope = 1, .dram = 1e6});
  EXPECT_EQ(layer_of(counted(record), "conv").bytes_gap->cause, GapCause::split_k);
  record = counted_record();
  add_kernel(*record.kernels, {.name = "first", .scope = 1, .dram = 2'000'000});
  add_kernel(*record.kernels, {.name = "second", .scope = 1, .dram = 1e6});
  const CountedLayer conv = layer_of(counted(record), "conv");
  EXPECT_EQ(conv.bytes_gap->cause, GapCause::several_kernels);
  EXPECT_THAT(conv.bytes_gap->text, HasSubstr("2 kernels, which may hand results on"));
}

TEST(CountedLayers, OperandsBeyondL2AreReadAgain) {
  record::Record record = counted_record();
  add_kernel(*record.kernels, {.name = "k", .scope = 1, .dram = 3e6, .l2 = 9e6});
  device::Device small = counted_device();
  small.l2->value = 1e6;
  const auto result = measured_case_of(record, device::Catalog({small})).counted;
  EXPECT_EQ(layer_of(*result, "conv").bytes_gap->cause, GapCause::rereads);
}

// Backward is judged by itself: the weight gradient is as modelled, forward is padded.
TEST(CountedLayers, PassesAreJudgedApart) {
  record::Record record = counted_record();
  record.identity.phase = Phase::training;
  record.identity.optimizer = "sgd";
  record.counting->scopes.push_back({"conv", "conv2d", "backward"});
  add_kernel(*record.kernels, {.name = tiled_kernel,
                               .scope = 1,
                               .tensor = 377'487'360,  // no tile gives that here
                               .grid = {4, 13, 1}});
  add_kernel(*record.kernels, {.name = "wgrad", .scope = 4, .tensor = 231'211'008});
  const CountedLayer conv = layer_of(counted(record), "conv");
  // No data gradient: the network's input needs none.
  EXPECT_EQ(conv.model->matrix_flops, Flops(462'422'016));
  ASSERT_TRUE(conv.flops_gap);
  EXPECT_THAT(conv.flops_gap->text, HasSubstr("forward 1.63 times the direct count"));
  EXPECT_THAT(conv.flops_gap->text, Not(HasSubstr("backward")));
}

TEST(CountedLayers, ASumNeedsEveryLaunch) {
  record::Record record = counted_record();
  add_kernel(*record.kernels, {.name = "a", .scope = 1, .tensor = 1e8, .dram = 1e6});
  record.kernels->add({.name = record.kernels->names.intern("b"), .external_id = 1});
  record.kernels->set(KernelFigure::time_s, 1, 1e-5);
  const CountedLayers all = counted(record);
  const CountedLayer& conv = layer_of(all, "conv");
  EXPECT_FALSE(conv.sums.at(KernelFigure::flops));
  EXPECT_FALSE(conv.sums.at(KernelFigure::dram_bytes));
  EXPECT_EQ(conv.flops_gap->cause, GapCause::partial);
  EXPECT_THAT(conv.bytes_gap->text, HasSubstr("1 of 2 launches have DRAM bytes"));
  EXPECT_EQ(all.total.sums.at(KernelFigure::flops), 1e8);  // of those that have it
  EXPECT_EQ(all.total.sums.count(KernelFigure::flops), 1U);
}

// In fp32 no tensor type is counted kernel by kernel: the step said that it has no such work.
TEST(CountedLayers, AZeroOfTheStepIsAZeroOfEveryKernel) {
  using enum KernelFigure;
  record::Record record = counted_record();
  record.identity.precision = Precision::fp32;
  record::KernelTable& kernels = *record.kernels;
  kernels.add({.name = kernels.names.intern("k"), .external_id = 1});
  kernels.set(time_s, 0, 1e-4);
  for (const KernelFigure none : {dadd, dmul, dfma, fadd, fmul, hadd, hmul, hfma}) {
    kernels.set(none, 0, 0.0);
  }
  kernels.set(ffma, 0, 115'605'504);
  EXPECT_FALSE(layer_of(counted(record), "conv").sums.at(KernelFigure::flops));
  record::KernelTable& step = record.counting->step.emplace();
  step.add({.name = step.names.intern("(step)")});
  step.set(tensor_tf32, 0, 0.0);
  const CountedLayer conv = layer_of(counted(record), "conv");
  EXPECT_EQ(conv.sums.at(KernelFigure::flops), 231'211'008.0);
  EXPECT_FALSE(conv.flops_gap);
  step.set(tensor_tf32, 0, 5.0);
  EXPECT_FALSE(layer_of(counted(record), "conv").sums.at(KernelFigure::flops));
}

TEST(CountedLayers, MovesAreNoArithmetic) {
  record::Record record = counted_record();
  add_kernel(*record.kernels, {.name = "a", .scope = 2, .dram = 8e5});
  record.kernels->set(KernelFigure::hfma, 0, 100.0);
  const CountedLayers all = counted(record);
  EXPECT_EQ(layer_of(all, "relu").sums.at(KernelFigure::fp16_flops), 0.0);
  EXPECT_EQ(layer_of(all, "relu").sums.at(KernelFigure::flops), 0.0);
  EXPECT_EQ(all.total.sums.at(KernelFigure::fp16_move_flops), 400.0);
}

TEST(CountedLayers, CastsBelongToTheirNode) {
  record::Record record = counted_record();
  record.counting->scopes = {{"conv.cast_input", "cast", "forward"},
                             {"odd.cast", "cast", "forward"}};
  add_kernel(*record.kernels, {.name = "cast", .scope = 1});
  add_kernel(*record.kernels, {.name = "cast", .scope = 2});
  const CountedLayers all = counted(record);
  ASSERT_EQ(all.layers.size(), 2U);
  EXPECT_EQ(all.layers[0].name, "conv");
  EXPECT_EQ(all.layers[1].name, "odd.cast");
}

// 1.392'640 MB in 1 us are 1.39 TB/s of 1 TB/s: modelled, DRAM moved 0.1 MB of it.
TEST(CountedLayers, AModelledPointAboveTheMemoryRoof) {
  const CountedLayer conv = layer_of(
      one_kernel({.name = "k", .scope = 1, .time_s = 1e-6, .tensor = 5e6, .dram = 1e5, .l2 = 2e6}),
      "conv");
  ASSERT_EQ(conv.breaches.size(), 2U);
  EXPECT_TRUE(conv.breaches[0].modelled);  // 231 MFLOP in 1 us, 5 MFLOP executed
  EXPECT_EQ(conv.breaches[0].roof, "TF32 tensor");
  EXPECT_DOUBLE_EQ(conv.breaches[0].rate, 2.31211008e14);
  EXPECT_THAT(conv.breaches[0].text, HasSubstr("5 MFLOP were executed, 231.2 MFLOP modelled"));
  EXPECT_TRUE(conv.breaches[1].modelled);
  EXPECT_EQ(conv.breaches[1].roof, "memory");
  EXPECT_DOUBLE_EQ(conv.breaches[1].rate, 1.39264e12);
  EXPECT_THAT(conv.breaches[1].text,
              HasSubstr("DRAM moved 100 kB of the 1.393 MB modelled: the rest stayed in L2"));
}

TEST(CountedLayers, AMeasuredPointAboveARoof) {
  record::Record record = counted_record();
  add_kernel(*record.kernels,
             {.name = "k", .scope = 1, .time_s = 1e-4, .tensor = 1.1e9, .dram = 2e8});
  record.kernels->set(KernelFigure::sm_clock_hz, 0, 1.2e9);
  const CountedLayer conv = layer_of(counted(record), "conv");
  ASSERT_EQ(conv.breaches.size(), 2U);
  EXPECT_FALSE(conv.breaches[0].modelled);
  EXPECT_THAT(conv.breaches[0].text,
              HasSubstr("measured at 11 TFLOP/s, 1.10 times the TF32 tensor roof of 10 TFLOP/s: the"
                        " measured clock of 1.2 GHz exceeds the 1 GHz that the peak is for"));
  EXPECT_EQ(conv.breaches[1].roof, "memory");
  EXPECT_THAT(conv.breaches[1].text, HasSubstr("bytes and time are of different steps"));
  const CountedLayers all = counted(record);
  EXPECT_THAT(counted_series(all, "net").remark, HasSubstr("1 lies above a roof"));
}

TEST(CountedSeries, LayersWithAPlace) {
  const RooflineSeries series = counted_series(counted(counted_example()), "net");
  ASSERT_EQ(series.points.size(), 2U);  // conv and the stray; ReLU has no FLOPs
  EXPECT_EQ(series.kind, PointKind::counted);
  EXPECT_EQ(series.points[0].label, "conv");
  EXPECT_DOUBLE_EQ(series.points[0].time_share, 0.5);
  EXPECT_EQ(series.without_flops, 1);
  EXPECT_DOUBLE_EQ(series.without_flops_share.value(), 0.25);
  EXPECT_THAT(series.paths, ElementsAre(ArithmeticPath::fp32_vector, ArithmeticPath::tf32_tensor));
}

TEST(CountedLayers, AStepAloneIsStillTold) {
  record::Record record = counted_example();
  record.kernels.reset();
  const CountedLayers all = counted(record);
  EXPECT_THAT(all.layers, IsEmpty());
  EXPECT_EQ(all.step->at(KernelFigure::tensor_flops), 245'366'784.0);
  EXPECT_EQ(all.total.sums.launches, 0U);
}

}  // namespace
}  // namespace rooflab::analyze
