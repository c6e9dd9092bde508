"""Runs one program: python3 -m programs NAME [--steps N] [--seconds S] [--device D] [--scale S]."""
from __future__ import annotations

import argparse
import difflib
import time

import torch

from . import KINDS, all_programs


def main() -> None:
    parser = argparse.ArgumentParser(prog="python3 -m programs", description="Runs one program.")
    parser.add_argument("name", help="a program, or 'list'")
    parser.add_argument("--steps", type=int, default=10, help="steps at least (default: 10)")
    parser.add_argument("--seconds", type=float, default=0.0, help="seconds at least (default: 0)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--scale", choices=("small", "real"), default="small")
    parser.add_argument("--batch", type=int)
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
    begin, done = time.perf_counter(), 0
    while done < options.steps or time.perf_counter() - begin < options.seconds:
        result = program.step()
        done += 1
        if done % 10 == 0 and options.device != "cpu":
            torch.cuda.synchronize()
    print(f"{program.name}: {done} steps of batch {program.batch},"
          f" last result {result.float().mean().item():.4g}")


main()
