#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rooflab/engine/worker.hpp"

namespace rooflab::engine {

/// The build that contains this code: of the worker in a worker, of the program in the program.
[[nodiscard]] WorkerBuild own_build(std::string_view worker);

/// First line of a worker's output, which identifies its build.
[[nodiscard]] std::string greeting(std::string_view worker);

/// Throws Error (capability) with the worker's path and both versions where it follows another
/// protocol, or is a part of another Rooflab.
void require_usable_build(const WorkerBuild& build, const std::filesystem::path& worker);

}  // namespace rooflab::engine
