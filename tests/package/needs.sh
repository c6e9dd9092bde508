# What a test in a tree of debootstrap needs, for scripts that begin with `. .../needs.sh`: $mirror, or exit
# code 77 with the reason.
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "not root"
command -v debootstrap >/dev/null || skip "no debootstrap"
mirror=$("$(dirname "$0")/../../packaging/mirror") || skip "apt knows no mirror"
