#include "workers.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::cli {

std::string torch_worker_advice() {
  return "Debian 12: apt-get install --no-install-recommends libtorch-dev libgloo-dev"
         " libopenblas0-pthread; elsewhere -DCMAKE_PREFIX_PATH=FOLDER of a libtorch 2.x; then build"
         " again";
}

std::filesystem::path require_torch_worker() {
  if (const auto worker = engine::find_worker("rooflab-torch")) return *worker;
  throw Error(ErrorKind::capability, "the worker rooflab-torch, which runs networks, is not here",
              torch_worker_advice());
}

std::string probe_worker_advice() {
  return "part of every build: build again, with the CUDA toolkit (CUDA_HOME names another place"
         " than /usr/local/cuda) for its GPU part";
}

std::string injected_library_advice() {
  return "install the CUDA toolkit (13.0 or later; CUDA_HOME names another place than"
         " /usr/local/cuda), then build again";
}

std::filesystem::path require_injected_library() {
  if (const auto library = engine::find_worker(injected_library)) return *library;
  throw Error(ErrorKind::capability,
              format("{}, which is loaded into the command, is not here", injected_library),
              injected_library_advice());
}

}  // namespace rooflab::cli
