#include "worker_build.hpp"

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::engine {

WorkerBuild own_build(std::string_view worker) {
  return {std::string(worker), ROOFLAB_VERSION, schema_version};
}

std::string greeting(std::string_view worker) { return to_json(own_build(worker)).dump(); }

void require_own_build(const WorkerBuild& build, const std::filesystem::path& worker) {
  const WorkerBuild own = own_build(build.worker);
  if (build.rooflab == own.rooflab && build.schema == own.schema) return;
  const auto name = [](const WorkerBuild& of) {
    if (!of.rooflab) return std::string("a Rooflab that does not say its version");
    return of.schema ? format("Rooflab {} (schema {})", *of.rooflab, *of.schema)
                     : format("Rooflab {}", *of.rooflab);
  };
  throw Error(
      ErrorKind::capability,
      format("the worker {} is of {}, this program is {}", worker.string(), name(build), name(own)),
      "install both from one build; ROOFLAB_WORKERS names the folder of the workers");
}

}  // namespace rooflab::engine
