"""Models of transformers from small configurations, with random weights: batch 2, 32 tokens."""

from case import case

B, S = 2, 32
TOKENS = B * S


def model(class_name, config_name, settings, inputs=("input_ids",), **keywords):
    """The model of a configuration; `inputs` are the names of those that take tokens."""
    def make():
        import torch
        import transformers

        config = getattr(transformers, config_name)(**settings)
        network = getattr(transformers, class_name)(config).eval()
        return network, {name: torch.randint(0, 100, (B, S)) for name in inputs} | keywords
    return make


def layer(d, hidden, kv=None, gated=False):
    """MACs of a layer's products with weights, a token: query and output, keys and values, two or three of the MLP."""
    return 2 * d * d + 2 * d * (kv or d) + (3 if gated else 2) * d * hidden


def attention(d):
    """MACs of the products of attention, all tokens."""
    return 2 * B * S * S * d


_WORDS = "layers x (tokens x weights of the projections and the MLP + 2 S^2 d a sample)"

case("BERT", "transformer", 2 * (TOKENS * layer(64, 256) + attention(64)) + B * 64 * 64,
     1000 * 64 + 128 * 64 + 2 * 64 + 2 * 64 + 2 * (layer(64, 256) + 4 * 64 + 256 + 64 + 4 * 64) + 64 * 64 + 64,
     _WORDS + " + a pooler of d^2 a sample",
     imports=("BertModel", "BertConfig"))(
    model("BertModel", "BertConfig", dict(vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4,
                                          intermediate_size=256, max_position_embeddings=128)))
case("GPT-2", "transformer", 2 * (TOKENS * layer(64, 256) + attention(64)) + TOKENS * 64 * 1000,
     1000 * 64 + 128 * 64 + 2 * (layer(64, 256) + 3 * 64 + 64 + 256 + 64 + 4 * 64) + 2 * 64,
     _WORDS + " + a head of 1000 d a token; the head's weights are the embedding's",
     imports=("GPT2LMHeadModel", "GPT2Config"))(
    model("GPT2LMHeadModel", "GPT2Config", dict(vocab_size=1000, n_embd=64, n_layer=2, n_head=4, n_positions=128,
                                                bos_token_id=0, eos_token_id=0)))
_LLAMA = dict(vocab_size=1000, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
              intermediate_size=128, max_position_embeddings=128, bos_token_id=0, eos_token_id=0, pad_token_id=0)
case("Llama", "transformer", 2 * (TOKENS * layer(64, 128, 32, True) + attention(64)) + TOKENS * 64 * 1000,
     2 * 1000 * 64 + 2 * (layer(64, 128, 32, True) + 2 * 64) + 64, _WORDS + " + a head; 2 of 4 heads have keys",
     imports=("LlamaForCausalLM", "LlamaConfig"))(
    model("LlamaForCausalLM", "LlamaConfig", _LLAMA))
case("Qwen2, tied", "transformer", 2 * (TOKENS * layer(64, 128, 32, True) + attention(64)) + TOKENS * 64 * 1000,
     1000 * 64 + 2 * (layer(64, 128, 32, True) + 64 + 2 * 32 + 2 * 64) + 64,
     _WORDS + " + a head with the embedding's weights",
     imports=("Qwen2ForCausalLM", "Qwen2Config"))(
    model("Qwen2ForCausalLM", "Qwen2Config", _LLAMA | dict(tie_word_embeddings=True)))
# The relative positions (32 buckets, 4 heads) are a table in the first layer of the encoder and of the decoder.
case("T5", "transformer",
     2 * (TOKENS * layer(64, 128) + attention(64)) + 2 * (TOKENS * (layer(64, 128) + 4 * 64 * 64) + 2 * attention(64))
     + TOKENS * 64 * 1000,
     1000 * 64 + 2 * (layer(64, 128) + 2 * 64) + 2 * (layer(64, 128) + 4 * 64 * 64 + 3 * 64) + 2 * 32 * 4 + 2 * 64,
     "encoder and decoder: projections, MLP, attention, the decoder's to the encoder, a head with the embedding's "
     "weights",
     imports=("T5ForConditionalGeneration", "T5Config"))(
    model("T5ForConditionalGeneration", "T5Config",
          dict(vocab_size=1000, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4, decoder_start_token_id=0,
               pad_token_id=0, eos_token_id=1, tie_word_embeddings=True), inputs=("input_ids", "decoder_input_ids")))
_EXPERTS = _LLAMA | dict(num_local_experts=4, num_experts_per_tok=2)
case("Mixtral", "experts",
     2 * (TOKENS * (2 * 64 * 64 + 2 * 64 * 32 + 4 * 64 + 2 * 3 * 64 * 128) + attention(64)) + TOKENS * 64 * 1000,
     2 * 1000 * 64 + 2 * (2 * 64 * 64 + 2 * 64 * 32 + 4 * 64 + 4 * 3 * 64 * 128 + 2 * 64) + 64,
     "a token goes to 2 of 4 experts of 3 d 128; a router of 4 d",
     imports=("MixtralForCausalLM", "MixtralConfig"))(
    model("MixtralForCausalLM", "MixtralConfig", _EXPERTS))
