#include "place.hpp"

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

Place local_gpu(const Machine& machine, std::size_t index) {
  if (index >= machine.gpus.size()) {
    return {.missing = index == 0 ? "no GPU is here" : format("cuda:{} is not here", index)};
  }
  const LocalGpu& gpu = machine.gpus[index];
  return {.word = gpu.name,
          .id = gpu.catalog_id.empty() ? gpu.name : gpu.catalog_id,
          .here = true,
          .catalogued = !gpu.catalog_id.empty(),
          .missing = {}};
}

}  // namespace

Place place_of(const std::string& word, const Location& location, const Machine& machine,
               const device::Catalog& catalog) {
  const std::string name = lowercase(word);
  const Place cpu{.word = "cpu", .id = "cpu", .here = true, .missing = {}};
  if (name == "cpu") return cpu;
  if (name == "here") return machine.gpus.empty() ? cpu : local_gpu(machine, 0);
  if (name == "gpu" || name == "cuda") return local_gpu(machine, 0);
  if (name.starts_with("cuda:")) {
    const std::optional<std::int64_t> index = parse_integer(name.substr(5));
    if (!index || *index < 0) {
      throw Error(ErrorKind::input, format("'{}' is not a device", word), "cuda:0 is the first GPU",
                  location);
    }
    return local_gpu(machine, static_cast<std::size_t>(*index));
  }
  std::string id;
  try {
    id = catalog.find(name).id;
  } catch (const Error& error) {
    throw Error(ErrorKind::input, error.what(), error.hint(), location);
  }
  for (const LocalGpu& gpu : machine.gpus) {
    if (gpu.catalog_id == id) {
      return {.word = gpu.name, .id = id, .here = true, .catalogued = true, .missing = {}};
    }
  }
  return {.word = id, .id = id, .here = false, .catalogued = true, .missing = {}};
}

}  // namespace rooflab::study
