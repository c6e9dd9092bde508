#include "rooflab/task/record_folder.hpp"

#include <algorithm>

#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using record::CaseIdentity;
using record::Record;

/// The same case, whatever settings it was measured with.
bool same_case(CaseIdentity a, CaseIdentity b) {
  a.command.clear();
  b.command.clear();
  return a == b;
}

std::string safe_name(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    if (plain) {
      safe += c;
    } else if (!safe.empty() && safe.back() != '-') {
      safe += '-';
    }
  }
  while (!safe.empty() && (safe.front() == '.' || safe.front() == '-')) safe.erase(0, 1);
  while (!safe.empty() && safe.back() == '-') safe.pop_back();
  constexpr std::size_t longest = 80;
  return safe.substr(0, longest);
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json")
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::string record_file_stem(const CaseIdentity& identity) {
  const std::string model =
      identity.model.ends_with(".onnx") ? fs::path(identity.model).stem().string() : identity.model;
  std::string device = identity.device;
  std::erase(device, ':');
  std::vector<std::string> parts = {safe_name(model), device, format("b{}", identity.batch),
                                    std::string(name_of(identity.phase)),
                                    std::string(name_of(identity.precision))};
  if (parts.front().empty()) parts.front() = "model";
  const bool usual_optimizer = identity.optimizer.empty() || identity.optimizer == "sgd-momentum";
  for (const std::string& part :
       {identity.variant, identity.rewrite, usual_optimizer ? "" : identity.optimizer,
        identity.channels_last ? std::string("channels-last") : "",
        identity.data == "dummy" ? "" : identity.data.substr(0, identity.data.find(':'))}) {
    if (!part.empty()) parts.push_back(safe_name(part));
  }
  return join(parts, "-");
}

RecordFolder::RecordFolder(fs::path path) : path_(std::move(path)) {
  std::error_code status;
  fs::create_directories(path_, status);
  if (!fs::is_directory(path_, status)) {
    throw Error(ErrorKind::input, format("cannot make the folder '{}'", path_.string()),
                "-o takes a folder, or a file that ends in .html, .md, .csv, .json or .txt");
  }
  for (const fs::path& file : json_files(path_)) {
    try {
      records_.emplace(file, load_file<record::Record>(file));
    } catch (const Error&) {
      // Something else lies here too; it is left alone.
    }
  }
}

const Record* RecordFolder::finished(const CaseIdentity& identity) const {
  for (const auto& [file, known] : records_) {
    const bool done = known.status == record::Status::ok || known.status == record::Status::oom ||
                      known.status == record::Status::unsupported;
    if (done && known.identity == identity) return &known;
  }
  return nullptr;
}

fs::path RecordFolder::write(const Record& record) {
  const std::string stem = record_file_stem(record.identity);
  const auto same = std::ranges::find_if(records_, [&record](const auto& entry) {
    return same_case(entry.second.identity, record.identity);
  });
  fs::path file = same != records_.end() ? same->first : path_ / (stem + ".json");
  for (int number = 2; same == records_.end() && fs::exists(file); ++number) {
    file = path_ / format("{}-{}.json", stem, number);
  }
  record::write_record(file, record);
  records_[file] = record;
  return file;
}

}  // namespace rooflab::task
