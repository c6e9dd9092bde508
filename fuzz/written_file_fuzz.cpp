// Files of Rooflab as commands open them, from arbitrary bytes: what `compare` takes, the journal
// of a probe, a batch of CIFAR-10. Each ends in an Error or in values.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/cifar10_binary.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace {

using namespace rooflab;

template <class Read>
void try_out(Read read) {
  try {
    read();
  } catch (const Error&) {
  }
}

void load_first(const std::filesystem::path& folder) {
  const auto images = data::open_cifar10_binary(folder, data::Split::test);
  if (images->size() == 0) return;
  constexpr std::size_t values = std::size_t{3} * 32 * 32;
  std::vector<float> pixels(values);
  std::string reason;
  (void)images->load(0, {.height = 32, .width = 32, .resize = 32}, 1, pixels, reason);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const TemporaryFolder folder("fuzz");
  const auto file = folder.file("test_batch.bin");
  write_file_atomically(file, {reinterpret_cast<const char*>(data), size});
  try_out([&] { (void)analyze::read_comparands(file); });
  try_out([] { load_first(folder.path()); });
  // Last: it drops what is cut off.
  try_out([&] {
    const engine::ProbeJournal journal(file);
    try_out([&] { (void)journal.lines_as<engine::OpProbeLine>(); });
    try_out([&] { (void)journal.lines_as<engine::DeviceProbeLine>(); });
  });
  return 0;
}
