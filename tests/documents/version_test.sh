#!/bin/sh
# The version has one place, project(rooflab VERSION ...) in CMakeLists.txt. Files whose format cannot read it from
# there repeat it: they must say the same, and the newest entry of CHANGELOG.md must be of it.
#   version_test.sh SOURCE
set -eu
cd "$1"
version=$(sed -n 's/^project(rooflab VERSION \([0-9][0-9.]*\).*/\1/p' CMakeLists.txt)
[ -n "$version" ] || { echo "version_test: CMakeLists.txt has no project version"; exit 1; }

status=0
same() { # FILE WHAT FOUND
  [ "$3" = "$version" ] && return 0
  echo "version_test: $1: $2 is '$3', CMakeLists.txt has '$version'"
  status=1
}
header=include/rooflab/base/version.hpp
same $header ROOFLAB_VERSION_STRING "$(sed -n 's/^#define ROOFLAB_VERSION_STRING "\(.*\)"/\1/p' $header)"
same $header "the version by its parts" \
  "$(sed -n 's/^#define ROOFLAB_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' $header | paste -s -d .)"
grep -q "headers_are_$(echo "${version%.*}" | tr . _);" $header || {
  echo "version_test: $header: no headers_are_N_N of $version"
  status=1
}
same CITATION.cff version "$(sed -n 's/^version: *//p' CITATION.cff)"
same packaging/conda/meta.yaml version "$(sed -n 's/.*set version = "\(.*\)".*/\1/p' packaging/conda/meta.yaml)"
same packaging/spack/package.py version "$(sed -n 's/^ *version("\([0-9.]*\)".*/\1/p' packaging/spack/package.py)"
for file in packaging/spack/package.py packaging/homebrew/rooflab.rb; do
  same "$file" "the archive's version" "$(sed -n 's/^ *url.*rooflab-\([0-9.]*\)\.tar.*/\1/p' "$file")"
done

newest=$(sed -n 's/^## \([0-9.]*, .*\)/\1/p' CHANGELOG.md | head -n 1)
case $newest in
  "$version, unreleased" | "$version, "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]) ;;
  *) echo "version_test: CHANGELOG.md: the newest entry is '$newest', CMakeLists.txt has '$version'"; status=1 ;;
esac
exit $status
