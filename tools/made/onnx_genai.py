"""ONNX files of onnxruntime-genai's model builder, from a small llama:  onnx_genai.py built FOLDER

llama-fp32   GroupQueryAttention with rotation, SkipSimplifiedLayerNormalization
llama-int4   the same with MatMulNBits
"""

import subprocess
import sys
from pathlib import Path

import onnx
import torch

from exported_networks import flop_of
from onnx_truth import tell_file
from small_models import model_of, parameters_of, save_tokenizer
from truths import tell, tell_versions

BATCH, PAST = 2, 6


def built(folder):
    model, place = model_of("llama"), folder / "llama-model"
    model.save_pretrained(place)
    save_tokenizer(place)
    ones = torch.ones(BATCH, PAST, dtype=torch.int64)
    for precision in ("fp32", "int4"):
        out = folder / f"llama-{precision}"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "onnxruntime_genai.models.builder",
                "-i",
                place,
                "-o",
                out,
                "-p",
                precision,
                "-e",
                "cpu",
                "-c",
                folder / "cache",
            ],
            check=True,
        )
        file = folder / f"llama-{precision}.onnx"
        onnx.save(onnx.load(str(out / "model.onnx")), str(file))  # one file in place of two
        with torch.no_grad():
            cache = model(ones, use_cache=True).past_key_values
        tell(file.name, "parameters", parameters_of(model), "PyTorch")
        tell(
            file.name,
            "matrix_flop",
            flop_of(model, {"input_ids": ones[:, :1], "past_key_values": cache}),
            "FlopCounterMode",
        )
        tell_file(
            file,
            {
                "batch_size": BATCH,
                "sequence_length": 1,
                "past_sequence_length": PAST,
                "kv_cache_dim": model.config.head_dim,
                "total_sequence_length": PAST + 1,
            },
        )
        tell_versions(
            file.name, "torch", "transformers", "onnxruntime-genai", "onnx", "onnxruntime"
        )


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
