"""ONNX files of optimum's exporter, from small models:  onnx_optimum.py CASE FOLDER

one_file   bert; gpt2 and llama with past keys and values in one file
parts      t5: encoder, decoder, decoder with past, and both decoders merged behind an If

Only the files that the table of inputs names are kept.
"""

import sys
from pathlib import Path

import onnx
import torch
from optimum.exporters.onnx import main_export

from exported_networks import flop_of
from onnx_truth import tell_file
from small_models import model_of, parameters_of, save_tokenizer
from truths import tell, tell_versions

BATCH, TOKENS, PAST = 2, 8, 6


def saved(folder, name):
    model = model_of(name)
    place = folder / f"{name}-model"
    model.save_pretrained(place)
    save_tokenizer(place)
    return model, place


def exported(folder, name, task, **options):
    model, place = saved(folder, name)
    out = folder / f"{name}-exported"
    main_export(
        str(place), str(out), task=task, no_dynamic_axes=False, do_validation=False, **options
    )
    return model, out


def step(model, tokens, past):
    """A call of a decoder with `tokens` for each sequence behind `past` others."""
    with torch.no_grad():
        cache = (
            model(torch.ones(BATCH, past, dtype=torch.int64), use_cache=True).past_key_values
            if past
            else None
        )
    return {
        "input_ids": torch.ones(BATCH, tokens, dtype=torch.int64),
        "past_key_values": cache,
        "use_cache": True,
    }


def sizes_of(path, given):
    """Those of the file's named dimensions, by the parts of their names."""
    found = {}
    for one in onnx.load(str(path), load_external_data=False).graph.input:
        for size in one.type.tensor_type.shape.dim:
            if size.dim_param:
                found[size.dim_param] = given(size.dim_param)
    return found


def told(path, model, inputs, given):
    tell(path.name, "parameters", parameters_of(model), "PyTorch")
    tell_rest(path, model, inputs, given)


def tell_rest(path, model, inputs, given):
    tell(path.name, "matrix_flop", flop_of(model, inputs), "FlopCounterMode")
    tell_file(path, sizes_of(path, given))
    tell_versions(
        path.name, "torch", "transformers", "optimum", "optimum-onnx", "onnx", "onnxruntime"
    )


def decoder_sizes(tokens, past):
    def given(name):
        if "batch" in name:
            return BATCH
        if "+" in name or "total" in name:
            return tokens + past
        return past if "past" in name else TOKENS if name.startswith("encoder") else tokens

    return given


def one_file(folder):
    model, out = exported(folder, "bert", "fill-mask")
    inputs = {
        name: torch.ones(BATCH, TOKENS, dtype=torch.int64)
        for name in ("input_ids", "attention_mask", "token_type_ids")
    }
    told((out / "model.onnx").rename(folder / "bert.onnx"), model, inputs, decoder_sizes(TOKENS, 0))
    for name in ("gpt2", "llama"):
        model, out = exported(folder, name, "text-generation-with-past")
        told(
            (out / "model.onnx").rename(folder / f"{name}-past.onnx"),
            model,
            step(model, 1, PAST),
            decoder_sizes(1, PAST),
        )


def parts(folder):
    model, out = exported(folder, "t5", "text2text-generation-with-past")
    ones = torch.ones(BATCH, TOKENS, dtype=torch.int64)
    with torch.no_grad():
        hidden = model.encoder(ones)

        def decoding(tokens, past):
            """A call of the decoder behind what the encoder gave and `past` tokens."""
            fixed = {"encoder_outputs": hidden, "attention_mask": ones, "use_cache": True}
            first = (
                model(decoder_input_ids=ones[:, :past], **fixed).past_key_values if past else None
            )
            return {"decoder_input_ids": ones[:, :tokens], "past_key_values": first, **fixed}

        steps = {
            "encoder_model": (
                model.encoder,
                {"input_ids": ones, "attention_mask": ones},
                TOKENS,
                0,
            ),
            "decoder_model": (model.decoder, decoding(4, 0), 4, 0),
            "decoder_with_past_model": (model.decoder, decoding(1, PAST), 1, PAST),
            "decoder_model_merged": (model.decoder, decoding(1, PAST), 1, PAST),
        }
    for part, (trained, inputs, tokens, past) in steps.items():
        path = (out / f"{part}.onnx").rename(folder / f"t5-{part}.onnx")
        unused = (
            ("EncDecAttention.k.", "EncDecAttention.v.")
            if part == "decoder_with_past_model"
            else ()
        )
        tell(
            path.name,
            "parameters",
            sum(
                value.numel()
                for name, value in trained.named_parameters()
                if not any(one in name for one in unused)
            ),
            "PyTorch",
        )
        tell_rest(
            path,
            model.encoder if trained is model.encoder else model,
            inputs,
            decoder_sizes(tokens, past),
        )


if __name__ == "__main__":
    globals()[sys.argv[1]](Path(sys.argv[2]))
