#include "source_model.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "achievable_rate.hpp"

namespace rooflab::predict {
namespace {

constexpr double other_type_deviation = 0.2;
/// fp16 and bf16 run on the same units: products at 652 and 697 TFLOP/s on the H200, as the power
/// limit allows (docs/measured/h200.md); everything else moves the same bytes.
constexpr double other_half_deviation = 0.07;
constexpr double other_layout_deviation = 0.3;
constexpr double other_function_deviation = 0.3;
constexpr double masked_deviation = 0.4;
constexpr double other_group_deviation = 0.3;

bool is_half(std::string_view type) { return type == "fp16" || type == "f16" || type == "bf16"; }

/// Types whose kernels are most alike, nearest first.
std::vector<std::string_view> other_types(std::string_view type) {
  if (type == "fp16") return {"bf16", "tf32", "fp32"};
  // Both of matrix paths and of data.
  if (type == "bf16") return {"fp16", "f16", "tf32", "fp32", "f32"};
  if (type == "tf32" || type == "fp64") return {"fp32"};
  if (type == "int8") return {};  // other units, and kernels that requantise
  if (type == "f16") return {"bf16", "f32"};
  if (type == "f32") return {"bf16", "f16"};
  return {"f32", "bf16"};
}

}  // namespace

OpShape other_half(OpShape shape) {
  constexpr std::string_view cast = "cast_f16";  // named after the type that it gives
  if (shape.op.starts_with(cast)) shape.op.replace(0, cast.size(), "cast_bf16");
  if (shape.type == "bf16") {
    shape.type = is_product(shape.op) ? "fp16" : "f16";
  } else if (shape.type == "fp16" || shape.type == "f16") {
    shape.type = "bf16";
  }
  return shape;
}

SourceModel::SourceModel(device::LazyCalibration calibration, device::Device device)
    : calibration_(std::move(calibration)), device_(std::move(device)) {}

OpModel::Estimate SourceModel::Found::estimate() const {
  OpModel::Estimate found = model->estimate(shape.sizes);
  if (beyond != 1.0) {
    const double least = std::min(model->floor(), found.time_s);
    found.time_s = least + (found.time_s - least) * beyond;
    found.deviation = std::hypot(found.deviation, model->error());
  }
  found.time_s *= factor;
  found.deviation = std::hypot(found.deviation, extra_deviation);
  return found;
}

std::string SourceModel::origin_of(const std::string& kind) const {
  const device::CalibratedKind* const known = listed(kind);
  if (known == nullptr || !known->published) return "";
  return calibration().origins.at(calibration().ops.at(kind).published->origin).title;
}

bool SourceModel::has_probed(const OpShape& shape) const {
  const device::CalibratedKind* const known = listed(shape.kind());
  return known != nullptr && known->fitted && !known->published;
}

/// Kinds of an entry are in the order of their names.
const device::CalibratedKind* SourceModel::listed(const std::string& kind) const {
  const auto at = std::ranges::lower_bound(entry().kinds, kind, {}, &device::CalibratedKind::name);
  return at != entry().kinds.end() && at->name == kind ? &*at : nullptr;
}

const OpModel* SourceModel::model(const std::string& kind) const {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = models_.find(kind); known != models_.end()) return known->second.get();
  }
  const device::CalibratedKind* const known_kind = listed(kind);
  if (known_kind == nullptr || !known_kind->fitted) return nullptr;
  std::unique_ptr<const OpModel> made;
  const device::OpTable& table = calibration().ops.at(kind);
  const double multiprocessors = device_.sm_count ? device_.sm_count->value : 1.0;
  // A table of an older version may have other sizes; its times then say nothing here.
  if (std::ranges::equal(table.columns, columns_of(shape_of_kind(kind).op))) {
    made = std::make_unique<const OpModel>(kind, table, multiprocessors);
  }
  const std::scoped_lock lock(mutex_);  // the first of several threads decides
  return models_.emplace(kind, std::move(made)).first->second.get();
}

std::size_t SourceModel::rows_of(const std::string& kind) const {
  return calibration().ops.at(kind).rows.size();
}

std::optional<SourceModel::Found> SourceModel::attempt(OpShape asked, double factor,
                                                       double extra) const {
  std::string kind = asked.kind();
  const OpModel* found = model(kind);
  if (found == nullptr || !found->covers(asked.sizes)) return std::nullopt;
  OpShape inside = asked;
  inside.sizes = found->nearest_inside(asked.sizes);
  const double beyond = inside.sizes == asked.sizes
                            ? 1.0
                            : achievable_times(asked, device_).longest() /
                                  achievable_times(inside, device_).longest();
  return Found{found, std::move(kind), std::move(inside), factor, extra, beyond};
}

std::optional<SourceModel::Found> SourceModel::own(const OpShape& shape) const {
  return attempt(shape, 1.0, 0.0);
}

/// Attention where no such kind was measured with its groups: by its heads alone. Groups of rows
/// with a matrix each: as a batch of products.
std::optional<SourceModel::Found> SourceModel::without_group(const OpShape& shape) const {
  OpShape other = shape;
  double extra = other_group_deviation;
  if (shape.op == "grouped_matmul") {
    other.op = "matmul";
    other.pass = shape.pass == "forward" ? "forward" : "backward";
    other.sizes[1] = std::max(1.0, shape.sizes[1] / shape.sizes[0]);
  } else if (shape.op == "attention_decode_masked") {
    other.op = "attention_decode";
    extra = masked_deviation;
  } else if (names_group(shape.op)) {
    other.op = shape.op == "attention_decode"
                   ? "attention"
                   : shape.op.substr(0, shape.op.size() - std::string_view("_grouped").size());
    other.sizes.erase(other.sizes.begin() + 1);
  } else {
    return std::nullopt;
  }
  auto found = nearest(other);
  if (found) found->extra_deviation = std::hypot(found->extra_deviation, extra);
  return found;
}

/// Takes the measured type whose kernels are most alike.
std::optional<SourceModel::Found> SourceModel::in_other_type(const OpShape& shape) const {
  for (const std::string_view type : other_types(shape.type)) {
    OpShape other = shape;
    other.type = type;
    // Depthwise kernels for NCHW work on the CUDA cores whatever the precision allows.
    const bool equal = shape.op.ends_with("_depthwise") && shape.type == "tf32";
    double factor = 1.0;
    if (!equal) {
      factor = is_product(shape.op) ? datasheet_times(shape, device_).longest() /
                                          datasheet_times(other, device_).longest()
                                    : element_bytes(shape.type) / element_bytes(type);
    }
    const double extra = equal                                  ? 0.0
                         : is_half(shape.type) && is_half(type) ? other_half_deviation
                                                                : other_type_deviation;
    if (auto found = attempt(other, factor, extra)) return found;
  }
  return std::nullopt;
}

std::optional<SourceModel::Found> SourceModel::in_other_layout(const OpShape& shape) const {
  if (shape.layout.empty()) return std::nullopt;
  OpShape other = shape;
  // Some kinds bear a layout only where it is NHWC.
  for (const char* layout : {shape.layout == "nhwc" ? "nchw" : "nhwc", ""}) {
    other.layout = layout;
    if (auto found = attempt(other, 1.0, other_layout_deviation)) return found;
  }
  return std::nullopt;
}

std::optional<SourceModel::Found> SourceModel::nearest(const OpShape& shape) const {
  if (auto found = own(shape)) {
    // One time for both 16-bit types on devices that were not measured: the table with more rows.
    if (const OpShape twin = other_half(shape); twin != shape) {
      auto other = own(twin);
      if (other && rows_of(other->kind) > rows_of(found->kind)) {
        other->extra_deviation = other_half_deviation;
        return other;
      }
    }
    return found;
  }
  // Repeated elements are read once: as many bytes of a copy that keeps as much together.
  if (shape.op == "copy_expanded") {
    OpShape copy = shape;
    copy.op = "copy_strided";
    copy.sizes = {0.5 * shape.sizes[0] * (1.0 + 1.0 / shape.sizes[1]), shape.sizes[2]};
    if (auto found = attempt(copy, 1.0, other_layout_deviation)) return found;
  }
  // A strided cast is a cast whose time the copy decides.
  if (shape.op.ends_with("_strided")) {
    OpShape plain = shape;
    plain.op = shape.op.substr(0, shape.op.size() - std::string_view("_strided").size());
    plain.sizes.resize(1);  // elements; a copy's run says nothing there
    if (auto found = attempt(plain, 1.3, other_layout_deviation)) return found;
  }
  // A mask is read in addition to the operands, and some kernels know none.
  if (shape.op == "attention_masked") {
    OpShape whole = shape;
    whole.op = "attention";
    if (auto found = nearest(whole)) {
      found->extra_deviation = std::hypot(found->extra_deviation, masked_deviation);
      return found;
    }
  }
  if (auto found = without_group(shape)) return found;
  // A cast is named after the type that it gives; what it reads comes below.
  if (constexpr std::string_view cast = "cast_f16"; shape.op.starts_with(cast)) {
    OpShape other = shape;
    other.op.replace(0, cast.size(), "cast_bf16");
    if (auto found = nearest(other)) {
      found->extra_deviation = std::hypot(found->extra_deviation, other_half_deviation);
      return found;
    }
  }
  if (auto found = in_other_type(shape)) return found;
  if (auto found = in_other_layout(shape)) return found;
  if (is_product(shape.op)) return std::nullopt;
  // Work on every element by bytes: a plain function reads one tensor and writes one.
  const OpWork work = work_of(shape);
  const bool half = element_bytes(shape.type) < 4.0;
  OpShape plain{"relu", "forward", half ? "bf16" : "f32", "", {}};
  plain.sizes = {std::max(1.0, work.bytes / 2.0 / element_bytes(plain.type))};
  return attempt(plain, 1.0, other_function_deviation);
}

}  // namespace rooflab::predict
