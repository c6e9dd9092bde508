#!/bin/sh
# The program for older systems (packaging/portable): its glibc, in a bare Debian bullseye, and as a wheel in a
# fresh virtual environment.
#   portable.sh SOURCE WORK     77 (skipped) without root, debootstrap, wheel or the mirror of apt
set -eu
source=$1 work=$2
. "$(dirname "$0")/needs.sh"
python=$("$source/packaging/portable/python") || skip "no Python with setuptools and wheel"
"$python" -c 'import ensurepip' 2>/dev/null || skip "no python3-venv"
mkdir -p "$work"
rm -rf "$work/packages"
"$source/packaging/portable/build.sh" "$work/packages" "$work/build"

root=$work/build/sysroot # a Debian bullseye with glibc 2.31
rm -rf "$root"/opt/rooflab-*
tar -C "$root/opt" -xzf "$work"/packages/rooflab-*.tar.gz
chroot "$root" sh -c 'cd /root && /opt/rooflab-*/bin/rooflab predict resnet18 --device t4 -o page.html' |
  grep '^resnet18 .* fits'
rm -rf "$root"/opt/rooflab-*

rm -rf "$work/venv"
"$python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --no-index --disable-pip-version-check "$work"/packages/*.whl
cd "$work"
clean() { env -i PATH=/usr/bin:/bin HOME="$work" "$@"; }
clean "$work/venv/bin/python" -c "
import rooflab
assert rooflab.summary('resnet18').parameters == 11689512
print('import rooflab', rooflab.__version__)"
clean "$work/venv/bin/python" -m rooflab predict resnet18 --device t4 | grep '^resnet18 .* fits'
clean "$work/venv/bin/rooflab" --version
