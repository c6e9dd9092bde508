#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/published/explanation.hpp"

namespace rooflab::study {

using Values = std::map<std::string, double>;

inline constexpr auto v100 = "v100-sxm2-16gb";
inline constexpr auto a100 = "a100-sxm4-40gb";
inline constexpr auto h100 = "h100-sxm";
inline constexpr auto h200 = "h200-sxm";
inline constexpr auto t4 = "t4";

/// A study of published rows and our cases. The rows are those of three course
/// reports, as printed; our figures those of `rooflab predict MODEL --device
/// v100-sxm2-16gb,a100-sxm4-40gb,t4
/// --batch B --phase P --precision fp32|tf32`, rounded.
class Explanations : public testing::Test {
 protected:
  PublishedRow& publish(Attributes where, Values values) {
    PublishedRow row;
    row.source = "report";
    row.where = std::move(where);
    if (row.where.contains("device")) row.where["named"] = row.where["device"];  // name_devices()
    row.values = std::move(values);
    study_.published.push_back(std::move(row));
    return study_.published.back();
  }

  StudyCase& own(Attributes attributes, const Values& values) {
    attributes.try_emplace("mode", "predict");
    StudyCase ours;
    ours.id = "case-" + std::to_string(cases_.size());
    ours.attributes = std::move(attributes);
    for (const auto& [quantity, value] : values) {
      ours.figures.push_back({.quantity = quantity, .value = value});
    }
    cases_.push_back(std::move(ours));
    return cases_.back();
  }

  /// One pass of a batch on an H200, with the interval that 90 % of such times are in.
  void own_time(const char* model, double time, double low, double high) {
    StudyCase& ours = own({{"model", model},
                           {"device", h200},
                           {"batch", "256"},
                           {"phase", "forward"},
                           {"precision", "tf32"}},
                          {{"time", time}});
    ours.figures.front().low = low;
    ours.figures.front().high = high;
  }

  std::vector<Explanation> all() const { return explanations_of(study_, cases_, catalog_); }

  std::vector<Explanation> of(Explanation::Kind kind) const {
    std::vector<Explanation> found = all();
    std::erase_if(found, [&](const Explanation& explanation) { return explanation.kind != kind; });
    return found;
  }

  std::vector<std::string> subjects(Explanation::Kind kind) const {
    std::vector<std::string> texts;
    for (const Explanation& explanation : of(kind)) texts.push_back(explanation.subject);
    return texts;
  }

  std::vector<std::string> sentences(Explanation::Kind kind) const {
    std::vector<std::string> texts;
    for (const Explanation& explanation : of(kind)) texts.push_back(explanation.sentence);
    return texts;
  }

  /// A training step of one image, in fp32 on a V100 and in TF32 on an A100.
  void own_steps_of_resnet18() {
    own({{"model", "resnet18"},
         {"device", v100},
         {"batch", "1"},
         {"phase", "training"},
         {"precision", "fp32"}},
        {{"flops", 10745557916},
         {"matrix_flops", 10648412160},
         {"vector_flops", 97145756},
         {"flops_outside_tensor_cores", 10745557916},
         {"macs", 1814073344},
         {"parameters", 11689512},
         {"bytes", 694111972},
         {"memory", 162546952},
         {"total_memory", 192937984},
         {"device_memory", 16e9},
         {"time", 0.0032655}});
    own({{"model", "resnet18"},
         {"device", a100},
         {"batch", "1"},
         {"phase", "training"},
         {"precision", "tf32"}},
        {{"flops", 10745557916},
         {"matrix_flops", 10648412160},
         {"vector_flops", 97145756},
         {"flops_outside_tensor_cores", 97145756},
         {"macs", 1814073344},
         {"bytes", 694111972},
         {"memory", 162546952},
         {"total_memory", 192937984},
         {"device_memory", 40e9},
         {"time", 0.0035184}});
    own({{"model", "resnet18"},
         {"device", v100},
         {"batch", "1"},
         {"phase", "inference"},
         {"precision", "fp32"}},
        {{"flops", 3642773992},
         {"matrix_flops", 3628146688},
         {"vector_flops", 14627304},
         {"macs", 1814073344},
         {"bytes", 118556224},
         {"time", 0.00089747}});
  }

  void own_steps_of_resnet50() {
    for (const char* device : {v100, a100}) {
      own({{"model", "resnet50"},
           {"device", device},
           {"batch", "1"},
           {"phase", "training"},
           {"precision", "tf32"}},
          {{"flops", 24622618012},
           {"matrix_flops", 24299077632},
           {"vector_flops", 323540380},
           {"macs", 4089184256},
           {"parameters", 25557032},
           {"time", device == v100 ? 0.010099 : 0.0069427}});
    }
    own({{"model", "resnet50"},
         {"device", v100},
         {"batch", "1"},
         {"phase", "inference"},
         {"precision", "fp32"}},
        {{"flops", 8239659496}, {"matrix_flops", 8178368512}, {"macs", 4089184256}});
  }

  void own_steps_of_alexnet() {
    for (const char* device : {v100, a100}) {
      own({{"model", "alexnet"},
           {"device", device},
           {"batch", "1"},
           {"phase", "training"},
           {"precision", "tf32"}},
          {{"flops", 4391830940},
           {"matrix_flops", 4144577280},
           {"vector_flops", 247253660},
           {"macs", 714188480},
           {"bytes", 2718384548},
           {"memory", 736952200},
           {"total_memory", 752877568},
           {"time", device == v100 ? 0.0054321 : 0.0033795}});
    }
    own({{"model", "alexnet"},
         {"device", v100},
         {"batch", "1"},
         {"phase", "inference"},
         {"precision", "fp32"}},
        {{"flops", 1430080104}, {"matrix_flops", 1428376960}, {"macs", 714188480}});
  }

  /// One forward pass of 256 images in TF32, where the device has it.
  void own_passes_of_256(const char* device) {
    struct Pass {
      const char* model;
      double matrix, vector, bytes, memory, saved, total, a100_s, t4_s;
    };
    const bool is_t4 = std::string_view(device) == t4;
    for (const Pass& pass : {Pass{"resnet18", 928805552128, 6287910912, 18417376224, 5725898048,
                                  5524960768, 5771362304, 0.046020, 0.27467},
                             Pass{"alexnet", 365664501760, 442820608, 3824217248, 1202384032,
                                  794402816, 1224736768, 0.013952, 0.062913},
                             Pass{"vgg16", 7920775331840, 8126720000, 90316754080, 19327110304,
                                  18619539456, 19344130048, 0.175641, 1.30327}}) {
      own({{"model", pass.model},
           {"device", device},
           {"batch", "256"},
           {"phase", "forward"},
           {"precision", "tf32"}},
          {{"flops", pass.matrix + pass.vector},
           {"matrix_flops", pass.matrix},
           {"vector_flops", pass.vector},
           {"macs", pass.matrix / 2},
           {"bytes", pass.bytes},
           {"memory", pass.memory},
           {"saved_activations", pass.saved},
           {"total_memory", pass.total},
           {"device_memory", is_t4 ? 16e9 : 40e9},
           {"time", is_t4 ? pass.t4_s : pass.a100_s}});
    }
  }

  static Attributes step(const char* model, const char* device) {
    return {{"model", model}, {"device", device}, {"phase", "training"}, {"batch", "1"}};
  }
  static Attributes pass(const char* model, const char* device) {
    return {{"model", model},
            {"device", device},
            {"phase", "forward"},
            {"batch", "256"},
            {"precision", "tf32"}};
  }

  /// Counted steps of one image on both devices.
  void publish_counted_steps() {
    publish(step("resnet18", v100), {{"counted_flops", 8297434213},
                                     {"dram_bytes", 484320736},
                                     {"time", 0.005030304},
                                     {"counted_intensity", 17.132},
                                     {"throughput", 1.6495e12}});
    publish(step("resnet18", a100), {{"counted_flops", 1214372889},
                                     {"dram_bytes", 383364864},
                                     {"time", 0.003620512},
                                     {"counted_intensity", 3.1677},
                                     {"throughput", 3.3541e11}});
    publish(step("alexnet", v100), {{"counted_flops", 4117546463},
                                    {"dram_bytes", 839343936},
                                    {"time", 0.002397472},
                                    {"counted_intensity", 4.9057},
                                    {"throughput", 1.7175e12}});
    publish(step("alexnet", a100), {{"counted_flops", 1392806057},
                                    {"dram_bytes", 735346944},
                                    {"time", 0.001568768},
                                    {"counted_intensity", 1.8941},
                                    {"throughput", 8.8783e11}});
  }

  /// Training runs of a row without a batch, estimated and counted.
  void publish_training_runs() {
    const auto add = [&](const char* model, const char* device, double estimated, double counted,
                         double time, double bytes) {
      publish({{"model", model}, {"device", device}, {"phase", "training"}},
              {{"estimated_flops", estimated},
               {"counted_flops", counted},
               {"time", time},
               {"dram_bytes", bytes}});
    };
    add("resnet18", v100, 3653586920, 23851649316, 0.202907231, 1086870000);
    add("resnet50", v100, 8286749672, 71858381540, 0.211992785, 3651000000);
    add("resnet18", a100, 3653586920, 2843954468, 0.223984715, 639520000);
    add("resnet50", a100, 8286749672, 4014655508, 0.229978666, 2787000000);
  }

  Study study_;
  std::vector<StudyCase> cases_;
  device::Catalog catalog_ = device::Catalog::built_in();
};

}  // namespace rooflab::study
