# Sourced by the acceptance scripts: the binary, a folder that goes away, servers that end.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$HOME/.cache/consilium/target}
consilium=${CONSILIUM:-$CARGO_TARGET_DIR/debug/consilium}
[[ -x $consilium ]] || (cd "$root" && cargo build)
data=${CONSILIUM_DATA:-$root/../shared/data}
work=$(mktemp -d)
servers=()
finish() { for server in "${servers[@]:-}"; do [[ -n $server ]] && kill "$server" 2>/dev/null || true; done; rm -rf "$work"; }
trap finish EXIT
cd "$work"

# Starts a mock server with the given options; sets base_url.
start_mock() {
  # What an earlier server wrote would be read while the file is being made anew.
  rm -f mock.address
  "$consilium" mock-server "$@" > mock.address &
  servers+=($!)
  for _ in $(seq 100); do [[ -s mock.address ]] && break; sleep 0.1; done
  base_url=$(head -n 1 mock.address)
}

# One field of the mock server's statistics.
stat_of() {
  local address=${base_url#http://}; address=${address%/v1}
  exec 3<> "/dev/tcp/${address%:*}/${address#*:}"
  printf 'GET /stats HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$address" >&3
  sed -n 's/.*"'"$1"'":\([0-9]*\).*/\1/p' <&3
  exec 3>&-
}

# One number from a run.
count() { "$consilium" sql "$1" "$2" --format csv | sed -n 2p; }

fail() { echo "FAILED: $*" >&2; exit 1; }
