#!/bin/sh
# No program may look for its libraries in the current folder: an empty or relative part of a RUNPATH is that folder.
#   run_path.sh FILE...
set -eu
status=0
for file in "$@"; do
  [ -f "$file" ] || continue
  path=$(readelf -d "$file" | sed -n 's/.*(\(RUNPATH\|RPATH\)).*\[\(.*\)\]/\2/p')
  [ -n "$path" ] || continue
  for part in $(echo ":$path:" | sed 's/^://; s/:$//; s/::/:.:/g; s/^:/.:/; s/:$/:./; s/:/ /g'); do
    case $part in
      /* | '$ORIGIN'*) ;;
      *) echo "$file: part '$part' of its run path '$path'"; status=1 ;;
    esac
  done
done
exit $status
