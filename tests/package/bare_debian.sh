#!/bin/sh
# The Debian packages on a bare Debian 12: installed with apt, then used. Prints the seconds to each result.
#   bare_debian.sh PACKAGES WORK     PACKAGES: folder with the .deb files
# Needs root, debootstrap and the mirror that this machine's apt uses; 77 (skipped) without them.
set -eu
packages=$1 work=$2
. "$(dirname "$0")/needs.sh"

root=$work/root
! mountpoint -q "$root/proc" || umount "$root/proc"
rm -rf --one-file-system "$work"
mkdir -p "$work"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$work/debootstrap.log" 2>&1 ||
  skip "debootstrap: $(tail -n 1 "$work/debootstrap.log")"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
mount --bind /proc "$root/proc"
trap 'umount -l "$root/proc"; rm -rf --one-file-system "$root"' EXIT
trap 'exit 130' INT TERM

# Two classes of four images of 32 x 32 each.
python3 - "$root/root/images" <<'END'
import pathlib
import struct
import sys
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


for part in ("train", "val"):
    for number, shade in enumerate((40, 200)):
        folder = pathlib.Path(sys.argv[1], part, f"class{number}")
        folder.mkdir(parents=True)
        for image in range(4):
            pixels = b"".join(b"\0" + bytes([shade + image] * 96) for _ in range(32))
            (folder / f"{image}.png").write_bytes(
                b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b""))
END
cat >"$root/try.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 HOME=/root
cd /root
began=$(date +%s)
lap() { echo "$1: $(($(date +%s) - began)) s"; }
apt-get update -qq >/dev/null 2>&1
install() { apt-get install -y -qq --no-install-recommends "$@" >apt.log 2>&1 || { tail -n 20 apt.log; exit 1; }; }
install /packages/rooflab_*.deb
rooflab predict resnet18 --device t4 | grep -q '^resnet18 .* fits'
lap "from packages to the first prediction"
install /packages/rooflab-torch_*.deb /packages/rooflab-probe_*.deb /packages/python3-rooflab_*.deb
rooflab measure squeezenet1_0 --device cpu --batch 1 --phase inference -o measured.json >/dev/null 2>&1
grep -q '"status": "\(ok\|suspect\)"' measured.json
lap "to the first measurement"
rooflab train squeezenet1_0 --data folder:images --device cpu --epochs 1 --batch 4 -o trained >train.log 2>&1 ||
  { tail -n 5 train.log; exit 1; }
test -f trained/run-1/run.json
lap "train"
rooflab scale squeezenet1_0 --device cpu,cpu --batch 2 -o scaled.json >scale.log 2>&1 || { tail -n 5 scale.log; exit 1; }
lap "scale"
rooflab probe --device cpu --only bandwidth --format json >probed.json 2>probe.log || { tail -n 5 probe.log; exit 1; }
lap "probe"
test "$(python3 -c "import rooflab; print(rooflab.summary('resnet18').parameters)")" = 11689512
lap "python"
rooflab doctor | grep -q '^ok *rooflab-torch'
END
chroot "$root" sh /try.sh
