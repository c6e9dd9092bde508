#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../predict/toy_device.hpp"
#include "../record/toy_record.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/record/record.hpp"

/// Records made by hand that the tests of analyze and report share.
namespace rooflab::analyze {

/// Two ReLUs over 2 x 8 floats, not in place: each moves 2 x 64 bytes and does 16 FLOPs.
inline graph::Graph two_relus() {
  graph::GraphBuilder b("relus");
  graph::ValueId x = b.input("input", {2, 8});
  x = b.unary(x, graph::UnaryFunction::relu, "first");
  x = b.unary(x, graph::UnaryFunction::relu, "second");
  return std::move(b).finish({x});
}

/// 100 B/s and 1000 FLOP/s: the limit of two_relus is 1.28 s + 1.28 s.
inline device::Catalog toy_catalog() { return device::Catalog({predict::toy_device()}); }

/// two_relus on the toy device; no steps yet.
inline record::Record toy_record() {
  record::Record record = record::toy_record();
  record.identity.graph = graph::to_text(two_relus());
  return record;
}

inline record::Record toy_record(std::vector<double> steps_s) {
  return record::with_steps(toy_record(), std::move(steps_s));
}

/// 3 s and 2 s measured one by one, 6 s as a whole; 9 s when waiting for each.
inline record::LayerTimes toy_layers() {
  record::LayerTimes layers;
  layers.nodes = {{"first", "relu", 3.0, std::nullopt, 5.0, 64},
                  {"second", "relu", 2.0, std::nullopt, 4.0, 64}};
  layers.repetitions = 3;
  layers.sum_s = 5.0;
  layers.whole_s = 6.0;
  layers.synchronized_sum_s = 9.0;
  layers.forward_whole_s = 5.5;
  return layers;
}

}  // namespace rooflab::analyze
