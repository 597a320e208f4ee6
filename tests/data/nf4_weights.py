"""Matrices in 4 bits as bitsandbytes holds them (nf4, double quantisation), for the scripts that make right values.

Needs: pip install torch==2.11.0 bitsandbytes==0.50.0

Two things that only bitsandbytes' library for the CPU does are left out: it unpacks matrices wrongly whose rows are not
whole blocks, so they go through as one row; and it looks the codes of scales up in a table that now and then misses the
nearest value, so they are made as its Python code makes them.
"""
import bitsandbytes.functional as bnb
import torch


def pack(weight):
    """The codes and bitsandbytes' state of a matrix."""
    codes, state = bnb.quantize_4bit(weight.flatten(), blocksize=64, compress_statistics=True, quant_type="nf4")
    _, plain = bnb.quantize_4bit(weight.flatten(), blocksize=64, compress_statistics=False, quant_type="nf4")
    deviation = plain.absmax - state.offset
    scale = torch.repeat_interleave(state.state2.absmax, 256)[:len(deviation)]
    middles = (state.state2.code[:-1] + state.state2.code[1:]) / 2
    scale_codes = torch.bucketize(deviation * (1.0 / scale.clamp(min=1e-38)), middles).to(torch.uint8)
    assert torch.equal(state.state2.absmax, torch.stack([d.abs().max() for d in deviation.split(256)]))
    distance = lambda codes: (state.state2.code[codes.int()] - deviation / scale).abs()
    assert bool((distance(scale_codes) <= distance(state.absmax) + 1e-6)[scale > 0].all())
    state.absmax = scale_codes
    return codes, state


def unpack(codes, state, shape):
    """The numbers that a matrix of this shape holds then, fp32."""
    return bnb.dequantize_4bit(codes, state).view(shape)
