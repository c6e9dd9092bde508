#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace rooflab::graph {

/// The modules that are open while nodes run in order, and the arguments that they keep alive: a
/// module's argument lives until the module returns, for its caller still names it. Modules are the
/// scopes of the nodes' names. `Argument` is a value or a tensor, cheap to copy.
template <class Argument>
class ModuleStack {
 public:
  /// Before the node at `position` of the order runs: the modules it is not in return, innermost
  /// first, each with a call `returned(arguments)`; then those it is in are entered. `node` must
  /// outlive this.
  template <class Returned>
  void enter(std::string_view node, std::size_t position, Returned returned) {
    while (!open_.empty() && !node.starts_with(open_.back().path)) pop(returned);
    const std::size_t begin = open_.empty() ? 0 : open_.back().path.size();
    for (std::size_t dot = node.find('.', begin); dot != std::string_view::npos;
         dot = node.find('.', dot + 1)) {
      open_.push_back({node.substr(0, dot + 1), position, {}});
    }
  }

  /// Something is read whose memory was there when position `made` came: of the modules entered
  /// since, the outermost keeps it; the inner ones need not.
  void read(Argument argument, std::size_t made) {
    const auto keeper =
        std::ranges::find_if(open_, [made](const Module& module) { return made <= module.first; });
    if (keeper != open_.end()) keeper->arguments.push_back(argument);
  }

  /// Behind the last node: all that are open return.
  template <class Returned>
  void finish(Returned returned) {
    while (!open_.empty()) pop(returned);
  }

 private:
  struct Module {
    std::string_view path;  ///< ends with a dot
    std::size_t first;      ///< position of its first node
    std::vector<Argument> arguments;
  };

  template <class Returned>
  void pop(Returned& returned) {
    returned(open_.back().arguments);
    open_.pop_back();
  }

  std::vector<Module> open_;
};

}  // namespace rooflab::graph
