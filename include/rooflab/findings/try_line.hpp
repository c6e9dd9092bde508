#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"

/// The lines of PyTorch that findings advise to try, each described once. Rules choose among them;
/// docs/methods/findings.md lists them; tests/python/test_try_lines.py and
/// tools/gpu/try_findings.py run them.
namespace rooflab::findings {

enum class TryLine : std::uint8_t {
  compile,
  compile_graphs,
  larger_batch,
  load_ahead,
  pin_loader,
  pin_batch,
  channels_last,
  tf32_products,
  tf32_convolutions,
  autocast_fp16,
  pad_channels,
  pad_classes,
  fewer_checkpoints,
  fused_optimizer,
  foreach_optimizer,
  larger_buckets,
  cudnn_benchmark,
};

/// Minimum requirement for running a line.
enum class TryOn : std::uint8_t { cpu, pytorch2, gpu };
constexpr auto names_in_order(For<TryOn>) {
  return names_through<TryOn::gpu>("a CPU", "a CPU with PyTorch 2", "a GPU");
}

struct TryLineRow {
  TryLine line = {};
  TryOn on = TryOn::cpu;
  std::string_view text = {};  ///< a Python statement; `{}`: a value of the case
};

inline constexpr std::array try_lines = std::to_array<TryLineRow>({
    {TryLine::compile, TryOn::pytorch2, "model = torch.compile(model)"},
    {TryLine::compile_graphs, TryOn::pytorch2,
     "model = torch.compile(model, mode=\"reduce-overhead\")"},
    {TryLine::larger_batch, TryOn::cpu, "batch_size = 2 * batch_size"},
    {TryLine::load_ahead, TryOn::cpu,
     "loader = torch.utils.data.DataLoader(dataset, batch_size, shuffle, num_workers=8, "
     "persistent_workers=True, pin_memory=True)"},
    {TryLine::pin_loader, TryOn::cpu,
     "loader = torch.utils.data.DataLoader(dataset, batch_size, shuffle, pin_memory=True); "
     "batch = batch.to(device, non_blocking=True)"},
    {TryLine::pin_batch, TryOn::gpu, "batch = batch.pin_memory().to(device, non_blocking=True)"},
    {TryLine::channels_last, TryOn::cpu,
     "model = model.to(memory_format=torch.channels_last); "
     "images = images.to(memory_format=torch.channels_last)"},
    {TryLine::tf32_products, TryOn::cpu, "torch.set_float32_matmul_precision(\"high\")"},
    {TryLine::tf32_convolutions, TryOn::cpu, "torch.backends.cudnn.allow_tf32 = True"},
    {TryLine::autocast_fp16, TryOn::cpu,
     "with torch.autocast(\"cuda\", dtype=torch.float16): output = model(inputs)"},
    // The layer takes as many channels as the images get, with weights of 0 that its optimizer has.
    {TryLine::pad_channels, TryOn::cpu,
     "conv = model.get_submodule(\"{}\"); extra = (0, 0, 0, 0, 0, -conv.in_channels % {}); "
     "conv.weight.data = torch.nn.functional.pad(conv.weight.data, extra); "
     "images = torch.nn.functional.pad(images, extra)"},
    {TryLine::pad_classes, TryOn::cpu,
     "head = torch.nn.Linear(features, (classes + 63) // 64 * 64)"},
    {TryLine::fewer_checkpoints, TryOn::cpu,
     "x = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False) if number % 2 "
     "else block(x)"},
    // The optimizer stays what it is, with all that it was given.
    {TryLine::fused_optimizer, TryOn::pytorch2,
     "for group in optimizer.param_groups: group[\"fused\"] = True"},
    {TryLine::foreach_optimizer, TryOn::cpu,
     "for group in optimizer.param_groups: group[\"foreach\"] = True"},
    {TryLine::larger_buckets, TryOn::cpu,
     "model = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=50, "
     "gradient_as_bucket_view=True)"},
    {TryLine::cudnn_benchmark, TryOn::cpu, "torch.backends.cudnn.benchmark = True"},
});

[[nodiscard]] constexpr const TryLineRow& row_of(TryLine line) {
  return try_lines.at(static_cast<std::size_t>(line));
}

static_assert(
    [] {
      for (std::size_t i = 0; i < try_lines.size(); ++i) {
        if (static_cast<std::size_t>(try_lines[i].line) != i) return false;
      }
      return try_lines.size() == static_cast<std::size_t>(TryLine::cudnn_benchmark) + 1;
    }(),
    "a row for each line, in their order");

/// The text of a line with `values` in place of `{}`.
[[nodiscard]] std::string text_of(TryLine line, const std::vector<std::string>& values = {});

}  // namespace rooflab::findings
