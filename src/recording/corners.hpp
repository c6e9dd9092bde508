#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "rooflab/recording/recording.hpp"
#include "size_rule.hpp"
#include "step_form.hpp"

namespace rooflab::recording {

/// Correspondence of the recordings from which sizes are derived: op by op, and tensor by tensor
/// where an op names them. Two tensors of one recording may correspond to one in another, such as
/// an expanded batch of 1.
class StepSizes::Corners {
 public:
  /// Takes the recordings; nullptr: no other batch or context was recorded. Throws Error (input)
  /// where they are not of one step.
  Corners(const Recording& base, const Recording* by_batch, const Recording* by_context);

  [[nodiscard]] Recording at(const StepSize& size) const;

 private:
  /// Numbers of a tensor in the recordings; -1: that recording is missing.
  using Ids = std::array<TensorId, 3>;
  struct Axis {
    Corner extent;
    Corner stride;
    int follows = -1;    ///< axis with this product of stride and extent; -1: none
    bool dense = false;  ///< the stride is the product of the inner extents without expanded ones
    /// Whether it is not known how the stride changes: some extents are 1, where strides have no
    /// meaning, and the others do not determine it.
    bool unknown = false;
  };
  struct Matched {
    std::int32_t storage = 0;
    DType dtype = DType::f32;
    std::vector<Axis> axes;
    std::vector<std::size_t> order;  ///< axes, each after the one it follows
    Corner offset;                   ///< relative to `parent`, if there is one
    TensorId parent = -1;            ///< tensor of which the op takes a view; -1: none
    std::size_t op = 0;              ///< first op that names it; the number of ops: none
  };
  /// Rule for the bytes of a storage.
  struct Size {
    enum class Kind : std::uint8_t { full, rounded, line } kind = Kind::line;
    std::int64_t multiple = 1;  ///< for `rounded`
    Corner bytes;
  };

  /// Gets a number from each recording.
  template <class Get>
  [[nodiscard]] Corner corner(Get get) const {
    const std::int64_t base = get(0);
    return {base, all_[1] == nullptr ? base : get(1), all_[2] == nullptr ? base : get(2)};
  }
  /// Calls `visit` with each recording except the base, and its place in `all_`.
  template <class Visit>
  void each_other(Visit visit) const {
    for (std::size_t i = 1; i < all_.size(); ++i) {
      if (all_[i] != nullptr) visit(i, *all_[i]);
    }
  }

  void match_tensors();
  void match_unnamed();
  void describe(const Ids& ids, Matched& matched) const;
  void find_followed(Matched& matched) const;
  void find_parents();
  void match_arguments();
  void match_sizes();
  [[nodiscard]] std::array<std::vector<Bytes>, 3> reached() const;

  [[nodiscard]] Layout layout(const Matched& matched, const SizeRule& rule) const;
  [[nodiscard]] Json argument(std::size_t op, const std::array<const Json*, 3>& corners,
                              const SizeRule& rule, const std::string& name) const;
  template <class What>
  [[nodiscard]] std::int64_t whole(const Corner& corner, const SizeRule& rule, std::size_t op,
                                   What what) const;
  template <class What>
  [[nodiscard]] std::int64_t extent(const Corner& corner, const SizeRule& rule, std::size_t op,
                                    What what) const;
  template <class What>
  void check_range(std::int64_t value, What what) const;
  [[nodiscard]] std::string op_text(std::size_t op) const;

  std::array<const Recording*, 3> all_;  ///< base, in another batch, in another context
  SizeRule::Known known_;
  std::map<Ids, TensorId> ids_;
  std::vector<Matched> tensors_;
  std::vector<std::size_t> changing_;  ///< ops whose arguments differ
  std::vector<Size> sizes_;            ///< index: storage
  Recording frame_;                    ///< the base without tensors; operands are in `tensors_`
};

}  // namespace rooflab::recording
