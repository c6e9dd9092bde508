#!/usr/bin/env python3
"""Labelled images that no CIFAR-10 model was trained on, as class folders for `rooflab evaluate`.

    apt-get download tuxpaint-stamps-default && dpkg-deb -x tuxpaint-stamps-default_*.deb STAMPS
    wild_images.py STAMPS/usr/share/tuxpaint/stamps OUT

The pictures are cut-out photographs of that Debian package (GPL-2); they are put in the middle of a grey square.
Needs Pillow. Classes of CIFAR-10 that the package has no photograph of stay without images.
"""
import pathlib
import sys

from PIL import Image

PICTURES = {
    "airplane": ["vehicles/flight/planes/747"],
    "automobile": [f"vehicles/{name}" for name in (
        "auto/beetle", "auto/sedan", "auto/sportscar2", "race/indycar")],
    "bird": [f"animals/birds/{name}" for name in ("blackbird", "crow", "magpie", "ostrich", "pigeon")],
    "deer": [f"animals/mammals/deer/{name}" for name in ("caribou", "deer", "doe", "wapiti")],
    "dog": ["animals/mammals/dogs/dingo", "animals/mammals/dogs/dog"],
    "frog": ["animals/amphibians/frog", "animals/amphibians/frog-1"],
    "horse": ["animals/mammals/equines/horse"],
    "ship": ["vehicles/ship/chineseJunk", "vehicles/ship/walnutBoat"],
    "truck": ["vehicles/emergency/firetruck", "vehicles/garbagetruck"],  # CIFAR-10's are not pickups
}
GREY = (128, 128, 128)
MARGIN = 1.1  # side of the square over the longer side of the picture


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    stamps, out = map(pathlib.Path, sys.argv[1:])
    for label, names in PICTURES.items():
        (out / label).mkdir(parents=True, exist_ok=True)
        for name in names:
            picture = Image.open(stamps / f"{name}.png").convert("RGBA")
            side = round(max(picture.size) * MARGIN)
            square = Image.new("RGB", (side, side), GREY)
            square.paste(picture, ((side - picture.width) // 2, (side - picture.height) // 2), picture)
            square.save(out / label / f"{pathlib.Path(name).name}.png")


main()
