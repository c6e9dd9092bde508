"""Small models of transformers with random weights; versions 4.4 to 5 know all of them."""

import torch
import transformers

POSITIONS = 64
_SIZES = {
    "gpt2": dict(
        vocab_size=96,
        n_positions=POSITIONS,
        n_embd=32,
        n_layer=2,
        n_head=2,
        bos_token_id=0,
        eos_token_id=1,
    ),
    "llama": dict(
        vocab_size=96,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=POSITIONS,
        tie_word_embeddings=False,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    ),
    "mixtral": dict(
        vocab_size=96,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        num_local_experts=4,
        num_experts_per_tok=2,
        max_position_embeddings=POSITIONS,
        bos_token_id=0,
        eos_token_id=1,
    ),
    "bert": dict(
        vocab_size=96,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        max_position_embeddings=POSITIONS,
    ),
    "t5": dict(
        vocab_size=96,
        d_model=32,
        d_ff=64,
        d_kv=16,
        num_layers=2,
        num_heads=2,
        decoder_start_token_id=0,
        pad_token_id=0,
        eos_token_id=1,
    ),
}
_CLASSES = {
    "gpt2": ("GPT2Config", "GPT2LMHeadModel"),
    "llama": ("LlamaConfig", "LlamaForCausalLM"),
    "mixtral": ("MixtralConfig", "MixtralForCausalLM"),
    "bert": ("BertConfig", "BertForMaskedLM"),
    "t5": ("T5Config", "T5ForConditionalGeneration"),
}


def model_of(name, **options):
    """The model, for inference. `options` are the configuration's."""
    torch.manual_seed(0)
    config, kind = (getattr(transformers, found) for found in _CLASSES[name])
    model = kind(config(**{**_SIZES[name], **options})).eval()
    for value in model.parameters():
        if value.dim() == 1:  # norms and biases; equal ones would be stored once
            torch.nn.init.uniform_(value, 0.5, 1.5)
    return model


def save_tokenizer(folder):
    """A tokenizer of words that are numbers, for tools that ask for one."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Tokenizer(
        models.WordLevel({str(number): number for number in range(96)}, unk_token="0")
    )
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, bos_token="0", eos_token="1", pad_token="1"
    ).save_pretrained(folder)


def parameters_of(model):
    """Trained values, shared ones once."""
    return sum(value.numel() for value in model.parameters())
