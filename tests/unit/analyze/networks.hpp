#pragma once

#include <string>
#include <utility>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"

/// Networks and cases that the tests of analyze and report share.
namespace rooflab::analyze {

inline schedule::Schedule scheduled(const std::string& model, std::int64_t batch = 1,
                                    Phase phase = Phase::inference,
                                    Precision precision = Precision::fp32) {
  return schedule::lower(zoo::build(model, {.batch = batch}),
                         {.phase = phase, .precision = precision});
}

inline device::Device device_named(const std::string& name) {
  return device::Catalog::built_in().find(name);
}

inline CaseResult case_of(const schedule::Schedule& schedule, const device::Device& device) {
  CaseResult result =
      analyze_case(schedule, predict::estimate_memory(schedule), device, predict::PercentOfPeak{});
  result.command = "rooflab predict " + result.model;
  return result;
}

inline CaseResult case_of(const std::string& model, const std::string& device,
                          std::int64_t batch = 1, Phase phase = Phase::inference,
                          Precision precision = Precision::fp32) {
  return case_of(scheduled(model, batch, phase, precision), device_named(device));
}

/// conv (3 to 4 channels, 8 x 8), an op nobody knows twice, relu; `name` is the network's.
inline graph::Graph with_unknown_ops(const std::string& name = "net",
                                     const std::string& leaf = "fold") {
  graph::GraphBuilder b(name);
  graph::ValueId x = b.input("input", {1, 3, 8, 8});
  x = b.conv(x, "conv", {.out_channels = 4, .kernel = 3, .padding = 1});
  for (int i = 0; i < 2; ++i) {
    x = b.add(graph::Opaque{.domain = "com.acme",
                            .type = "Fold",
                            .outputs = {{1, 4, 8, 8}},
                            .dtypes = {DType::f32}},
              {x}, leaf);
  }
  x = b.unary(x, graph::UnaryFunction::relu, "relu");
  return std::move(b).finish({x});
}

}  // namespace rooflab::analyze
