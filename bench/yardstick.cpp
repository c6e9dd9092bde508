// Fixed work, the same on every machine: sorting, hashing of texts, and passes over 64 MB. Its time
// says how fast a machine is where no other program does what a case of bench/cases.json does. A
// baseline is compared by ratios to it, so this work must not change.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

int main() {
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] {  // xorshift, Marsaglia 2003
    state ^= state << 13U;
    state ^= state >> 7U;
    state ^= state << 17U;
    return state;
  };

  std::vector<std::uint64_t> numbers(500'000);
  for (std::uint64_t& each : numbers) each = next();
  std::ranges::sort(numbers);

  std::unordered_map<std::string, std::uint64_t> counts;
  for (int i = 0; i < 200'000; ++i) ++counts["layer" + std::to_string(next() % 50'000)];

  std::vector<double> values(8'000'000, 1.0);
  double sum = static_cast<double>(numbers.front() % 2) + static_cast<double>(counts.size());
  for (int pass = 0; pass < 4; ++pass) {
    for (double& value : values) sum += value *= 0.999;
  }
  std::printf("%.6g\n", sum);
  return 0;
}
