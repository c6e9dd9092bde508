#include "worker_folder.hpp"

namespace sandbox {
namespace fs = std::filesystem;

void make_worker_folder(const fs::path& folder, const fs::path& workers) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const char* const name : {"rooflab-torch", "rooflab-probe"}) {
    const fs::path worker = fs::exists(workers / name) ? workers / name : workers / "rooflab-torch";
    fs::create_symlink(worker, folder / name);
  }
}

}  // namespace sandbox
