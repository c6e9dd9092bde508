#!/bin/sh
# Follows a guide word for word: every command of its ```console blocks is run in one folder, in their order, and what it
# prints must be what the guide shows (`...` stands for anything; a command that shows nothing may print what it likes; after an error the exit code is 2).
#   guide_test.sh RUNNER PROGRAM DATA GUIDE.md
set -eu
file=$(mktemp -d)/guide.test
trap 'rm -rf "$(dirname "$file")"' EXIT
awk '
  function flush() {
    if (command == "") return
    print "--- $ unset COLUMNS; " command; if (shown ~ /^rooflab: error:/) print "--- exit 2"; print "--- stdout"; printf "%s", shown == "" ? "...\n" : shown; print "--- stderr"; print "..."; print ""
    command = ""; shown = ""
  }
  /^```console$/ { inside = 1; next }
  /^```$/ && inside { flush(); inside = 0; next }
  inside && /^\$ / { flush(); command = substr($0, 3); next }
  inside { shown = shown $0 "\n" }
' "$4" >"$file"
grep -q '^--- \$ ' "$file" || { echo "no commands in $4"; exit 1; }
"$1" "$2" "$3" "$file"
