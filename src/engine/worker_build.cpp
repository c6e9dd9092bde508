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
  const auto refuse = [&worker](const std::string& what, const char* hint) {
    throw Error(ErrorKind::capability, format("the worker {} {}", worker.string(), what), hint);
  };
  constexpr const char* document = "docs/formats/worker.md describes the protocol";
  if (build.worker.empty()) refuse("has no name", document);
  const bool has_our_name = build.worker == torch_worker || build.worker == probe_worker;
  if (has_our_name && !build.rooflab) {
    refuse(format("calls itself {} and is not a part of Rooflab", build.worker), document);
  }
  if (build.rooflab.value_or(ROOFLAB_VERSION) == ROOFLAB_VERSION &&
      build.protocol == protocol_version) {
    return;
  }
  if (!build.rooflab) {
    refuse(format("({}) follows protocol {}, this program protocol {}", build.worker,
                  build.protocol, protocol_version),
           document);
  }
  refuse(format("is of Rooflab {} (protocol {}), this program is Rooflab {} (protocol {})",
                *build.rooflab, build.protocol, ROOFLAB_VERSION, protocol_version),
         "install both from one build; ROOFLAB_WORKERS names the folder of the workers");
}

}  // namespace rooflab::engine
