#include "worker_builder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "build_tools.hpp"
#include "list_clock.hpp"
#include "monitor/host.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"
#include "system/folder_lock.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

using engine::probe_worker;
using engine::torch_worker;
constexpr double memory_of_a_compiler = 2e9;  ///< bytes, with libtorch's headers

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// `torch-2.11.0+cu130-1f2e…`: the version, and a hash of where it is.
std::string key_of(const TorchPlace& torch) {
  std::string name;
  for (const char c : torch.version) {
    const bool plain = is_digit(c) || is_letter(c);
    name += plain || c == '.' || c == '+' ? c : '_';
  }
  return format("torch-{}-{:016x}", name, fnv1a(torch.folder.string()));
}

bool works(const fs::path& worker) {
  try {
    (void)engine::describe(worker);
    return true;
  } catch (const Error&) {
    return false;
  }
}

/// Throws where the cache's folder does not take what it must hold.
void check_written(const fs::path& path, std::error_code error) {
  if (!error) return;
  throw Error(ErrorKind::system, format("{}: {}", path.string(), error.message()),
              "XDG_CACHE_HOME names a folder that can be written");
}

/// Points the link at a folder next to it; whoever looks meanwhile finds the old or the new one.
void make_current(const fs::path& folder) {
  const fs::path link = folder.parent_path() / engine::current_workers;
  const fs::path next = format("{}.{}.next", link.string(), ::getpid());
  std::error_code error;
  fs::remove(next, error);
  fs::create_directory_symlink(folder.filename(), next, error);
  if (!error) fs::rename(next, link, error);
  check_written(link, error);
}

/// One build of the sources in a separate folder.
class Build {
 public:
  Build(const TorchPlace& torch, const BuildTools& tools, fs::path folder, const Session& session)
      : torch_(torch),
        tools_(tools),
        folder_(std::move(folder)),
        session_(session),
        definitions_(definitions()),
        build_(folder_ / format("build-{:016x}", fnv1a(join(definitions_, "\n")))) {}

  void run() {
    remove_other_builds();
    make_folders(build_);
    configure();
    compile();
    for (const std::string_view name : names()) put(name);
    std::error_code ignored;
    fs::remove_all(build_, ignored);  // hundreds of megabytes
  }

  [[nodiscard]] std::vector<std::string_view> names() const {
    if (tools_.nvcc) return {torch_worker, probe_worker};
    return {torch_worker};
  }

 private:
  /// Those of a stopped build with another compiler, CMake or CUDA: CMake forgets what it was told
  /// when these change in its folder.
  void remove_other_builds() const {
    std::error_code ignored;
    for (const fs::directory_entry& each : fs::directory_iterator(folder_, ignored)) {
      const fs::path& path = each.path();
      if (path.filename().string().starts_with("build-") && path != build_) {
        fs::remove_all(path, ignored);
      }
    }
  }

  /// What CMake is told, but for the folder that it builds in.
  [[nodiscard]] std::vector<std::string> definitions() const {
    const fs::path source = share_folder(session_.prefix) / "source";
    std::vector<std::string> arguments = {"-S", source.string(), "-G", tools_.generator};
    const auto define = [&arguments](std::string_view name, std::string_view value) {
      arguments.push_back(format("-D{}={}", name, value));
    };
    std::string prefix = (source / "third_party").string();
    define("ROOFLAB_WORKERS_ONLY", "ON");
    define("ROOFLAB_UNITY", "ON");
    define("CMAKE_BUILD_TYPE", "Release");
    define("CMAKE_CXX_FLAGS_RELEASE", "-O1 -DNDEBUG");  // libtorch does the work
    define("CMAKE_CXX_COMPILER", tools_.compiler.string());
    define("ROOFLAB_TORCH", "ON");
    define("ROOFLAB_OLD_ABI", torch_.old_abi ? "ON" : "OFF");
    if (torch_.has_own_headers()) {
      std::vector<std::string> includes;
      for (const fs::path& include : tools_.cuda_includes) includes.push_back(include.string());
      define("ROOFLAB_TORCH_FOLDER", torch_.folder.string());
      define("ROOFLAB_TORCH_VERSION", torch_.version);
      define("ROOFLAB_TORCH_CUDA_INCLUDES", join(includes, ";"));
    } else {
      prefix += ";" + torch_.cmake_folder()->string();
    }
    define("CMAKE_PREFIX_PATH", prefix);
    define("ROOFLAB_CUDA", tools_.nvcc ? "ON" : "OFF");
    if (tools_.nvcc) {
      define("CMAKE_CUDA_COMPILER", tools_.nvcc->program.string());
      define("CMAKE_CUDA_FLAGS", format("-L\"{}\"", tools_.nvcc->libraries.string()));
    }
    return arguments;
  }

  void configure() {
    session_.show_progress("looking at the compiler");
    std::vector<std::string> arguments = definitions_;
    arguments.insert(arguments.end(), {"-B", build_.string()});
    call("configuring", arguments, [](std::string_view) {});
  }

  void compile() {
    const double jobs = std::clamp(host_memory() / memory_of_a_compiler, 1.0,
                                   static_cast<double>(std::thread::hardware_concurrency()));
    std::vector<std::string> arguments = {"--build",  build_.string(),
                                          "-j",       std::to_string(static_cast<int>(jobs)),
                                          "--target", "rooflab_torch"};
    if (tools_.nvcc) arguments.emplace_back("rooflab_probe_worker");
    const Clock::time_point began = Clock::now();
    call("compiling", arguments, [&](std::string_view line) { show(line, began); });
  }

  /// How far CMake's tools say they are: `[12/40] …` or `[ 33%] …`.
  void show(std::string_view line, Clock::time_point began) {
    if (!line.starts_with('[')) return;
    const std::string_view inner = trim(line.substr(1, line.find(']') - 1));
    const std::size_t slash = inner.find('/');
    double share = 0.0;
    if (slash != std::string_view::npos) {
      share = parse_number(inner.substr(0, slash)).value_or(0.0) /
              std::max(parse_number(inner.substr(slash + 1)).value_or(1.0), 1.0);
    } else if (inner.ends_with('%')) {
      share = parse_number(inner.substr(0, inner.size() - 1)).value_or(0.0) / 100.0;
    }
    std::string text = format("compiling the worker, {:.0f} %", 100.0 * share);
    if (share > 0.0) {
      const std::string left = time_left(seconds_since(began) * (1.0 - share) / share);
      if (!left.empty()) text += ", " + left;
    }
    session_.show_progress(text);
  }

  /// Runs CMake; all that it says goes to a log. Throws with its first error.
  template <class OnLine>
  void call(std::string_view step, const std::vector<std::string>& arguments, OnLine on_line) {
    std::string said;
    std::size_t shown = 0;
    ChildOptions options;
    options.should_stop = session_.should_stop;
    options.own_group = true;
    options.on_output = [&](std::string_view piece) {
      said += piece;
      for (std::size_t end = 0; (end = said.find('\n', shown)) != std::string::npos;) {
        on_line(std::string_view(said).substr(shown, end - shown));
        shown = end + 1;
      }
    };
    const ChildResult child = run_child(tools_.cmake, arguments, options);
    if (child.stopped) {
      throw Error(ErrorKind::capability, format("stopped while {} the worker", step),
                  "the same command goes on where it was");
    }
    said += child.errors;
    const fs::path log = folder_ / format("{}.log", step);
    write_file_atomically(log, said);
    if (child.exit_status == 0) return;
    throw Error(ErrorKind::capability, format("{} the worker failed: {}", step, first_error(said)),
                format("{} has all of it", log.string()));
  }

  /// The first line that tells of an error, with the next one where that has the reason.
  static std::string first_error(std::string_view said) {
    const std::vector<std::string> lines = split(said, '\n');
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (lines[i].find("CMake Error") != std::string::npos) {
        for (std::size_t next = i + 1; next < lines.size(); ++next) {
          if (!trim(lines[next]).empty()) return std::string(trim(lines[next]));
        }
      }
      if (lines[i].find("error:") != std::string::npos ||
          lines[i].find("undefined reference") != std::string::npos) {
        return std::string(trim(lines[i]));
      }
    }
    const std::string_view rest = trim(said);
    return rest.empty() ? "it ended without a reason"
                        : std::string(rest.substr(rest.rfind('\n') + 1));
  }

  /// Takes a worker out of the build; half of one never has its name.
  void put(std::string_view name) {
    const fs::path next = folder_ / format("{}.next", name);
    std::error_code error;
    fs::copy_file(build_ / "bin" / name, next, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(next, folder_ / name, error);
    check_written(next, error);
  }

  /// In bytes; as much as one compiler needs where it is not known.
  static double host_memory() {
    const auto memory = monitor::cpu_identity().memory;
    return memory ? static_cast<double>(memory->value()) : memory_of_a_compiler;
  }

  const TorchPlace& torch_;
  const BuildTools& tools_;
  fs::path folder_;
  const Session& session_;
  std::vector<std::string> definitions_;
  fs::path build_;
};

}  // namespace

BuiltWorkers build_workers(const std::string& python, const Session& session) {
  const Clock::time_point began = Clock::now();
  session.show_progress("asking PyTorch where it is");
  BuiltWorkers built{ask_torch(python, session), {}, {}, 0.0};
  const auto above = engine::built_workers_folder();
  if (!above) {
    throw Error(ErrorKind::capability, "the place for the worker is not known",
                "HOME or XDG_CACHE_HOME names it");
  }
  std::vector<MissingTool> missing;
  const BuildTools tools = find_build_tools(built.torch, missing);
  built.folder = *above / key_of(built.torch);
  Build build(built.torch, tools, built.folder, session);
  for (const std::string_view name : build.names()) built.names.emplace_back(name);

  const bool is_there = std::ranges::all_of(
      built.names, [&](const std::string& name) { return works(built.folder / name); });
  if (!is_there) {
    if (!missing.empty()) {
      std::vector<std::string> what;
      std::vector<std::string> advice;
      for (const MissingTool& each : missing) {
        what.push_back(each.what);
        advice.push_back(each.advice);
      }
      throw Error(ErrorKind::capability,
                  format("the worker for {} cannot be built here, it needs {}",
                         to_text(built.torch), join(what, "; ")),
                  join(advice, "; "));
    }
    const fs::path share = share_folder(session.prefix);
    if (!is_file(share / "source/CMakeLists.txt")) {
      throw Error(ErrorKind::capability, format("{} has no sources of the workers", share.string()),
                  "they are installed with the program; in Rooflab's sources ./run build --torch "
                  "auto builds the worker");
    }
    const FolderLock lock(built.folder);
    session.say(format("building {} against {}: a minute or more", join(built.names, " and "),
                       to_text(built.torch)));
    build.run();
    for (const std::string& name : built.names) (void)engine::describe(built.folder / name);
    built.seconds = seconds_since(began);
  }
  make_current(built.folder);
  return built;
}

}  // namespace rooflab::task
