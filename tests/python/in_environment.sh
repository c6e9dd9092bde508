#!/bin/sh
# Runs a program with the Python of an environment of tools/python; exit 77 where it is not made.
#   in_environment.sh NAME ARGUMENT...
tool=$(cd "$(dirname "$0")/../.." && pwd)/tools/python/environment
name=$1
shift
python=$("$tool" --there "$name") || {
  echo "skipped: environment $name is not made: tools/python/environment $name"
  exit 77
}
exec "$python" "$@"
