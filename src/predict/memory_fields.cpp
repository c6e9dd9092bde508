#include "describe/field_table.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {

std::span<const Field> fields_of(For<MemoryEstimate>) {
  static constexpr Field fields[] = {
      field<&MemoryEstimate::parameters>("parameter_bytes"),
      field<&MemoryEstimate::buffers>("buffer_bytes"),
      field<&MemoryEstimate::gradients>("gradient_bytes"),
      field<&MemoryEstimate::optimizer>("optimizer_bytes"),
      field<&MemoryEstimate::input>("input_bytes").says("With the labels of a training step."),
      field<&MemoryEstimate::cache>("cache_bytes").sparse(),
      field<&MemoryEstimate::saved_activations>("saved_activation_bytes"),
      field<&MemoryEstimate::peak_activations>("peak_activation_bytes"),
      field<&MemoryEstimate::exchange>("exchange_bytes").sparse(),
      field<&MemoryEstimate::workspace>("workspace_bytes"),
      field<&MemoryEstimate::allocated_peak>("allocated_peak_bytes"),
      field<&MemoryEstimate::reserved>("reserved_peak_bytes"),
      field<&MemoryEstimate::context>("context_bytes"),
      field<&MemoryEstimate::communication_buffers>("communication_buffer_bytes").sparse(),
      field<&MemoryEstimate::total>("total_bytes"),
      field<&MemoryEstimate::most_total>("most_total_bytes").or_default(),
      field<&MemoryEstimate::least_total>("least_total_bytes").or_default(),
      field<&MemoryEstimate::assumed>("assumed").or_default(),
      field<&MemoryEstimate::unknown>("unknown"),
  };
  return fields;
}

std::span<const Field> fields_of(For<AssumedMemory>) {
  static constexpr Field fields[] = {
      field<&AssumedMemory::part>("part"),
      field<&AssumedMemory::expected>("expected_bytes"),
      field<&AssumedMemory::most>("most_bytes"),
      field<&AssumedMemory::source>("evidence"),
  };
  return fields;
}

}  // namespace rooflab::predict
