#include "scaling_options.hpp"

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

constexpr std::int64_t most_gpus = 1'000'000;

}  // namespace

void ScalingOptions::add_to(Command command) {
  command
      .add_option("--gpus", gpus_,
                  "data-parallel training on N devices, for each N of a list: 1,2,4,8")
      .type_name("N,...");
  command
      .add_option(
          "--scaling", scaling_,
          "weak: --batch is a device's (the default); strong: it is the global one, divided")
      .type_name("S");
  link_.add_to(command);
}

void ScalingOptions::check() const {
  link_.check();
  (void)scaling();
  if (any_devices()) {
    (void)gpus();
  } else if (!scaling_.empty() || link_.any_given()) {
    throw Error(ErrorKind::usage, "--scaling, --link and --all-reduce are for --gpus",
                "--gpus 1,2,4,8");
  }
}

std::vector<int> ScalingOptions::gpus() const {
  std::vector<int> numbers;
  for (const std::string& part : split(*gpus_, ',')) {
    const std::int64_t number = positive(part, "--gpus", "--gpus 1,2,4,8");
    if (number > most_gpus) {
      throw Error(ErrorKind::usage, format("--gpus {}: that is more than there are", number),
                  "--gpus 1,2,4,8");
    }
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

analyze::ScalingKind ScalingOptions::scaling() const {
  if (scaling_.empty() || scaling_ == "weak") return analyze::ScalingKind::weak;
  if (scaling_ == "strong") return analyze::ScalingKind::strong;
  throw_unknown("--scaling value", scaling_, {"weak", "strong"});
}

std::vector<std::string> ScalingOptions::words() const {
  std::vector<std::string> words = {"--gpus", gpus_.value_or("")};
  if (!scaling_.empty()) words.insert(words.end(), {"--scaling", scaling_});
  const std::vector<std::string> link = link_.words();
  words.insert(words.end(), link.begin(), link.end());
  return words;
}

}  // namespace rooflab::cli
