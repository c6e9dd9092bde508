#!/usr/bin/env bash
# Records and measures training programs on a GPU: tests/python/programs, timm, Hugging Face.
#   tools/gpu/record_programs.sh OUT [ROOFLAB] [OPTION]...
# OPTIONs are those of record_programs.py, which says what OUT gets. With ROOFLAB, ten programs are
# run under `rooflab profile` afterwards (count_programs.py). Called again with the same OUT it goes
# on where it stopped.
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
shift
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
rooflab=
case ${1:-} in
  '' | -*) ;;
  *)
    rooflab=$(readlink -f "$1")
    shift
    ;;
esac
export PYTHONPATH=$here/../../python:$here/../../tests/python${PYTHONPATH:+:$PYTHONPATH}

python3 "$here/record_programs.py" "$out" "$@"
status=$?
[ -z "$rooflab" ] || python3 "$here/count_programs.py" "$out" "$rooflab" || status=$?
exit "$status"
