#include "class_folders.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "decoded_images.hpp"
#include "image.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"
#include "transform_image.hpp"

namespace rooflab::data {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largest_file = 256U << 20U;

[[noreturn]] void refuse(const fs::path& path, std::string message, std::string hint) {
  throw Error(ErrorKind::input, std::move(message), std::move(hint), {.file = path.string()});
}

/// What lies in a folder, in the system's order.
std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code trouble;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator entry(folder, trouble);
  while (!trouble && entry != fs::directory_iterator()) {
    entries.push_back(*entry);
    entry.increment(trouble);
  }
  if (trouble) refuse(folder, "cannot list the folder: " + trouble.message(), {});
  return entries;
}

/// What a broken link leads to is neither a folder nor a file. Whatever else the system cannot tell
/// may be a class, or a whole split.
template <class Question>
bool is_so(const fs::directory_entry& entry, Question question) {
  std::error_code reason;
  const bool answer = question(entry, reason);
  const bool is_broken_link = reason == std::errc::no_such_file_or_directory ||
                              reason == std::errc::too_many_symbolic_link_levels;
  if (reason && !is_broken_link) throw unusable(entry.path(), reason);
  return answer;
}
bool leads_to_folder(const fs::directory_entry& entry) {
  return is_so(entry,
               [](const auto& it, std::error_code& reason) { return it.is_directory(reason); });
}

bool is_image_file(const fs::directory_entry& entry) {
  const std::string extension = lowercase(entry.path().extension().string());
  const bool known = extension == ".jpg" || extension == ".jpeg" || extension == ".png";
  return known && is_so(entry, [](const auto& it, std::error_code& reason) {
           return it.is_regular_file(reason);
         });
}

/// The folder without links on the way. Throws Error (input) where the system cannot say.
fs::path real_folder(const fs::path& folder) {
  std::error_code reason;
  fs::path real = fs::canonical(folder, reason);
  if (reason) throw unusable(folder, reason);
  return real;
}

/// Adds the images below `folder`. `above`: the real folders on the way here; a link back to one of
/// them would lead in a circle.
void collect_images(const fs::path& folder, std::set<fs::path>& above,
                    std::vector<fs::path>& images) {
  const auto [place, is_new] = above.insert(real_folder(folder));
  if (!is_new) return;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    if (leads_to_folder(entry)) {
      collect_images(entry.path(), above, images);
    } else if (is_image_file(entry)) {
      images.push_back(entry.path());
    }
  }
  above.erase(place);
}

/// ImageFolder's order: by folder, then by name, as texts and not as paths.
bool comes_before(const fs::path& a, const fs::path& b) {
  return std::make_tuple(a.parent_path().native(), a.filename().native()) <
         std::make_tuple(b.parent_path().native(), b.filename().native());
}

std::vector<std::string> folder_names(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : entries_of(root)) {
    if (leads_to_folder(entry)) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ClassFolders : public Dataset {
 public:
  ClassFolders(fs::path root, std::vector<std::string> classes)
      : root_(std::move(root)), classes_(std::move(classes)) {
    for (std::size_t label = 0; label < classes_.size(); ++label) {
      const fs::path folder = root_ / classes_[label];
      std::set<fs::path> above = {real_folder(root_)};
      std::vector<fs::path> images;
      collect_images(folder, above, images);
      if (images.empty()) {
        refuse(folder, "no image in this class folder",
               "images are .jpg, .jpeg and .png files; take the folder away if it is not a class");
      }
      std::sort(images.begin(), images.end(), comes_before);
      for (const fs::path& image : images) {
        samples_.push_back({fs::path(image.native().substr(root_.native().size())).string(),
                            static_cast<std::int64_t>(label)});
      }
    }
    decoded_ = std::make_unique<DecodedImages>(size());
  }

  [[nodiscard]] std::int64_t size() const override {
    return static_cast<std::int64_t>(samples_.size());
  }
  [[nodiscard]] const std::vector<std::string>& classes() const override { return classes_; }

  [[nodiscard]] std::optional<std::int64_t> load(std::int64_t index,
                                                 const ImageTransform& transform,
                                                 std::uint64_t seed, std::span<float> pixels,
                                                 std::string& reason) const override {
    if (const std::optional<ImageView> kept = decoded_->find(index)) {
      transform_image(*kept, transform, seed, pixels);
      return sample(index).label;
    }
    std::optional<Image> image = decode_file(name_of(index), reason);
    if (!image) return std::nullopt;
    transform_image(view_of(*image), transform, seed, pixels);
    decoded_->keep(index, *image);
    return sample(index).label;
  }

  [[nodiscard]] std::string name_of(std::int64_t index) const override {
    return root_.string() + sample(index).name;
  }

 private:
  /// A million paths are held, so each only from the root on.
  struct Sample {
    std::string name;
    std::int64_t label = 0;
  };

  [[nodiscard]] const Sample& sample(std::int64_t index) const {
    ROOFLAB_ASSERT(index >= 0 && index < size());
    return samples_[static_cast<std::size_t>(index)];
  }

  static std::optional<Image> decode_file(const fs::path& path, std::string& reason) {
    std::error_code ignored;
    const std::uintmax_t bytes = fs::file_size(path, ignored);
    if (!ignored && bytes > largest_file) {
      reason = format("{} bytes are more than the limit of {} MiB", bytes, largest_file >> 20U);
      return std::nullopt;
    }
    std::string content;
    try {
      content = read_file(path);
    } catch (const Error& error) {
      reason = error.what();
      return std::nullopt;
    }
    return decode_image(content, reason);
  }

  fs::path root_;
  std::vector<std::string> classes_;
  std::vector<Sample> samples_;
  std::unique_ptr<DecodedImages> decoded_;  ///< a cache: load() is const all the same
};

}  // namespace

fs::path split_folder(const fs::path& path, Split split) {
  if (!is_folder(path)) {
    refuse(path, is_there(path) ? "not a folder" : "no such folder",
           "give the folder that holds one folder per class");
  }
  const std::vector<std::string> names = folder_names(path);
  const auto has = [&](std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  const bool has_test = has("val") || has("test");
  const bool only_splits = std::all_of(names.begin(), names.end(), [](const std::string& name) {
    return name == "train" || name == "val" || name == "test";
  });
  const bool is_split = (has("train") && has_test) || (only_splits && !names.empty());
  if (!is_split) return path;
  if (split == Split::train && has("train")) return path / "train";
  if (split == Split::test && has_test) return path / (has("val") ? "val" : "test");
  refuse(path,
         split == Split::train ? "no train/ folder next to val/ or test/"
                               : "no val/ or test/ folder next to train/",
         "add it, or give the folder that holds the class folders");
}

std::unique_ptr<Dataset> open_class_folders(const fs::path& root) {
  std::vector<std::string> classes = folder_names(root);
  if (classes.empty()) {
    refuse(root, "no class folder", "images lie in one folder per class: cats/1.jpg, dogs/2.jpg");
  }
  return std::make_unique<ClassFolders>(root, std::move(classes));
}

}  // namespace rooflab::data
