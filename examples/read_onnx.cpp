// Reads an ONNX file (its weights need not be there) and counts it: usage: read_onnx MODEL.onnx

#include <iostream>

#include "rooflab/counts.hpp"
#include "rooflab/errors.hpp"
#include "rooflab/onnx.hpp"

using namespace rooflab;  // NOLINT(google-build-using-namespace): short, as in a program of yours

int main(int argc, char** argv) try {
  if (argc != 2) throw Error(ErrorKind::usage, "usage: read_onnx MODEL.onnx");
  // A batch of 8 where the file leaves its batch open; a fixed one stays as it is.
  const onnx::ImportResult file = onnx::read_onnx(argv[1], {.batch = 8});
  std::cout << file.producer << ", opset " << file.opset << ", " << file.graph.nodes.size()
            << " nodes\n";
  for (const Note& note : file.notes) std::cout << "note: " << note.text() << "\n";

  // What an inference really executes, and what that costs.
  const schedule::Schedule schedule = schedule::lower(file.graph, {});
  const analyze::NetworkCount count = analyze::count_network(schedule);
  Macs macs;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (const std::optional<cost::Cost> cost = cost::cost_of(schedule, op)) macs += cost->macs;
  }
  std::cout << count.parameters << " parameters, " << macs.value() << " MACs at batch "
            << file.graph.batch() << ", " << count.counted_nodes << " of " << count.computing_nodes
            << " nodes counted\n";
} catch (const Error& error) {
  std::cerr << error.full_message() << "\n" << error.hint() << "\n";
  return 2;
}
