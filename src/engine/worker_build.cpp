#include "worker_build.hpp"

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::engine {

WorkerBuild own_build(std::string_view worker) {
  return {std::string(worker), ROOFLAB_VERSION, ROOFLAB_VERSION, protocol_version};
}

std::string greeting(std::string_view worker) { return to_json(own_build(worker)).dump(); }

void require_usable_build(const WorkerBuild& build, const std::filesystem::path& worker) {
  if (build.worker.empty()) {
    throw Error(ErrorKind::capability, format("the worker {} has no name", worker.string()),
                "docs/formats/worker.md describes the protocol");
  }
  const bool ours = !build.rooflab || build.rooflab == ROOFLAB_VERSION;
  if (ours && build.protocol == protocol_version) return;
  const std::string protocol = build.protocol ? format("protocol {}", *build.protocol)
                                              : std::string("a protocol that it does not say");
  if (!build.rooflab) {
    throw Error(ErrorKind::capability,
                format("the worker {} ({}) follows {}, this program protocol {}", worker.string(),
                       build.worker, protocol, protocol_version),
                "docs/formats/worker.md describes the protocol");
  }
  throw Error(
      ErrorKind::capability,
      format("the worker {} is of Rooflab {} ({}), this program is Rooflab {} (protocol {})",
             worker.string(), *build.rooflab, protocol, ROOFLAB_VERSION, protocol_version),
      "install both from one build; ROOFLAB_WORKERS names the folder of the workers");
}

}  // namespace rooflab::engine
