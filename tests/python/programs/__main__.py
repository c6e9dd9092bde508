"""Runs one program: `python3 -m programs NAME`; `python3 -m programs list` prints the names."""
from __future__ import annotations

import argparse
import difflib
import time
from typing import Any, Callable

import torch

from . import KINDS, all_programs


def marked(step: Callable[[], Any]) -> Callable[[], Any]:
    """The step inside an NVTX range."""
    def run() -> Any:
        torch.cuda.nvtx.range_push("step")
        result = step()
        torch.cuda.nvtx.range_pop()
        return result
    return run


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m programs", description="Runs one program.")
    parser.add_argument("name", help="a program, or 'list'")
    parser.add_argument("--steps", type=int, default=10, help="steps at least (default: 10)")
    parser.add_argument("--seconds", type=float, default=0.0, help="seconds at least (default: 0)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--scale", choices=("small", "real"), default="small")
    parser.add_argument("--batch", type=int)
    parser.add_argument("--nvtx", action="store_true", help="an NVTX range `step` around each step")
    options = parser.parse_args()
    programs = all_programs(*KINDS)
    if options.name == "list":
        print("\n".join(programs))
        return
    if options.name not in programs:
        close = difflib.get_close_matches(options.name, programs, 1)
        parser.error(f"no program is called '{options.name}'"
                     + (f"; '{close[0]}' is" if close else "; 'list' prints all names"))
    program = programs[options.name](device=options.device, batch=options.batch,
                                     scale=options.scale)
    step = marked(program.step) if options.nvtx else program.step
    begin, done = time.perf_counter(), 0
    while done < options.steps or time.perf_counter() - begin < options.seconds:
        result = step()
        done += 1
        if done % 10 == 0 and options.device != "cpu":
            torch.cuda.synchronize()
    print(f"{program.name}: {done} steps of batch {program.batch},"
          f" last result {result.float().mean().item():.4g}")


main()
