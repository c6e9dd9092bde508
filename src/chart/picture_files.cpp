// One gnuplot draws all: to start it takes longer than most pictures. It writes files, since its
// standard output could not be cut into pictures again.

#include <variant>

#include "base/format.hpp"
#include "gnuplot_script.hpp"
#include "renderers.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::chart {
namespace {

std::string script_for(const Picture& picture, Format format) {
  if (const auto* chart = std::get_if<Chart>(&picture.chart)) {
    return gnuplot_script(*chart, format, picture.size);
  }
  return gnuplot_script(std::get<RowChart>(picture.chart), format, picture.size.width);
}

/// A script begins with the line of its terminal, which must be set before the file.
std::string with_output(std::string script, const std::filesystem::path& file) {
  script.insert(script.find('\n') + 1,
                rooflab::format("set output {}\n", gnuplot_string(file.string())));
  return script + "unset output\n";
}

}  // namespace

std::vector<std::vector<std::string>> render_pictures(std::span<const Picture> pictures,
                                                      std::span<const Format> formats) {
  std::vector<std::vector<std::string>> contents(pictures.size());
  if (pictures.empty() || formats.empty()) return contents;
  const TemporaryFolder folder("pictures");
  const auto file_of = [&](std::size_t picture, std::size_t format) {
    return folder.file(rooflab::format("{}-{}", picture, format));
  };
  std::string script;
  for (std::size_t f = 0; f < formats.size(); ++f) {
    for (std::size_t p = 0; p < pictures.size(); ++p) {
      script += "reset\n" + with_output(script_for(pictures[p], formats[f]), file_of(p, f));
    }
  }
  (void)run_gnuplot(script, "picture", pictures.size() * formats.size());
  for (std::size_t p = 0; p < pictures.size(); ++p) {
    for (std::size_t f = 0; f < formats.size(); ++f) {
      contents[p].push_back(read_file(file_of(p, f)));
    }
  }
  return contents;
}

}  // namespace rooflab::chart
