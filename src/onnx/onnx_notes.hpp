#pragma once

#include "rooflab/describe/note.hpp"

namespace rooflab::onnx {

/// What the reader of ONNX files says about a network.
struct Sentences {
  NoteSentence output_declared_otherwise{
      "output_declared_otherwise",
      "the file declares its output '{}' as {}, but its nodes make {}, which counts",
      NoteRank::changes};
  NoteSentence batch_taken_as_1{
      "batch_taken_as_1",
      "the batch dimension '{0}' is open and taken as 1 (--batch N or --dim {0}=N sets it)"};
  NoteSentence op_not_counted{"op_not_counted", "{} is not counted: {}[| ({} nodes)]",
                              NoteRank::changes};
  NoteSentence op_values_differ{"op_values_differ", "{} {}[| ({} nodes)]", NoteRank::changes};
  NoteSentence elements_unused{
      "elements_unused", "{} of {} float elements in the file take no part in the computation"};
  NoteSentence elements_constant{
      "elements_constant",
      "{} element[ is a constant, not a parameter|s are constants, not parameters] (Constant"
      " nodes, integers, masks)"};
  NoteSentence norms_folded{
      "norms_folded",
      "the exporter folded batch norms into {} of {} convolution[|s]: eager runs them, so this is"
      " not the network's time; export with optimize=False (dynamo=True) or"
      " do_constant_folding=False (dynamo=False)",
      NoteRank::changes};
  NoteSentence norms_or_biases_left_out{
      "norms_or_biases_left_out",
      "{} of {} convolution[ has|s have] neither a bias nor a batch norm: the exporter folds batch"
      " norms and leaves out biases of zeros, which eager runs; export with optimize=False",
      NoteRank::changes};
  NoteSentence attention_by_hand{
      "attention_by_hand",
      "{} attention[ is|s are] written out as products and a softmax, as code without"
      " scaled_dot_product_attention runs [it|them]: [it is|they are] predicted op by op"};
  NoteSentence dropout_unknown{
      "dropout_unknown",
      "the file has no dropout: exporters leave it out in evaluation mode, so training is"
      " predicted without it (dynamo=False, training=torch.onnx.TrainingMode.TRAINING keeps it)"};
  NoteSentence values_unreadable{
      "values_unreadable", "the data of '{}'< and {} more> cannot be read: {2}", NoteRank::changes};
};
inline constexpr Sentences says{};

}  // namespace rooflab::onnx
