#!/usr/bin/env bash
# Measures and records inference and generation on a GPU: Hugging Face's models with random weights.
#   tools/gpu/generation.sh OUT [OPTION]...
# OPTIONs are those of generation.py, which says what OUT gets. Called again with the same OUT it
# goes on where it stopped.
set -uo pipefail
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
export PYTHONPATH=$here/../../python:$here/../../tests/python${PYTHONPATH:+:$PYTHONPATH}
export HF_HUB_OFFLINE=1 TRANSFORMERS_OFFLINE=1
exec python3 "$here/generation.py" "$@"
