#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rooflab/engine/worker.hpp"

namespace rooflab::engine {

/// The build that this very code is part of: the worker's own in a worker, the program's in the
/// program.
[[nodiscard]] WorkerBuild own_build(std::string_view worker);

/// First line of a worker that is to work, so that nothing of another build is believed.
[[nodiscard]] std::string greeting(std::string_view worker);

/// Throws Error (capability) with the worker's path and both versions where it is of another build
/// than this program.
void require_own_build(const WorkerBuild& build, const std::filesystem::path& worker);

}  // namespace rooflab::engine
