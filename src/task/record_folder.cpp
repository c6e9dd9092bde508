#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/results.hpp"
#include "system/folder_lock.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using record::CaseIdentity;
using record::Record;
using record::ScaleRun;

int ranks_of(const Record& /*run*/) { return 1; }
int ranks_of(const ScaleRun& run) { return run.ranks_wanted; }

std::string stem_of(const Record& run) { return record_file_stem(run.identity); }
std::string stem_of(const ScaleRun& run) {
  return format("{}-x{}", record_file_stem(run.identity), run.ranks_wanted);
}

void save(const fs::path& file, const Record& run) { record::write_record(file, run); }
void save(const fs::path& file, const ScaleRun& run) { save_file(file, run); }

/// Whether both are one case on as many devices, whatever settings they were measured with.
template <class Run>
bool same_case(const Run& a, const Run& b) {
  CaseIdentity left = a.identity;
  CaseIdentity right = b.identity;
  left.command.clear();
  right.command.clear();
  return ranks_of(a) == ranks_of(b) && left == right;
}

std::string safe_name(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    const bool plain = is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
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

bool says_kind(const Json& json, const FileKind& kind) {
  const Json* const said = json.find(kind.key);
  return said != json.end() && *said == kind.name;
}

}  // namespace

std::string record_file_stem(const CaseIdentity& identity) {
  const std::string model =
      identity.model.ends_with(".onnx") ? fs::path(identity.model).stem().string() : identity.model;
  std::string device = identity.device;
  std::erase(device, ':');
  std::vector<std::string> parts = {safe_name(model), device, format("b{}", identity.batch.value()),
                                    std::string(name_of(identity.phase)),
                                    std::string(name_of(identity.precision))};
  if (parts.front().empty()) parts.front() = "model";
  const std::string& data = identity.data.value();
  const bool usual_optimizer = identity.optimizer.empty() || identity.optimizer == "sgd-momentum";
  for (const std::string& part :
       {identity.variant, identity.rewrite, usual_optimizer ? "" : identity.optimizer,
        identity.channels_last ? std::string("channels-last") : "",
        data == "dummy" ? "" : data.substr(0, data.find(':')), identity.other_worker()}) {
    if (!part.empty()) parts.push_back(safe_name(part));
  }
  return join(parts, "-");
}

template <class Run>
RunFolder<Run>::RunFolder(fs::path path) : path_(std::move(path)) {
  if (path_.empty()) return;
  lock_ = std::make_shared<const FolderLock>(path_);
  for (const fs::path& file : files_in(path_, ".json")) {
    // What the system cannot read may be the very case that is asked for.
    const std::string text = read_file(file);
    bool is_run = true;  // until it says that it is something else, which is left alone
    try {
      const Json json = parse_json(text, file.string());
      is_run = says_kind(json, file_kind_of(For<Run>{}));
      if (is_run) runs_.emplace(file, from_file_json<Run>(json, file.string()));
    } catch (const Error& error) {
      if (is_run) unreadable_.push_back(format("left as it is: {}", error.full_message()));
    }
  }
}

template <class Run>
const Run* RunFolder<Run>::finished(const CaseIdentity& identity, int ranks) const {
  for (const auto& [file, known] : runs_) {
    const bool done = known.status == record::Status::ok || known.status == record::Status::oom ||
                      known.status == record::Status::unsupported;
    if (done && ranks_of(known) == ranks && known.identity == identity) return &known;
  }
  return nullptr;
}

template <class Run>
void RunFolder<Run>::write(const Run& run) {
  if (path_.empty() || run.status == record::Status::interrupted) return;
  const std::string stem = stem_of(run);
  const auto same = std::ranges::find_if(
      runs_, [&run](const auto& entry) { return same_case(entry.second, run); });
  fs::path file = same != runs_.end() ? same->first : path_ / (stem + ".json");
  for (int number = 2; same == runs_.end() && is_there(file); ++number) {
    file = path_ / format("{}-{}.json", stem, number);
  }
  save(file, run);
  runs_[file] = run;
}

template class RunFolder<Record>;
template class RunFolder<ScaleRun>;

}  // namespace rooflab::task
