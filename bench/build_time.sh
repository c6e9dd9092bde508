#!/usr/bin/env bash
# What building costs, from a fresh clone of HEAD with an empty compiler cache; packages must be
# installed. Prints a table: seconds of the CPU (user and system) and of the wall.
#
#   bench/build_time.sh [release] [test] [demo] [edit] [headers]
#
# release  ./run build: the program and its workers
# test     ./run test
# demo     ./run demo
# edit     until the program runs again after one source of a room changed, by preset: `dev` compiles
#          that source, `release` the batch that it is in
# headers  how many sources see nlohmann's JSON, and how long one command is after the
#          preprocessor
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
parts=("$@")
[ ${#parts[@]} -gt 0 ] || parts=(release test demo edit headers)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1
TIMEFORMAT='%R %U %S'

row() { # NAME WALL USER SYSTEM
  printf '| %-44s | %9.0f | %9.1f |\n' "$1" "$(awk "BEGIN { print $3 + $4 }")" "$2"
}

# Runs a command in a clone, with what it says in a log.
in_clone() { # FOLDER COMMAND...
  local folder=$1
  shift
  (cd "$folder" && "$@") >"$work/log" 2>&1
}

# Runs a command in a clone; a row of what it took.
timed() { # NAME FOLDER COMMAND...
  local name=$1 status=0
  shift
  # bash writes the times of a subshell that is redirected into its file, so a function is timed.
  { time in_clone "$@"; } 2>"$work/times" || status=$?
  if [ $status -ne 0 ]; then
    tail -n 40 "$work/log" >&2
    echo "failed: $name" >&2
  fi
  # shellcheck disable=SC2046
  row "$name" $(cat "$work/times")
}

fresh_clone() { # NAME
  git clone -q "$root" "$work/$1"
  # Plotly's bundle comes from npm, which is not part of the time.
  if [ -d "$root/node_modules" ]; then
    cp -r "$root/node_modules" "$work/$1/"
    touch "$work/$1/node_modules/.package-lock.json"
  fi
}

has() { # PART
  local part
  for part in "${parts[@]}"; do [ "$part" = "$1" ] && return 0; done
  return 1
}

printf '| %-44s | %9s | %9s |\n' "$(git -C "$root" rev-parse --short HEAD), $(nproc) CPUs" 'CPU s' 'wall s'
printf '| %-44s | %9s | %9s |\n' --- ---: ---:

if has release || has edit; then
  fresh_clone release
  timed './run build (release)' "$work/release" ./run build
fi
if has demo; then
  fresh_clone demo
  timed './run demo' "$work/demo" ./run demo
  rm -rf "$work/demo"
fi
if has test; then
  fresh_clone test
  timed './run test' "$work/test" ./run test
  rm -rf "$work/test"
fi

if has edit; then
  (cd "$work/release" && cmake --preset dev >/dev/null &&
    cmake --build --preset dev --target rooflab_program rooflab_torch) >"$work/log" 2>&1
  for preset in dev release; do
    for source in src/cli/report_command.cpp src/study/plan.cpp workers/torch/trainer.cpp; do
      target=rooflab_program
      case $source in workers/torch/*) target=rooflab_torch ;; esac
      echo >>"$work/release/$source"
      timed "$preset: $source" "$work/release" cmake --build --preset "$preset" --target "$target"
    done
  done
fi

if has headers; then
  [ -d "$work/release" ] || fresh_clone release
  cd "$work/release"
  cmake --preset dev -DROOFLAB_PCH=OFF -DCMAKE_CXX_COMPILER_LAUNCHER= -B "$work/plain" >/dev/null
  # The command of every source but those of tests and those that the build writes.
  sed -n 's/^  "command": "\(.*\)",\{0,1\}$/\1/p' "$work/plain/compile_commands.json" |
    sed 's/\\"/"/g' | grep -E ' -c [^ ]*/(src|workers|inject)/[^ ]*\.cpp$' >"$work/commands"
  seen=0
  while read -r command; do
    headers=$(cd "$work/plain" && eval "${command/ -c / -M -MF - -c }" -o /dev/null 2>/dev/null) || true
    case $headers in *nlohmann/json.hpp*) seen=$((seen + 1)) ;; esac
  done <"$work/commands"
  printf '\nof %s sources %s include nlohmann/json.hpp\n' \
    "$(wc -l <"$work/commands")" "$seen"
  command=$(grep '/src/cli/report_command.cpp$' "$work/commands")
  printf 'src/cli/report_command.cpp: %s lines after the preprocessor\n' \
    "$(cd "$work/plain" && eval "${command/ -c / -E -c }" -o - 2>/dev/null | wc -l)"
fi
