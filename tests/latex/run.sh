# Makes the files of a study whose names are full of signs, and of one whose names would run commands or
# read files (tests/hostile), and compiles documents of all their tables and charts with pdflatex.
#   run.sh PROGRAM WORKERS WORK_FOLDER          exit 77: skipped, with the reason
set -eu
program=$1
work=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }

command -v pdflatex >/dev/null || skip "pdflatex is not installed (texlive-latex-recommended)"
command -v gnuplot >/dev/null || skip "gnuplot is not installed"
command -v python3 >/dev/null || skip "python3 is not installed"

# Compiles a document of the tables and charts in this folder; the words are options of pdflatex.
compile() {
  {
    # shellcheck disable=SC1003
    printf '%s\n' '\documentclass[a4paper]{article}' '\usepackage[margin=2.5cm]{geometry}' \
      '\usepackage{booktabs,longtable,graphicx}' '\begin{document}' '\input{tables/tables}' '\clearpage'
    for table in tables/*.tex; do
      [ "$table" = tables/tables.tex ] || printf '\\noindent\\input{%s}\\clearpage\n' "${table%.tex}"
    done
    for chart in charts/*.pdf; do
      printf '\\noindent\\includegraphics[width=\\linewidth,height=.9\\textheight,keepaspectratio]{%s}\\clearpage\n' \
        "$chart"
    done
    printf '%s\n' '\end{document}'
  } >all.tex
  pdflatex "$@" -interaction=nonstopmode -halt-on-error all.tex >all.out 2>&1 ||
    { grep -A6 '^!' all.out; exit 1; }
}

rm -rf "$work"
mkdir -p "$work/signs"
cd "$work/signs"
cp "$here/signs.toml" .
cp "$here/../data/cli/hostile_names.onnx" 'a_b%c&d#e$f{g}~^.onnx'
"$program" study run signs.toml -o out >/dev/null
cd out/signs
ls charts/*.svg charts/*.png >/dev/null

# Twice: a longtable learns the widths of its columns from the run before.
compile
compile

# A table that is wider than its text by more than the margin of a page is cut off; 20 pt of 71 may go.
awk '/^Overfull .hbox/ { gsub(/[^0-9.]/, " "); if ($1 > 20) { print "too wide by " $1 " pt"; bad = 1 } }
     /LaTeX Warning: Float too large/ { print; bad = 1 }
     /LaTeX Warning: File .* not found/ { print; bad = 1 }
     END { exit bad }' all.log
[ "$(ls charts/*.pdf | wc -l)" -ge 4 ]
[ "$(ls tables/*.tex | wc -l)" -ge 6 ]
echo "$(ls tables/*.tex | wc -l) tables and $(ls charts/*.pdf | wc -l) charts compile"

# A name may neither run a command, where LaTeX would let it, nor read a file.
sh "$here/../hostile/make.sh" "$program" "$2" "$work/hostile"
cd "$work/hostile/study/study"
for escape in -no-shell-escape -shell-escape; do
  compile "$escape" -recorder
  ! grep '^INPUT /etc/passwd' all.fls || { echo "a name reads a file with $escape"; exit 1; }
  made=$(find "$work" -name 'pwned*')
  [ -z "$made" ] || { echo "a name has made with $escape: $made"; exit 1; }
done
if command -v pdftotext >/dev/null; then
  pdftotext -raw all.pdf - | tr -d ' \n' >all.txt
  # shellcheck disable=SC1003
  for text in '\input{/etc/passwd}' '\immediate\write18{touchpwned}' '\csnameinput\endcsname{/etc/passwd}'; do
    grep -qF "$text" all.txt || { echo "the document does not show $text"; exit 1; }
  done
else
  echo "pdftotext is not installed (poppler-utils): the texts of the document are not read"
fi
echo "$(ls tables/*.tex | wc -l) tables with names that do harm compile, and nothing else happens"
