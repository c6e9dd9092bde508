#include "rooflab/study/starter.hpp"

#include <span>

#include "rooflab/base/embedded_file.hpp"

namespace rooflab::study {

std::span<const EmbeddedFile> starter_files();  // data/study.toml

std::string_view starter() { return starter_files().front().text; }

}  // namespace rooflab::study
