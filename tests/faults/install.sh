# Installs the program of a build, with the workers of the tests in the place of the program's.
#   install.sh CMAKE BUILD WORKERS PREFIX
set -eu
rm -rf "$4"
"$1" --install "$2" --prefix "$4" --component program >/dev/null
mkdir -p "$4/libexec/rooflab"
for name in rooflab-torch rooflab-probe; do
  cp "$3/rooflab-torch" "$4/libexec/rooflab/$name"
done
