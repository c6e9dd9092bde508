#!/usr/bin/env bash
# A program that runs on any Linux with glibc 2.31, as an archive and a Python wheel.
#   packaging/portable/build.sh OUT [WORK]     WORK (build/portable) keeps what is fetched and built
# Needs root, debootstrap, g++ 12 or later, setuptools and wheel. The older system is Debian bullseye with its
# security updates; simdjson and md4c, of which Debian has no static libraries, are compiled from Debian's sources.
set -euo pipefail
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.."
source=$PWD
work=$(mkdir -p "${2:-build/portable}" && cd "${2:-build/portable}" && pwd)
export ROOFLAB_PORTABLE=$work
ROOFLAB_GCC=$(gcc -dumpversion)
export ROOFLAB_GCC
# The same sources make the same files.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022
glibc=2.31
python=$(packaging/portable/python) || { echo "no Python with setuptools and wheel"; exit 1; }

mirror=$(packaging/mirror) || { echo "apt knows no mirror of Debian: ROOFLAB_MIRROR names one"; exit 1; }
security=$(packaging/mirror security) || security=$mirror-security
libraries=(libc6-dev zlib1g-dev libjpeg62-turbo-dev libpng-dev libsqlite3-dev)
sysroot=$work/sysroot
if [ ! -f "$work/sysroot.done" ]; then
  rm -rf --one-file-system "$sysroot"
  debootstrap --variant=minbase bullseye "$sysroot" "$mirror" >"$work/debootstrap.log"
  printf 'deb %s bullseye main\ndeb %s bullseye-security main\n' "$mirror" "$security" >"$sysroot/etc/apt/sources.list"
  touch "$work/sysroot.done"
fi
# The libraries, with the security updates there are; without a network those of the last time.
in_sysroot() { chroot "$sysroot" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"; }
{ in_sysroot update && in_sysroot -y upgrade && in_sysroot -y --no-install-recommends install "${libraries[@]}"; } \
  >"$work/apt.log" 2>&1 ||
  { tail -n 5 "$work/apt.log"; [ -f "$sysroot/usr/include/png.h" ] || exit 1; echo "security updates: not looked for"; }
chroot "$sysroot" dpkg-query -W -f '${Package} ${Version}\n' zlib1g libjpeg62-turbo libpng16-16 libsqlite3-0
# Links to / would lead out of the tree.
find "$sysroot/usr/lib" "$sysroot/usr/lib64" -type l -lname '/*' | while read -r link; do
  ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$sysroot$(readlink "$link")")" "$link"
done

deps=$work/deps
if [ ! -f "$work/deps.done" ]; then
  rm -rf "$deps" "$work/sources"
  mkdir -p "$deps"/{include,lib/cmake/fmt,lib/cmake/nlohmann_json} "$work/sources/lists/partial"
  # Only headers of these; of fmt too, whose library is inside its headers.
  cp -rL /usr/include/{toml++,protozero,eigen3/Eigen,fmt,nlohmann} "$deps/include/"
  for name in fmt nlohmann_json; do
    cp packaging/source/header_only-config.cmake "$deps/lib/cmake/$name/$name-config.cmake"
  done
  cd "$work/sources"
  printf 'deb-src %s bookworm main\n' "$mirror" >list
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$PWD/list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$PWD/lists")
  "${apt[@]}" update
  for package in simdjson md4c; do
    "${apt[@]}" source --download-only --tar-only "$package" >/dev/null
    tar xzf "${package}"_*.orig.tar.gz
  done
  cp simdjson-*/singleheader/simdjson.h md4c-*/src/md4c.h "$deps/include/"
  older=(--sysroot="$sysroot" -O2 -fPIC -fvisibility=hidden)
  headers=(-nostdinc++ -isystem "/usr/include/c++/$ROOFLAB_GCC" -isystem "/usr/include/x86_64-linux-gnu/c++/$ROOFLAB_GCC")
  g++ "${older[@]}" "${headers[@]}" -std=c++17 -c simdjson-*/singleheader/simdjson.cpp -o simdjson.o
  gcc "${older[@]}" -DMD4C_USE_UTF8 -c md4c-*/src/md4c.c -o md4c.o
  ar rcs "$deps/lib/libsimdjson.a" simdjson.o
  ar rcs "$deps/lib/libmd4c.a" md4c.o
  cd "$source"
  touch "$work/deps.done"
fi
cp "$sysroot"/usr/lib/x86_64-linux-gnu/lib{jpeg,png16,z,sqlite3}.a "$deps/lib/"
cp "$deps/lib/libpng16.a" "$deps/lib/libpng.a"
gcc --sysroot="$sysroot" -O2 -fPIC -c packaging/portable/compat.c -o "$work/compat.o"

cmake -S . -B "$work/build" -G Ninja --toolchain packaging/portable/toolchain.cmake -DCMAKE_BUILD_TYPE=Release \
  -DROOFLAB_UNITY=ON -DROOFLAB_TORCH=OFF -DROOFLAB_CUDA=OFF -DROOFLAB_BENCH=OFF -DBUILD_TESTING=OFF \
  -DROOFLAB_STATIC_LIBGCC=OFF -DCMAKE_LIBRARY_PATH="$deps/lib" -DCMAKE_INCLUDE_PATH="$deps/include" \
  >"$work/configure.log" 2>&1 || { tail -n 20 "$work/configure.log"; exit 1; }
targets=(rooflab_program)
grep -q 'librooflab-inject.so: on' "$work/configure.log" && targets+=(rooflab_inject)
cmake --build "$work/build" --target "${targets[@]}" >"$work/build.log" 2>&1 ||
  { grep -E 'error|undefined' "$work/build.log" | head -n 20; exit 1; }

# The symbols tell which glibc it needs.
tree=$work/tree
rm -rf "$tree"
cmake --install "$work/build" --prefix "$tree" --component program --strip >/dev/null
newest=$(objdump -T "$tree"/bin/rooflab "$tree"/libexec/rooflab/*.so 2>/dev/null |
  grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
echo "needs ${newest/_/ }"
[ "$(printf 'GLIBC_%s\n%s\n' "$glibc" "$newest" | sort -V | tail -n 1)" = "GLIBC_$glibc" ] ||
  { echo "newer than $glibc"; exit 1; }
# It loads libraries of the C library alone.
others=$(readelf -d "$tree"/bin/rooflab "$tree"/libexec/rooflab/*.so 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
  grep -vE '^(lib(c|m|dl|pthread|rt|gcc_s)|ld-linux-x86-64)\.so' | sort -u || true)
[ -z "$others" ] || { echo "needs $others"; exit 1; }

version=$(sed -n 's/^project(rooflab VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=rooflab-$version-linux-x86_64
rm -rf "${work:?}/$name" "$work/wheel"
cp -a "$tree" "$work/$name"
tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -c "$name" |
  gzip -n >"$out/$name.tar.gz"
mkdir "$work/wheel"
cp -r python/rooflab "$work/wheel/rooflab"
find "$work/wheel" -name __pycache__ -prune -exec rm -rf {} +
cp -a "$tree" "$work/wheel/rooflab/_tree"
rm -rf "$work/wheel/rooflab/_tree/share/man" "$work/wheel/rooflab/_tree/share/"{bash-completion,zsh,fish}
cp packaging/portable/wheel_setup.py "$work/wheel/setup.py"
cp LICENSE NOTICE python/README.md "$work/wheel"
# The package's own description, and that it brings the program.
{ sed 's#^package-data.*"_startup/sitecustomize.py"#&, "_tree/**/*"#' python/pyproject.toml
  printf '\n[project.scripts]\nrooflab = "rooflab.__main__:main"\n'; } >"$work/wheel/pyproject.toml"
(cd "$work/wheel" && ROOFLAB_WHEEL_VERSION=$version ROOFLAB_WHEEL_PLATFORM="manylinux_${glibc/./_}_x86_64" \
  "$python" setup.py -q bdist_wheel --dist-dir "$out" >"$work/wheel.log" 2>&1) || { tail "$work/wheel.log"; exit 1; }
ls -l "$out"
