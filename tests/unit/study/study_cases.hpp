#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/figures.hpp"

namespace rooflab::study {

/// A case with figures, called by its mode, model and device.
inline StudyCase made(Attributes attributes, std::vector<Figure> figures) {
  StudyCase made;
  for (const char* key : {"mode", "model", "device"}) {
    const auto found = attributes.find(key);
    if (found == attributes.end()) continue;
    made.id += made.id.empty() ? found->second : "-" + found->second;
  }
  made.attributes = std::move(attributes);
  made.figures = std::move(figures);
  return made;
}

}  // namespace rooflab::study
