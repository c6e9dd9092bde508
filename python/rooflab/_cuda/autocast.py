"""What autocast does on CUDA, done for tensors elsewhere.

The operators are those for which this PyTorch has a function at the key AutocastCUDA, so they fit
its version; the tables say what that function does. Source: aten/src/ATen/autocast_mode.h and .cpp.
"""
from __future__ import annotations

import weakref
from typing import Any, Callable, Iterator, Optional

import torch

from .. import _torch
from .._interception import Function

# Cast to the type of autocast.
LOWER = """_convolution.deprecated _convolution conv1d conv2d conv3d conv_tbc conv_transpose1d
conv_transpose2d.input conv_transpose3d.input convolution cudnn_convolution
cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear addbmm
baddbmm bmm chain_matmul linalg_multi_dot _thnn_fused_lstm_cell _thnn_fused_gru_cell lstm_cell
gru_cell rnn_tanh_cell rnn_relu_cell _scaled_dot_product_flash_attention
scaled_dot_product_attention""".split()
# Cast to float32.
FLOAT = """acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan
pow.Tensor_Scalar pow.Tensor_Tensor pow.Scalar softplus layer_norm native_layer_norm group_norm
rms_norm frobenius_norm frobenius_norm.dim nuclear_norm nuclear_norm.dim cosine_similarity
poisson_nll_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss kl_div l1_loss
smooth_l1_loss huber_loss mse_loss margin_ranking_loss multilabel_margin_loss soft_margin_loss
triplet_margin_loss multi_margin_loss binary_cross_entropy_with_logits dist pdist cdist renorm
logsumexp upsample_nearest1d _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d
upsample_nearest3d _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d
_upsample_bilinear2d_aa upsample_trilinear3d upsample_bicubic2d _upsample_bicubic2d_aa
linalg_matrix_sqrth""".split()
# Told to compute in float32, by the argument `dtype` at this place, unless the call says otherwise.
FLOAT_DTYPE = {
    "prod": 1, "prod.dim_int": 3, "prod.dim_Dimname": 3, "softmax.int": 2, "softmax.Dimname": 2,
    "log_softmax.int": 2, "log_softmax.Dimname": 2, "cumprod": 2, "cumprod.dimname": 2, "cumsum": 2,
    "cumsum.dimname": 2, "linalg_vector_norm": 4, "linalg_matrix_norm": 4,
    "linalg_matrix_norm.str_ord": 4, "sum": 1, "sum.dim_IntList": 3, "sum.dim_DimnameList": 3,
}
_DTYPE_IS_KEYWORD = ("prod", "cumprod", "cumsum", "linalg", "sum")
# The same by another overload.
OTHER_OVERLOAD = {
    "norm.Scalar": "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim": "norm.ScalarOpt_dim_dtype",
    "norm.names_ScalarOpt_dim": "norm.names_ScalarOpt_dim_dtype",
}
# Cast to the widest type of the tensors.
PROMOTE = """addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot
scatter_add""".split()
BANNED = ("binary_cross_entropy",)


class Autocast:
    """`concerns(tensor)`: whether a tensor stands for one on CUDA."""

    def __init__(self, concerns: Callable[[torch.Tensor], bool]) -> None:
        self._concerns = concerns
        # Casts of parameters, until the outermost autocast ends: by the address of the tensor.
        self._casts: dict[int, tuple[Any, torch.Tensor]] = {}

    def clear(self) -> None:
        self._casts.clear()

    def functions(self) -> Iterator[tuple[str, Function]]:
        """The operators that autocast acts on, and what to do at each."""
        for names, around in ((LOWER, self._lower), (FLOAT, self._float),
                              (PROMOTE, self._promote), (BANNED, self._banned)):
            for name in names:
                yield f"aten.{name}", around
        for name, place in FLOAT_DTYPE.items():
            keyword = name.startswith(_DTYPE_IS_KEYWORD)
            yield f"aten.{name}", self._float_dtype(None if keyword else place)
        for name, other in OTHER_OVERLOAD.items():
            yield f"aten.{name}", self._other_overload(other)

    # Each gets the operator and its arguments.

    def _lower(self, plain: Any, *args: Any, **kwargs: Any) -> Any:
        if not _torch.cuda_autocasts():
            return plain(*args, **kwargs)
        return self._cast(_torch.cuda_autocast_type(), plain, args, kwargs)

    def _float(self, plain: Any, *args: Any, **kwargs: Any) -> Any:
        if not _torch.cuda_autocasts():
            return plain(*args, **kwargs)
        return self._cast(torch.float32, plain, args, kwargs)

    def _promote(self, plain: Any, *args: Any, **kwargs: Any) -> Any:
        if not _torch.cuda_autocasts():
            return plain(*args, **kwargs)
        lower = _torch.cuda_autocast_type()
        types = [one.dtype for one in _tensors((args, tuple(kwargs.values())))
                 if self._is_eligible(one)]
        wide = torch.float32 if torch.float32 in types or any(
            kind not in (lower, torch.float32) for kind in types) else lower
        return self._cast(wide, plain, args, kwargs)

    def _banned(self, plain: Any, *args: Any, **kwargs: Any) -> Any:
        if not _torch.cuda_autocasts():
            return plain(*args, **kwargs)
        raise RuntimeError("torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are "
                           "unsafe to autocast on CUDA: use binary_cross_entropy_with_logits or "
                           "torch.nn.BCEWithLogitsLoss")

    def _float_dtype(self, place: Optional[int]) -> Function:
        def around(plain: Any, *args: Any, **kwargs: Any) -> Any:
            if not _torch.cuda_autocasts() or not self._is_eligible(args[0]):
                return plain(*args, **kwargs)
            with _torch.cuda_autocast_off():
                given = kwargs.get("dtype")
                if place is not None and len(args) > place:
                    given = args[place]
                if given is not None:
                    return plain(*args, **kwargs)
                if place is None:
                    return plain(*args, **{**kwargs, "dtype": torch.float32})
                return plain(*args[:place], torch.float32, **kwargs)

        return around

    def _other_overload(self, name: str) -> Function:
        from .._interception import overload

        def around(plain: Any, *args: Any, **kwargs: Any) -> Any:
            if not _torch.cuda_autocasts() or not self._is_eligible(args[0]):
                return plain(*args, **kwargs)
            power = args[1] if len(args) > 1 else kwargs.pop("p", 2)
            with _torch.cuda_autocast_off():
                return overload(f"aten.{name}")(args[0], power, *args[2:], **kwargs,
                                                dtype=torch.float32)

        return around

    # Casts.

    def _is_eligible(self, tensor: Any) -> bool:
        return (isinstance(tensor, torch.Tensor) and tensor.is_floating_point()
                and tensor.dtype is not torch.float64 and self._concerns(tensor))

    def _cast(self, dtype: torch.dtype, plain: Any, args: tuple, kwargs: dict[str, Any]) -> Any:
        with _torch.cuda_autocast_off():
            # Compilers of C++ work arguments out from the last to the first.
            keywords = {name: self.cast(one, dtype) for name, one in reversed(kwargs.items())}
            places = [self.cast(one, dtype) for one in reversed(args)]
            return plain(*reversed(places), **keywords)

    def cast(self, value: Any, dtype: torch.dtype) -> Any:
        """A tensor, or tensors in a list, in the type; what autocast leaves alone as it is."""
        if isinstance(value, (list, tuple)):
            return [self.cast(one, dtype) for one in value]
        if not self._is_eligible(value) or value.dtype is dtype:
            return value
        lasts = (dtype is _torch.cuda_autocast_type() and value.dtype is torch.float32
                 and value.requires_grad and value.is_leaf and not value._is_view()
                 and torch.is_autocast_cache_enabled())
        if not lasts:
            return value.to(dtype)
        known = self._casts.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        made = value.to(dtype)
        self._casts[id(value)] = (weakref.ref(value), made)
        return made


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)
