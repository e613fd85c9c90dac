#!/usr/bin/env bash
# The program with Node.js 22 and 24 beside the one that the tests run with: a demo of 300 properties, a read, a refresh in which nothing
# changed, and the service from its start to its first answer. Each comes from the registry (npm pack) into a temporary folder; where it
# cannot be had, that is said and no failure. Fails where the program does. Run: bash tools/scripts/ci_nodes.sh [version …]
set -euo pipefail
cd "$(dirname "$0")/../.."
node tools/scripts/setup.mjs

folder=$(mktemp -d)
# The embedded server of root runs as another user, who must come to its folder.
chmod 755 "$folder"
service=
stop() { [ -z "$service" ] || kill "$service" 2>/dev/null || true; }
trap 'stop; rm -rf "$folder"' EXIT

# Unpacks Node.js of a version into a folder.
fetch_node() {
  local package
  package="node-$(node -p 'process.platform + "-" + process.arch')@$1"
  (cd "$2" && timeout 60 npm pack --silent "$package" && tar -xzf ./*.tgz package/bin/node && rm ./*.tgz) >/dev/null 2>&1
}

# Says what did not go, with what the program said, and gives up.
failed() {
  echo "FAILED with Node.js $1: $2" >&2
  tail -n 20 "$3" >&2
  exit 1
}

# Runs the program of the checkout with the Node.js in a folder; its sample country and database lie there too.
try_node() {
  local version=$1 home=$2 node="$2/package/bin/node" log="$2/log" config="$2/data/sample/config.yaml" seconds=$SECONDS
  local common=(--config "$config" --data-dir "$home/data")
  "$node" cli/start.mjs demo --properties 300 --data-dir "$home/data" >"$log" 2>&1 </dev/null || failed "$version" demo "$log"
  "$node" cli/start.mjs get basics/land-area-sqm GAVIC900000001 "${common[@]}" >"$log" 2>&1 || failed "$version" get "$log"
  grep -q land_area_sqm "$log" || failed "$version" 'get says no land area' "$log"
  "$node" cli/start.mjs refresh "${common[@]}" >"$log" 2>&1 || failed "$version" 'the second refresh' "$log"
  grep -q unchanged "$log" || failed "$version" 'the second refresh found something to do' "$log"
  "$node" cli/start.mjs serve "${common[@]}" --set service.port=0 >"$log" 2>&1 </dev/null &
  service=$!
  "$node" -e '
    const { readFileSync } = require("node:fs");
    const until = Date.now() + 30_000;
    (async () => {
      for (;;) {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(process.argv[1], "utf8"))?.[0];
        const answer = url && (await fetch(`${url}/readyz`).catch(() => null));
        if (answer?.ok) return;
        if (Date.now() > until) throw new Error("no answer in 30 s");
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    })().catch((error) => { console.error(error.message); process.exit(1); });' "$log" || failed "$version" serve "$log"
  kill "$service"
  wait "$service" || failed "$version" 'the end of serve' "$log"
  service=
  echo "Node.js $("$node" --version): demo, get, an unchanged refresh and serve pass ($((SECONDS - seconds)) s)"
}

[ $# -gt 0 ] || set -- 22 24
for version in "$@"; do
  mkdir -m 755 "$folder/$version"
  if fetch_node "$version" "$folder/$version"; then
    try_node "$version" "$folder/$version"
  else
    echo "SKIPPED: Node.js $version is not tried, because npm does not give it for this machine."
  fi
done
