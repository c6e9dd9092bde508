# The case runner itself: it passes what matches, fails what does not, and blesses only that.
#   runner_test.sh CASE_RUNNER
set -eu
runner=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "runner_test: $1"; exit 1; }
run() { "$runner" "$@" >"$work/output" 2>&1; }

mkdir "$work/bin" "$work/data"
printf '#!/bin/sh\necho "one $1"\necho "took 12 ms"\necho oops >&2\nexit 3\n' >"$work/bin/rooflab"
chmod +x "$work/bin/rooflab"

cat >"$work/good.test" <<'END'
A comment.
--- file greeting.txt
hello
--- $ rooflab two
--- exit 3
--- stdout
one two
took ... ms

--- stderr
oops

--- $ cat greeting.txt; seq 5
--- stdout
hello
...
5
END
run "$work/bin/rooflab" "$work/data" "$work/good.test" || fail "a case that matches must pass"

for change in 's/^--- exit 3/--- exit 0/' 's/^one two/one three/' 's/^took .* ms/took ... s/' \
              's/^oops/ooops/' 's/^5/6/' '/^--- stderr/,/^$/d' '/^--- stdout/,/^$/d'; do
  sed "$change" "$work/good.test" >"$work/bad.test"
  run "$work/bin/rooflab" "$work/data" "$work/bad.test" && fail "$change must not pass"
  grep -q "differs; expected" "$work/output" || fail "$change: the difference must be printed"
done

sed 's/one two/one three/' "$work/good.test" >"$work/blessed.test"
run --bless "$work/bin/rooflab" "$work/data" "$work/blessed.test" || fail "bless must succeed"
sed 's/^took .* ms$/took 12 ms/' "$work/good.test" | cmp - "$work/blessed.test" ||
  fail "bless must restore the block that differed and leave the rest"

printf 'only words\n' >"$work/empty.test"
run "$work/bin/rooflab" "$work/data" "$work/empty.test" && fail "a file without commands must not pass"
printf -- '--- stdout\nx\n' >"$work/lost.test"
run "$work/bin/rooflab" "$work/data" "$work/lost.test" && fail "a lost block must not pass"
exit 0
