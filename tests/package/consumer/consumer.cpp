// Builds a network and finds a device: the data compiled in and the code both arrive.

#include <cstdlib>
#include <iostream>

#include "rooflab/device/catalog.hpp"
#include "rooflab/zoo/zoo.hpp"

int main() {
  const rooflab::graph::Graph graph = rooflab::zoo::build("resnet18");
  const rooflab::device::Device device = rooflab::device::Catalog::built_in().find("t4");
  std::cout << graph.nodes.size() << " nodes for a " << device.name << "\n";
  return graph.nodes.empty() ? EXIT_FAILURE : EXIT_SUCCESS;
}
