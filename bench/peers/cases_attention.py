"""Attention in its forms: batch 2, 64 queries, width 128, 4 heads of 32, where nothing else is said."""

from case import case

B, L, D, H = 2, 64, 128, 4
PRODUCTS = 2 * B * L * L * D  # queries by keys, and weights by values
PROJECTIONS = B * L * 4 * D * D
PROJECTION_PARAMETERS = 4 * (D * D + D)


def functional(function, *shapes):
    """A module without parameters around a function of torch."""
    def make():
        import torch

        class Function(torch.nn.Module):
            def forward(self, q, k, v=None):
                return function(torch, *(each for each in (q, k, v) if each is not None))

        return Function().eval(), tuple(torch.rand(*shape) for shape in shapes)
    return make


def multihead(need_weights, **keywords):
    def make():
        import torch

        class SelfAttention(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.attention = torch.nn.MultiheadAttention(D, H, batch_first=True, **keywords)

            def forward(self, x):
                return self.attention(x, x, x, need_weights=need_weights)[0]

        return SelfAttention().eval(), (torch.rand(B, L, D),)
    return make


_SELF = "4 projections of d^2 a place, 2 products of L^2 d a sample"
case("MultiheadAttention", "attention", PROJECTIONS + PRODUCTS, PROJECTION_PARAMETERS, _SELF,
     rows=B)(multihead(True))
case("MultiheadAttention, no weights", "attention", PROJECTIONS + PRODUCTS, PROJECTION_PARAMETERS, _SELF,
     rows=B)(multihead(False))


@case("MultiheadAttention, other keys", "attention",
      B * (L * D * D + 2 * 48 * 96 * D + L * D * D) + 2 * B * L * 48 * D, 2 * D * D + 2 * 96 * D + 4 * D,
      "queries of d, 48 keys and values of 96: L d^2 + 2 48 96 d + L d^2, 2 products of L 48 d", rows=B)
def cross_attention():
    import torch

    module = torch.nn.MultiheadAttention(D, H, kdim=96, vdim=96, batch_first=True).eval()
    return module, (torch.rand(B, L, D), torch.rand(B, 48, 96), torch.rand(B, 48, 96))


@case("TransformerEncoderLayer", "attention", PROJECTIONS + PRODUCTS + B * L * 2 * D * 512,
      PROJECTION_PARAMETERS + 2 * D * 512 + 512 + D + 4 * D, _SELF + ", MLP of 2 d 512 a place", rows=B)
def encoder_layer():
    import torch

    return torch.nn.TransformerEncoderLayer(D, H, 512, batch_first=True).eval(), (torch.rand(B, L, D),)


@case("TransformerDecoderLayer", "attention", 2 * (PROJECTIONS + PRODUCTS) + B * L * 2 * D * 512,
      2 * PROJECTION_PARAMETERS + 2 * D * 512 + 512 + D + 6 * D, "attention twice, MLP of 2 d 512 a place", rows=B)
def decoder_layer():
    import torch

    return (torch.nn.TransformerDecoderLayer(D, H, 512, batch_first=True).eval(),
            (torch.rand(B, L, D), torch.rand(B, L, D)))


HEADS = (B, H, L, D // H)
case("scaled_dot_product_attention", "attention", PRODUCTS, 0, "2 products of L^2 d a sample", rows=B)(
    functional(lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v), HEADS, HEADS, HEADS))
case("causal attention", "attention", PRODUCTS, 0, "2 products of L^2 d a sample, the hidden half included", rows=B)(
    functional(lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True),
               HEADS, HEADS, HEADS))
case("grouped-query attention", "attention", PRODUCTS, 0, "the products of every query head: 2 L^2 d", rows=B)(
    functional(lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True),
               HEADS, (B, 2, L, D // H), (B, 2, L, D // H)))
case("attention by @", "attention", PRODUCTS, 0, "2 products of L^2 d a sample", rows=B)(
    functional(lambda torch, q, k, v: (q @ k.transpose(-2, -1) / 5.66).softmax(-1) @ v, HEADS, HEADS, HEADS))
case("attention by matmul", "attention", PRODUCTS, 0, "2 products of L^2 d a sample", rows=B)(
    functional(lambda torch, q, k, v: torch.matmul(
        torch.nn.functional.softmax(torch.matmul(q, k.transpose(-2, -1)), -1), v), HEADS, HEADS, HEADS))
case("attention by einsum", "attention", PRODUCTS, 0, "2 products of L^2 d a sample", rows=B)(
    functional(lambda torch, q, k, v: torch.einsum(
        "bhqk,bhkd->bhqd", torch.einsum("bhqd,bhkd->bhqk", q, k).softmax(-1), v), HEADS, HEADS, HEADS))
