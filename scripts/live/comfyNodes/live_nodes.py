"""Nodes for `npm run live`. Copy this file into the folder `custom_nodes` of a ComfyUI that serves only tests."""

import torch
from PIL import Image

REPORTED_PATHS = ["one/small.safetensors", "two\\large.safetensors"]


class LiveNode:
    CATEGORY = "live"
    FUNCTION = "run"
    OUTPUT_NODE = True
    RETURN_TYPES = ()


class LiveOutOfMemory(LiveNode):
    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"seed": ("INT", {"default": 0, "max": 0xFFFFFFFF})}}

    def run(self, seed):
        raise torch.cuda.OutOfMemoryError("CUDA out of memory. Tried to allocate 8.00 GiB.\nGPU 0 has 1.00 GiB of free memory.")


class LivePaths(LiveNode):
    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"path": (REPORTED_PATHS,)}}

    def run(self, path):
        return {"ui": {"text": [path]}}


class LiveValues(LiveNode):
    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {"seed": ("INT", {"default": 0, "max": 0xFFFFFFFF})}}

    def run(self, seed):
        return {"ui": {"count": [3], "tags": ["fox", "snow"], "size": [{"width": 16}]}}


class LiveImageFormats(LiveNode):
    @classmethod
    def INPUT_TYPES(cls):
        return {"required": {}}

    def run(self):
        Image.init()
        return {"ui": {"text": [" ".join(sorted(Image.MIME[name] for name in Image.OPEN if name in Image.MIME))]}}


NODE_CLASS_MAPPINGS = {cls.__name__: cls for cls in (LiveOutOfMemory, LivePaths, LiveValues, LiveImageFormats)}
