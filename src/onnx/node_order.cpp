#include "node_order.hpp"

#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

using Producers = std::unordered_map<std::string_view, std::size_t>;

Producers find_producers(const std::vector<NodeView>& nodes, const Source& source) {
  Producers producers;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::string_view name : nodes[n].outputs) {
      if (name.empty() || producers.emplace(name, n).second) continue;
      throw Error(ErrorKind::input, format("value '{}' is written by two nodes", name), {},
                  source.at(nodes[n].offset));
    }
  }
  return producers;
}

bool is_ordered(const std::vector<NodeView>& nodes, const Producers& producers) {
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::string_view name : nodes[n].inputs) {
      const auto producer = producers.find(name);
      if (producer != producers.end() && producer->second >= n) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::size_t> execution_order(const std::vector<NodeView>& nodes, const Source& source) {
  const Producers producers = find_producers(nodes, source);
  std::vector<std::size_t> order(nodes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (is_ordered(nodes, producers)) return order;

  // Kahn's algorithm; among the nodes that are ready the first of the file goes first.
  std::vector<std::vector<std::size_t>> readers(nodes.size());
  std::vector<std::size_t> waiting_for(nodes.size(), 0);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::string_view name : nodes[n].inputs) {
      const auto producer = producers.find(name);
      if (producer == producers.end()) continue;
      readers[producer->second].push_back(n);
      ++waiting_for[n];
    }
  }
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    if (waiting_for[n] == 0) ready.push(n);
  }
  order.clear();
  while (!ready.empty()) {
    const std::size_t n = ready.top();
    ready.pop();
    order.push_back(n);
    for (const std::size_t reader : readers[n]) {
      if (--waiting_for[reader] == 0) ready.push(reader);
    }
  }
  for (std::size_t n = 0; order.size() < nodes.size() && n < nodes.size(); ++n) {
    if (waiting_for[n] == 0) continue;
    throw Error(ErrorKind::input,
                format("the nodes form a cycle: '{}' ({}) needs its own result", nodes[n].name,
                       nodes[n].type),
                {}, source.at(nodes[n].offset));
  }
  return order;
}

}  // namespace rooflab::onnx
