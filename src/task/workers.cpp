#include "rooflab/task/workers.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/engine/worker.hpp"

namespace rooflab::task {

std::string torch_worker_advice() {
  return "Rooflab's packages leave it out; ./run install in its sources builds it (Debian 12: with"
         " libtorch-dev libgloo-dev libopenblas0-pthread; elsewhere -DCMAKE_PREFIX_PATH=FOLDER of a"
         " libtorch 2.x and cmake --install)";
}

std::filesystem::path require_torch_worker() {
  if (const auto worker = engine::find_worker("rooflab-torch")) return *worker;
  throw Error(ErrorKind::capability,
              "rooflab-torch, the worker that runs networks, is not installed",
              torch_worker_advice());
}

std::string probe_worker_advice() {
  return "Rooflab's packages leave it out; ./run install in its sources builds it and with the CUDA"
         " toolkit its GPU part (CUDA_HOME names another place than /usr/local/cuda)";
}

std::string injected_library_advice() {
  return "install the CUDA toolkit (13.0 or later; CUDA_HOME names another place than"
         " /usr/local/cuda), then ./run install in Rooflab's sources";
}

std::filesystem::path require_injected_library() {
  if (const auto library = engine::find_worker(injected_library)) return *library;
  throw Error(ErrorKind::capability,
              format("{}, which is loaded into the command, is not installed", injected_library),
              injected_library_advice());
}

std::filesystem::path share_folder() {
  std::error_code status;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", status);
  if (status) return {};
  return program.parent_path().parent_path() / "share" / "rooflab";
}

}  // namespace rooflab::task
