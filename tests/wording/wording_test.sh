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

line=$(printf 'x%.0s' $(seq 119))
{
  printf '%s\n' "${line}x" "${line}é" "${line}xx"
  printf '<!-- rows -->\n%s\n<!-- end -->\n%s\n' "| ${line} |" "| ${line} |"
} >"$work/planted.md"
lines_of "$work/planted.md" long-line "3 7 "

# The verdict: hits are printed with their place and fail only above the limit.
"$wording" "$work/planted.hpp" >"$work/output" && fail "three doc comments must fail"
grep -q "planted.hpp:1: /// Of a network the layers." "$work/output" || fail "the place is missing"
grep -q "planted.hpp:9:" "$work/output" && fail "what stays below its limit must not be printed"
printf '/// The name.\n' >"$work/good.hpp"
"$wording" "$work/good.hpp" >/dev/null || fail "a good file must pass"
exit 0
