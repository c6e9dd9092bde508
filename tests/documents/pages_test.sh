#!/bin/sh
# What the documents promise of themselves: README fits on two screens and has a picture that is there, and each page of
# methods opens with its question, its accuracy and when not to trust it.
#   pages_test.sh SOURCE
set -eu
cd "$1"
status=0
fail() { echo "pages_test: $1"; status=1; }

lines=$(wc -l <README.md)
[ "$lines" -le 100 ] || fail "README.md has $lines lines, at most 100 are wanted"
picture=$(sed -n 's/.*](\(docs\/images\/[^)]*\)).*/\1/p' README.md | head -n 1)
if [ -z "$picture" ] || [ ! -s "$picture" ]; then fail "README.md shows no picture"; fi

for page in docs/methods/*.md; do
  # The first lines of the list behind the title.
  heads=$(sed -n '3,/^$/{s/^- \*\*\(Question\|Accuracy\|Do not trust\).*/\1/p}' "$page" | tr '\n' ' ')
  [ "$heads" = "Question Accuracy Do not trust " ] || fail "$page opens with '$heads'"
  [ "$(sed -n '2p' "$page")" = "" ] || fail "$page has no empty line below its title"
done
exit $status
