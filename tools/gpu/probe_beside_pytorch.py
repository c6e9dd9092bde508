#!/usr/bin/env python3
"""What PyTorch's own kernels reach on this GPU: products of 8192 x 8192, and memory bandwidth.

    python3 tools/gpu/probe_beside_pytorch.py

For comparison with the figures of `rooflab probe` in the same session. Random operands; medians of
repetitions of about half a second, by device events, after half a second of warm-up.
"""

import statistics

import torch


def rate(call, amount):
    """`amount` per second of one call: median over repetitions."""
    def timed(count):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        for _ in range(count):
            call()
        last.record()
        torch.cuda.synchronize()
        return first.elapsed_time(last) * 1e-3 / count

    timed(2)
    single = timed(2)
    timed(max(1, int(0.5 / single)))
    chunk = max(1, int(0.05 / single))
    return amount / statistics.median(timed(chunk) for _ in range(10))


def main():
    size = 8192
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name()}")
    for name, dtype, tf32 in (("fp32", torch.float32, False), ("tf32", torch.float32, True),
                              ("bf16", torch.bfloat16, False), ("fp16", torch.float16, False),
                              ("fp64", torch.float64, False)):
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = (torch.rand(size, size, device="cuda", dtype=dtype) * 2 - 1 for _ in range(2))
        out = torch.empty_like(a)
        print(f"gemm {name} {rate(lambda: torch.mm(a, b, out=out), 2 * size**3) / 1e12:.1f} TFLOP/s")
    elements = 1 << 30
    x = torch.rand(elements, device="cuda")
    y = torch.empty_like(x)
    print(f"read (sum) {rate(x.sum, 4 * elements) / 1e9:.1f} GB/s")
    print(f"write (fill_) {rate(lambda: y.fill_(1.0), 4 * elements) / 1e9:.1f} GB/s")
    print(f"copy (copy_) {rate(lambda: y.copy_(x), 8 * elements) / 1e9:.1f} GB/s")


if __name__ == "__main__":
    main()
