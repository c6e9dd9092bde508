#!/usr/bin/env bash
# What the measurements have to show on a GPU, one folder of results.
#   tools/gpu/measure_cases.sh OUT ROOFLAB DEVICE
# ROOFLAB is the program (build/gpu/bin/rooflab), DEVICE what `predict` calls the GPU (h200).
# saved/    memory kept after a forward pass of 256 images, compared with what `predict` says
# layers/   memory, time and power of single layers
# list/     a list of cases with one in the middle that runs out of memory; then killed runs
# monitor/  a minute of training, watched
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
device=$3
cd "$out"

step() { # NAME SECONDS COMMAND...: a log, the exit code and the time of each
  local name=$1 limit=$2 start=$SECONDS code=0
  shift 2
  timeout "$limit" "$@" >"$name.out" 2>"$name.err" || code=$?
  printf '%s: exit %s, %s s\n' "$name" "$code" "$((SECONDS - start))"
}

mkdir -p saved layers list monitor
step detect 60 "$rooflab" devices --detect
step doctor 60 "$rooflab" doctor

step saved/measure 120 "$rooflab" measure resnet18 alexnet vgg16 --device cuda --batch 256 \
  --phase forward --precision tf32 --format json
step saved/predict 10 "$rooflab" predict resnet18 alexnet vgg16 --device "$device" --batch 256 \
  --phase forward --precision tf32 --format json

layer() { # NAME SPEC INPUT
  step "layers/$1" 60 "$rooflab" measure --layer "$2" --input "$3" --device cuda --min-time 3 \
    --format json
}
layer relu 'relu' 256x3x224x224
layer maxpool 'maxpool2d(2)' 256x3x224x224
layer conv2d 'conv2d(3,128,k=3,p=1)' 256x3x224x224
layer linear 'linear(25088,4096)' 256x25088

step list/oom 200 "$rooflab" measure resnet18 vgg16 alexnet --device cuda --batch 32,8192 \
  --phase training --min-time 0.5 -o list/oom
step list/again 60 "$rooflab" measure resnet18 vgg16 alexnet --device cuda --batch 32 \
  --phase training --min-time 0.5 -o list/oom --resume

# Ctrl-C and kill -9 in the middle: what was finished is on disk and can be read.
for signal in INT KILL; do
  "$rooflab" measure resnet18 resnet50 vgg16 vgg19 --device cuda --batch 64 --phase training \
    --min-time 3 -o "list/$signal" >"list/$signal.out" 2>"list/$signal.err" &
  pid=$!
  sleep 16
  kill "-$signal" "$pid" || true
  wait "$pid"
  code=$?
  sleep 1
  # A killed program's worker may stay as a zombie until process 1 reaps it: that one runs no more.
  printf 'list/%s: exit %s; on disk: %s; still running: %s\n' "$signal" "$code" \
    "$(ls "list/$signal" | tr '\n' ' ')" "$(ps -eo stat=,comm= | grep -c '^[^Z].*rooflab-torch')"
  step "list/$signal-read" 20 "$rooflab" compare "list/$signal" "list/$signal"
done

step monitor/minute 120 "$rooflab" monitor -o monitor/minute.json -o monitor/minute.html \
  -- "$rooflab" measure resnet50 --device cuda --batch 128 --phase training \
  --precision amp --min-time 60 --max-time 60 -o monitor/training.json
command -v gnuplot >/dev/null &&
  step monitor/drawn 30 "$rooflab" monitor --from monitor/minute.json -o monitor/minute.svg
step monitor/layers 60 "$rooflab" measure resnet50 --device cuda --batch 64 --phase training \
  --precision tf32 --per-layer -o monitor/records -o monitor/layers.json -o monitor/layers.html
step monitor/roofline 20 "$rooflab" roofline monitor/records/*.json -o monitor/roofline.html
step monitor/compare 20 "$rooflab" compare monitor/layers.json monitor/training.json
