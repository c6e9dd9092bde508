# tools/wording itself: it finds every planted violation, and nothing in what is allowed.
#   wording_test.sh WORDING
set -eu
wording=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "wording_test: $1"; exit 1; }

# The line numbers that the tool prints of one pattern in a file.
lines_of() { # FILE PATTERN EXPECTED
  found=$("$wording" --list "$2" "$1" | cut -d: -f2 | tr '\n' ' ')
  [ "$found" = "$3" ] || fail "$2 in $1: lines '$found', not '$3'"
}

cat >"$work/planted.hpp" <<'END_OF_FILE'
/// Of a network the layers.
/// The name. By its line a reader knows it.
int a;  ///< as the file says
int b;  ///< ascending
/** By name. */
/// Is no recording and are no GPUs.
// This is
// no room, and this is no longer
// than that. There are none; it is none.
const char* text = "the file is "
                   "no trace, so many of them, thereis no hit, so manya";
/// Asks for it.
END_OF_FILE
lines_of "$work/planted.hpp" of-as-by "1 3 5 "
lines_of "$work/planted.hpp" no-noun "6 6 8 11 "
lines_of "$work/planted.hpp" none "9 9 "
lines_of "$work/planted.hpp" so-many "11 "
lines_of "$work/planted.hpp" long-line ""

cat >"$work/dialect.hpp" <<'END_OF_FILE'
/// The same of two.
int a;  ///< Likewise for b, beside it
int b;  ///< that stands besides
// It stands for the device and has a line of
// its own; beside() and a.beside are names, and so is outstands.
END_OF_FILE
lines_of "$work/dialect.hpp" the-same "1 2 "
lines_of "$work/dialect.hpp" beside "2 "
lines_of "$work/dialect.hpp" stands "3 "
lines_of "$work/dialect.hpp" of-its-own "5 "

line=$(printf 'x%.0s' $(seq 119))
{
  printf '%s\n' "${line}x" "${line}é" "${line}xx"
  printf '```\n%s\n```\n' "| ${line} |"
  printf '<!-- rows -->\n%s\n<!-- end -->\n%s\n' "| ${line} |" "| ${line} |"
} >"$work/planted.md"
lines_of "$work/planted.md" long-line "3 10 "

# The verdict: hits are printed with their place, and only those of a pattern above its limit.
limit=$(sed -n 's/^of-as-by *\([0-9]*\).*/\1/p' "$wording")
{
  for _ in $(seq "$limit"); do printf 'int a;  ///< of a\n'; done
  printf '// It is beside it.\n'
} >"$work/allowed.hpp"
"$wording" "$work/allowed.hpp" >/dev/null || fail "as many as the limit must pass"
cp "$work/allowed.hpp" "$work/one_more.hpp"
printf '/// By name.\n' >>"$work/one_more.hpp"
"$wording" "$work/one_more.hpp" >"$work/output" && fail "one above the limit must fail"
grep -q "one_more.hpp:$((limit + 2)): /// By name." "$work/output" || fail "the place is missing"
grep -q "It is beside" "$work/output" && fail "what stays below its limit must not be printed"
exit 0
