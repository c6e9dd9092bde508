// Reads files of any profiler that Rooflab knows, and writes what they say as JSON of one's own:
//   importer FILE...

#include <iostream>
#include <optional>

#include "rooflab/errors.hpp"
#include "rooflab/imports.hpp"
#include "rooflab/json.hpp"

using namespace rooflab;  // NOLINT(google-build-using-namespace): short, as in a program of yours

namespace {

Json json_of(const std::optional<double>& figure) { return figure ? Json(*figure) : Json(); }

/// The three kernels that take longest; what the file does not say is null.
Json kernels_of(const analyze::ImportedCase& imported) {
  using record::KernelFigure;
  Json rows = Json::array();
  for (const analyze::KernelGroup& kernel : imported.kernels) {
    if (rows.size() == 3) break;
    rows.push_back({{"name", kernel.name.substr(0, 40)},
                    {"launches", kernel.sums.launches},
                    {"time_s", json_of(kernel.time_s)},
                    {"flop", json_of(kernel.sums.at(KernelFigure::flops))},
                    {"dram_bytes", json_of(kernel.sums.at(KernelFigure::dram_bytes))}});
  }
  return rows;
}

}  // namespace

int main(int count, char** files) {
  const device::Catalog devices = device::Catalog::built_in();
  Json all = Json::array();
  bool broken = count < 2;
  for (int i = 1; i < count; ++i) {
    try {
      const auto imported = analyze::imported_case_of(import::read(files[i]), files[i], devices);
      Json losses = Json::array();
      for (const record::Loss& loss : imported.record.lost) losses.push_back(to_json(loss));
      all.push_back({{"file", files[i]},
                     {"gpu", imported.record.environment.device.name},
                     {"launches", imported.totals.launches},
                     {"kernels", kernels_of(imported)},
                     {"lost", losses}});
    } catch (const Error& error) {  // the only exception for a wrong file
      std::cerr << error.full_message() << "\n" << error.hint() << "\n";
      broken = true;
    }
  }
  std::cout << all.dump(1) << "\n";
  return broken ? 2 : 0;
}
