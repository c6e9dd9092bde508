// Files of PyTorch's exporters with and without their batch norms, and what the import says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "onnx/onnx_notes.hpp"
#include "onnx_writer.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {
namespace {

using namespace writer;
using testing::ElementsAre;
using testing::IsEmpty;

/// Convolutions of 4 channels in a row, from x [1, 4, 8, 8].
class Network {
 public:
  Network() { graph_.input("x", {1, 4, 8, 8}); }

  Network& convolution(const std::string& weight_name, const std::string& bias_name = {}) {
    graph_.initializer(weight(weight_name, {4, 4, 1, 1}));
    Names inputs = {x_, weight_name};
    if (!bias_name.empty()) {
      graph_.initializer(weight(bias_name, {4}));
      inputs.push_back(bias_name);
    }
    return then("Conv", inputs);
  }

  Network& batch_norm(const std::string& name) {
    Names inputs = {x_};
    for (const char* leaf : {".weight", ".bias", ".running_mean", ".running_var"}) {
      graph_.initializer(weight(name + leaf, {4}));
      inputs.push_back(name + leaf);
    }
    return then("BatchNormalization", inputs);
  }

  Network& relu() { return then("Relu", {x_}); }

  [[nodiscard]] std::vector<Note> notes(const std::string& producer = "pytorch") {
    graph_.output(x_);
    return read_onnx_bytes(model(graph_, 17, {}, producer), "m.onnx").notes;
  }

 private:
  Network& then(const std::string& type, const Names& inputs) {
    x_ = "v" + std::to_string(++count_);
    graph_.add({type, inputs, {x_}});
    return *this;
  }

  GraphWriter graph_;
  std::string x_ = "x";
  int count_ = 0;
};

TEST(FoldedNorms, NamesThatTheOldExporterMadeUp) {
  const std::vector<Note> notes = Network()
                                      .convolution("onnx::Conv_11", "onnx::Conv_12")
                                      .relu()
                                      .convolution("conv2.weight", "conv2.bias")
                                      .notes();
  ASSERT_THAT(notes, ElementsAre(HasCode(says.norms_folded)));
  EXPECT_EQ(notes[0].values, (std::vector<NoteValue>{1, 2}));
  EXPECT_THAT(notes[0].text(), testing::HasSubstr("do_constant_folding=False"));
}

TEST(FoldedNorms, ABiasThatTheNewExporterNamed) {
  EXPECT_THAT(Network().convolution("conv1.weight", "getitem_bias").relu().notes(),
              ElementsAre(HasCode(says.norms_folded)));
}

TEST(FoldedNorms, NormsThatAreThereAreNotFolded) {
  EXPECT_THAT(Network().convolution("conv1.weight").batch_norm("bn1").relu().notes(), IsEmpty());
  // Norm and activation first, as in a pre-activation network.
  EXPECT_THAT(Network().batch_norm("bn1").relu().convolution("conv1.weight").notes(), IsEmpty());
}

TEST(FoldedNorms, BiasesOfTheNetworkAreNoSign) {
  EXPECT_THAT(Network().convolution("conv1.weight", "conv1.bias").relu().notes(), IsEmpty());
}

TEST(FoldedNorms, NeitherBiasNorNormIsAHint) {
  const std::vector<Note> notes = Network()
                                      .convolution("conv1.weight")
                                      .relu()
                                      .convolution("conv2.weight")
                                      .convolution("conv3.weight", "conv3.bias")
                                      .notes();
  ASSERT_THAT(notes, ElementsAre(HasCode(says.norms_or_biases_left_out)));
  EXPECT_EQ(notes[0].values, (std::vector<NoteValue>{2, 3}));
}

TEST(FoldedNorms, OtherProducersNameTensorsAsTheyLike) {
  EXPECT_THAT(Network().convolution("onnx::Conv_11", "onnx::Conv_12").notes("tf2onnx"), IsEmpty());
}

}  // namespace
}  // namespace rooflab::onnx
