# Names that are made to do harm, through the outputs for other programs: CSV, Markdown, static charts,
# and command lines for a shell. tests/browser has the pages, tests/latex what LaTeX reads.
#   run.sh PROGRAM WORKERS WORK_FOLDER [CMARK]
# CMARK renders Markdown: cmark-gfm. Without the word Markdown is not checked. Exit 77: skipped, with the
# reason.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
command -v python3 >/dev/null || skip "python3 is not installed"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
[ -z "${4:-}" ] || command -v "$4" >/dev/null || skip "$4 is not installed"

sh "$here/make.sh" "$1" "$2" "$3"
cd "$3"
python3 "$here/check_text.py" out ${4:+"$4"}
python3 "$here/check_shell.py" out
for chart in out/roofline.png out/roofline.pdf; do [ -s "$chart" ]; done
made=$(find . -name 'pwned*')
[ -z "$made" ] || { echo "a name has made: $made"; exit 1; }
