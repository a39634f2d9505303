"""Makes the files of this folder, with the libraries by which ComfyUI itself writes them, in the places where it writes.

python3 -m venv venv && venv/bin/pip install pillow==13.0.0 av==18.1.0 numpy safetensors && venv/bin/python make.py files
"""

import json
import struct
import sys
from fractions import Fraction
from io import BytesIO
from pathlib import Path

import av
import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from safetensors.numpy import save_file

out = Path(sys.argv[1])
out.mkdir(exist_ok=True)

prompt = {
    "3": {"class_type": "KSampler", "inputs": {"seed": 18446744073709551615, "cfg": 7.5, "positive": ["6", 0]}, "_meta": {"title": "KSampler"}},
    "6": {"class_type": "CLIPTextEncode", "inputs": {"text": "größe 猫 \"NaN\" </metadata> ]]>; #1 = 50\\%\nline"}, "_meta": {"title": "Prompt"}},
}
workflow = {
    "id": "1", "version": 0.4, "links": [[1, 6, 0, 3, 1, "CONDITIONING"]],
    "nodes": [
        {"id": 3, "type": "KSampler", "widgets_values": [18446744073709551615, "fixed", 20, 7.5]},
        {"id": 6, "type": "CLIPTextEncode", "widgets_values": ["größe 猫"]},
    ],
}
texts = {"prompt": json.dumps(prompt), "workflow": json.dumps(workflow)}
pictures = [Image.new("RGB", (16, 16), color) for color in ("red", "blue")]


def pnginfo(add):
    info = PngInfo()
    add(info)
    return info


def both(info, **more):
    for name, text in texts.items():
        info.add_text(name, text, **more)


def png(name, info, **more):
    pictures[0].save(out / name, pnginfo=info, **more)


# SaveImage
png("saved.png", pnginfo(both))
# The same, packed; and as text of other alphabets
png("packed.png", pnginfo(lambda info: both(info, zip=True)))
png("international.png", pnginfo(lambda info: [info.add_itxt(name, text) for name, text in texts.items()]))
png("international-packed.png", pnginfo(lambda info: [info.add_itxt(name, json.dumps(json.loads(text), ensure_ascii=False), "en", "Name", zip=True) for name, text in texts.items()]))
# Behind the picture
png("behind.png", pnginfo(lambda info: [info.add(b"tEXt", name.encode() + b"\0" + text.encode(), after_idat=True) for name, text in texts.items()]))
# SaveAnimatedPNG
png("animated.png", pnginfo(lambda info: [info.add(b"comf", name.encode() + b"\0" + text.encode("latin-1"), after_idat=True) for name, text in texts.items()]), save_all=True, append_images=pictures[1:], duration=100)
# Older versions of ComfyUI: NaN
old = {"3": {**prompt["3"], "is_changed": [float("nan")]}, "6": prompt["6"]}
png("is-changed.png", pnginfo(lambda info: info.add_text("prompt", json.dumps(old))))
lost = {"3": {"class_type": "KSampler", "inputs": {"cfg": float("inf"), "denoise": float("-inf"), "text": "NaN"}}}
png("no-numbers.png", pnginfo(lambda info: info.add_text("prompt", json.dumps(lost))))
# Stable Diffusion WebUI
png("webui.png", pnginfo(lambda info: info.add_text("parameters", "a fox\nSteps: 20, Sampler: Euler a, CFG scale: 7, Seed: 1, Size: 512x512")))
png("bare.png", PngInfo())


def picture(name, animated=False, big_endian=False, **options):
    exif = pictures[0].getexif()
    exif.endian = ">" if big_endian else "<"
    exif[0x0110] = "prompt:" + texts["prompt"]
    exif[0x010F] = "workflow:" + texts["workflow"]
    more = {"save_all": True, "append_images": pictures[1:], "duration": 100} if animated else {}
    pictures[0].save(out / name, exif=exif, **options, **more)


picture("saved.webp", lossless=True)
picture("animated.webp", animated=True, lossless=True)
picture("big-endian.webp", big_endian=True, lossless=True)
picture("saved.avif", quality=10)
picture("animated.avif", animated=True, quality=10)


def sound(format, codec, rate):
    buffer = BytesIO()
    with av.open(buffer, mode="w", format=format) as container:
        container.metadata.update(texts)
        stream = container.add_stream(codec, rate=rate, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, rate // 100), dtype=np.float32), format="flt", layout="mono")
        frame.sample_rate = rate
        frame.pts = 0
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    (out / f"sound.{format}").write_bytes(buffer.getvalue())


sound("flac", "flac", 48000)
sound("mp3", "libmp3lame", 44100)
sound("opus", "libopus", 48000)


def film(name, format, codec, pix_fmt, metadata, options=None):
    with av.open(str(out / name), mode="w", format=format, options=options or {}) as container:
        container.metadata.update(metadata)
        stream = container.add_stream(codec, rate=Fraction(8))
        stream.width = stream.height = 64
        stream.pix_fmt = pix_fmt
        for picture in pictures:
            container.mux(stream.encode(av.VideoFrame.from_image(picture.resize((64, 64)))))
        container.mux(stream.encode(None))


tagged = {"movflags": "use_metadata_tags"}
# SaveVideo
film("film.mp4", "mp4", "libx264", "yuv420p", texts, tagged)
film("film-faststart.mp4", "mp4", "libx264", "yuv420p", texts, {"movflags": "use_metadata_tags+faststart"})
film("film.mov", "mov", "libx264", "yuv420p", texts, tagged)
film("film.mkv", "matroska", "libx264", "yuv420p", texts)
# SaveWEBM
film("film.webm", "webm", "libvpx-vp9", "yuv420p", texts)
# As it is streamed: lengths unknown, tags in front
film("live.webm", "webm", "libvpx-vp9", "yuv420p", texts, {"live": "1"})
# VideoHelperSuite, of old: one comment with both; and where its texts are texts of texts
film("comment.mp4", "mp4", "libx264", "yuv420p", {"comment": json.dumps({"prompt": prompt, "workflow": workflow})})
film("comment-of-texts.webm", "webm", "libvpx-vp9", "yuv420p", {"comment": json.dumps(texts)})

# SaveGLB
head = json.dumps({"asset": {"version": "2.0", "generator": "ComfyUI", "extras": texts}, "buffers": [{"byteLength": 4}]}).encode()
head += b" " * (-len(head) % 4)
(out / "scene.glb").write_bytes(b"glTF" + struct.pack("<IIII", 2, 12 + 8 + len(head) + 8 + 4, len(head), 0x4E4F534A) + head + struct.pack("<II", 4, 0x004E4942) + bytes(4))
# SaveLatent
save_file({"latent_tensor": np.zeros((1, 4, 2, 2), dtype=np.float32)}, out / "latent.latent", metadata=texts)
# SaveSVGNode
(out / "drawing.svg").write_text('<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1">\n  <metadata>\n<![CDATA[\n' + json.dumps({"prompt": prompt, "workflow": workflow}, indent=2) + "\n]]>\n</metadata>\n</svg>\n", encoding="utf-8")
