# Names that are made to do harm, in the outputs for other programs: CSV, Markdown, static charts, and command
# lines for a shell. tests/browser has the pages, tests/latex what LaTeX reads.
#   run.sh FOLDER [CMARK]          FOLDER: what make.sh made
# CMARK renders Markdown: cmark-gfm. Without the word Markdown is not checked. Exit 77: skipped, with the
# reason.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
[ -d "$1/out" ] || skip "the outputs could not be made"
[ -z "${2:-}" ] || command -v "$2" >/dev/null || skip "$2 is not installed"

cd "$1"
python3 "$here/check_text.py" out ${2:+"$2"}
python3 "$here/check_shell.py" out
for chart in out/roofline.png out/roofline.pdf; do [ -s "$chart" ]; done
made=$(find . -name 'pwned*')
[ -z "$made" ] || { echo "a name has made: $made"; exit 1; }
