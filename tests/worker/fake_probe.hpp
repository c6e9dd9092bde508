#pragma once

// What the fake worker says when it is asked to probe: figures that are the same every time and
// that can be worked out by hand.
//
//   single ops     5 us, 1 us for each MFLOP of a product (1 TFLOP/s), 1 us for each 100 kB of
//                  operands and result (100 GB/s); gradients twice that; 40 MB in addition to the
//                  result of every dense convolution of 3 x 3
//   issuing        4 us a node, 6 us with recording, 8 us backward; an optimizer's step 20 us and 1
//   us
//                  for each tensor
//   the device     100 GB/s, 1 TFLOP/s, 10 us a launch; a device file's figures have no part in it
//
// $ROOFLAB_FAKE has rules for `ops` and `device` too: `kill@ops` dies after every 40 items that it
// measures, `slow@ops` waits after them, `crash@ops` dies at once, `fail@device` ends with a
// reason.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <thread>

#include "describe/fields.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab {

class FakeProbe {
 public:
  using NodeFigure = std::function<double(const graph::Graph&, const graph::Node&)>;

  FakeProbe(std::string rule, NodeFigure matrix_flops, NodeFigure operand_bytes)
      : rule_(std::move(rule)),
        matrix_flops_(std::move(matrix_flops)),
        operand_bytes_(std::move(operand_bytes)) {}

  int ops(const engine::OpProbeRequest& request, const std::string& results,
          const record::Environment& environment) {
    using Line = engine::OpProbeLine;
    engine::ProbeJournal journal(results);
    if (rule_ == "crash") std::abort();
    std::set<std::size_t> done;
    for (const Line& line : journal.lines_as<Line>()) {
      if (line.result) done.insert(line.result->item);
    }
    if (done.empty()) {
      journal.append(Line{.environment = environment});
      journal.append(Line{.event_s = 1e-6});
      if (request.device != "cpu") {
        journal.append(Line{.blas_workspace_forward_bytes = 8e6});
        journal.append(Line{.blas_workspace_training_bytes = 4e7});
      }
    }
    int measured = 0;
    for (std::size_t i = 0; i < request.items.size(); ++i) {
      if (done.contains(i)) continue;
      if (measured == items_before_the_end && rule_ == "kill") ::raise(SIGKILL);
      if (measured == items_before_the_end && rule_ == "slow") {
        std::this_thread::sleep_for(std::chrono::hours(1));
      }
      engine::ProbeResult result = measure(request.items[i]);
      result.item = i;
      journal.append(Line{.result = result});
      ++measured;
    }
    if (request.device != "cpu") journal.append(Line{.context_bytes = 5e8});
    return 0;
  }

  int device(const engine::DeviceProbeRequest& request, const std::string& results) {
    using Line = engine::DeviceProbeLine;
    if (rule_ == "fail") {
      std::cerr << "the reason\n";
      return 1;
    }
    engine::ProbeJournal journal(results);
    const bool cpu = request.device == "cpu";
    journal.append(Line{.environment = {{{"device", cpu ? "cpu" : "NVIDIA H200"},
                                         {"cpu", "Fake CPU"},
                                         {"clocks", "1980 MHz"}}}});
    const auto figure = [&](const char* name, const char* unit, double value, const char* at) {
      const device::MeasuredFigure made{name, unit, value, 0.98 * value, 1.02 * value, 7, at};
      journal.append(Line{.figure = made});
    };
    for (const std::string& part : request.parts) {
      if (part == "bandwidth") {
        figure("dram.read", "B/s", 1e11, "1 GiB");
        figure("dram.copy", "B/s", 9e10, "1 GiB");
      } else if (part == "peaks") {
        figure("gemm.fp32_vector", "FLOP/s", 1e12, "4096 x 4096 x 4096");
        if (request.quick) {
          journal.append(
              Line{.note = Note{plain_sentence, {"no sustained rates: the probe is quick"}}});
        } else {
          figure("sustained.fp32_vector", "FLOP/s", 9e11, "");
        }
      } else if (part == "launch") {
        if (cpu) {
          journal.append(Line{.note = Note{plain_sentence, {"a CPU launches no kernels"}}});
        } else {
          figure("launch.issue", "s", 1e-5, "");
        }
      } else if (part == "vector_addition") {
        journal.append(Line{.vector_addition = device::VectorAddition{
                                "cpu", "host", 1'000'000, 1e-3, {}, {}, 1e-3, true}});
      }
      journal.append(Line{.part_done = part});
    }
    return 0;
  }

 private:
  [[nodiscard]] engine::ProbeResult measure(const engine::ProbeItem& item) const {
    const graph::Graph network = graph::parse_text(item.graph, "item");
    engine::ProbeResult result;
    if (item.kind == engine::ProbeKind::chain) {
      const double nodes = static_cast<double>(network.nodes.size());
      result.issue_s = 26e-6 + (item.gradients ? 6e-6 : 4e-6) * nodes;
      // Beginning is measured with a chain of one: in a long one it is next to nothing.
      const bool one = nodes == 1.0;
      result.forward_s = (item.gradients ? 6e-6 : 4e-6) + (one ? 26e-6 : 0.0);
      if (item.gradients) result.gradients_s = 8e-6 + (one ? 92e-6 : 0.0);
      return result;
    }
    if (item.kind == engine::ProbeKind::optimizer) {
      double bytes = 0.0;
      double tensors = 0.0;
      for (const graph::Value& value : network.values) {
        if (value.kind != graph::ValueKind::parameter) continue;
        bytes += static_cast<double>(value.type.bytes());
        tensors += 1.0;
      }
      result.optimizer_s = 5e-6 + 5.0 * bytes / 1e11;
      result.issue_s = 20e-6 + 1e-6 * tensors;
      return result;
    }
    const graph::Node& node = network.nodes.back();
    const double time =
        5e-6 + matrix_flops_(network, node) / 1e12 + operand_bytes_(network, node) / 1e11;
    const double bytes = static_cast<double>(network.type(node.outputs[0]).bytes());
    result.forward_s = time;
    result.forward_peak_bytes = bytes;
    const auto* conv = std::get_if<graph::Conv>(&node.op);
    if (conv != nullptr && conv->groups == 1 && conv->kernel[0] == 3) {
      result.forward_peak_bytes = bytes + 4e7;
    }
    if (!item.gradients) return result;
    const bool products = conv != nullptr || std::holds_alternative<graph::Linear>(node.op) ||
                          std::holds_alternative<graph::MatMul>(node.op);
    result.data_gradient_s = 2.0 * time;
    if (products) {
      result.weight_gradient_s = 2.0 * time;
    } else {
      result.gradients_s = 2.0 * time;
    }
    return result;
  }

  static constexpr int items_before_the_end = 40;

  std::string rule_;
  NodeFigure matrix_flops_;
  NodeFigure operand_bytes_;
};

}  // namespace rooflab
