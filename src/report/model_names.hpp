#pragma once

#include <string>
#include <vector>

#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// Shortens the file `path/to/hf-gpt2-dynamo.onnx` of a network to `hf-gpt2-dynamo` in titles, rows
/// and notes of the document. The path is kept where two files would get one name, in commands, and
/// in every file that programs read.
void name_models_by_stem(page::Document& document, const std::vector<std::string>& models);

/// Shortens the names of networks in the document for any list of cases that have a model.
template <class Cases, class ModelOf>
void name_models_by_stem(page::Document& document, const Cases& cases, ModelOf model_of) {
  std::vector<std::string> models;
  for (const auto& each : cases) models.push_back(model_of(each));
  name_models_by_stem(document, models);
}

}  // namespace rooflab::report
