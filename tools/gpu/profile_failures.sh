#!/usr/bin/env bash
# What `rooflab profile` does when things go wrong on a real GPU: message, exit code, file.
#   tools/gpu/profile_failures.sh OUT ROOFLAB
set -uo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
rooflab=$(readlink -f "$2")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program="$here/pytorch_program.py"
[ -d /usr/local/cuda/bin ] && export PATH=/usr/local/cuda/bin:$PATH
cd "$out"

say() { printf '\n== %s\n' "$*"; }
state() { # FILE: what a record says of itself
  python3 - "$1" <<'END'
import json
import sys
record = json.load(open(sys.argv[1]))
counting = record.get("counting") or {}
print(f"  record: {record['status']}; {record['message'] or 'no message'}; kernels"
      f" {len(record['kernels'])}; sets {[(s['per_kernel'], s['dropped']) for s in counting.get('sets', [])]}")
for warning in record["warnings"]:
    print("  warning:", warning)
END
}

say "kill -9 of the program in the middle"
"$rooflab" profile --keep kill -o kill.json -- python3 "$program" resnet18 --seconds 30 \
  >kill.out 2>kill.err &
profiler=$!
sleep 17
pkill -KILL -f '^python3 .*pytorch_program.py resnet18 --seconds 30'
wait $profiler
echo "exit $?"
state kill.json

say "kill -9 of rooflab itself: the program's file stays and can be read"
"$rooflab" profile --keep killed -- python3 "$program" resnet18 --seconds 14 >killed.out 2>killed.err &
profiler=$!
sleep 15
kill -KILL $profiler
wait $profiler
echo "exit $?"
sleep 4
"$rooflab" import killed/*.jsonl -o killed.json && state killed.json

say "a second subscriber: PyTorch's profiler in the profiled program"
timeout 60 "$rooflab" profile -o second.json -- python3 "$program" resnet18 --seconds 3 \
  --kineto second.trace.json --timed second.times.json >second.out 2>second.err
echo "exit $?; PyTorch's profiler saw $(grep -o '"kineto_kernels_per_step": [0-9.]*' second.times.json)"
grep -iE 'cupti|warning' second.err | head -5
state second.json
rm -f second.trace.json

say "another profiler holds the counters: ncu on another program"
timeout 60 ncu --metrics sm__ops_path_tensor_src_tf32_dst_fp32.sum,dram__bytes.sum \
  python3 "$program" gemm-tf32 --seconds 30 >beside.out 2>&1 &
beside=$!
sleep 12
timeout 60 "$rooflab" profile -o held.json -- python3 "$program" resnet18 --seconds 4 >held.out 2>held.err
echo "exit $?"
state held.json
wait $beside

say "inside another profiler"
timeout 60 ncu --target-processes all "$rooflab" profile -- python3 -c 'import torch; torch.ones(1).cuda()' \
  2>&1 | grep -v '^==PROF==' | head -5

say "no CUDA at all"
"$rooflab" profile -- python3 -c 'print("hello")'
echo "exit $?"

say "os._exit, an exit code, standard output"
"$rooflab" profile -o exit.json -- python3 -c "
import os, torch
a = torch.randn(64, 64, device='cuda')
for i in range(20000): a = a * 0.5
torch.cuda.synchronize()
print('done', flush=True)
os._exit(7)" 2>exit.err
echo "exit $?"
state exit.json

say "compute-sanitizer over the worker that counts"
timeout 150 compute-sanitizer --target-processes all --tool memcheck "$rooflab" measure \
  --layer 'linear(256,256)' --input 64x256 --device cuda --counters --min-time 0.01 >sanitizer.out 2>&1
echo "exit $?"
grep -E 'ERROR SUMMARY|Invalid|librooflab|hardware counters|Hardware counters' sanitizer.out | sort | uniq -c | head

say "compute-sanitizer over a profiled program"
timeout 150 "$rooflab" profile --mode trace -- compute-sanitizer --tool memcheck python3 -c "
import torch
a = torch.randn(64, 64, device='cuda')
for i in range(50): a = a * 0.5
torch.cuda.synchronize()" >sanitizer2.out 2>&1
echo "exit $?"
grep -E 'ERROR SUMMARY|Invalid|librooflab|subscri' sanitizer2.out | sort | uniq -c | head
