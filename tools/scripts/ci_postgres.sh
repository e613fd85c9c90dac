# A throw-away PostgreSQL beside the embedded one, for the tests that compare the two servers. To be sourced:
#   source tools/scripts/ci_postgres.sh
# Installs Debian's PostgreSQL where there is none (as root or by sudo without password), makes a cluster in a temporary
# folder, starts it on a free port of 127.0.0.1 as a user that is not root, and exports TEST_EXTERNAL_DATABASE_URL.
# Server and folder go when the shell that sourced this ends. Where it cannot be had, it says so and exports nothing:
# the tests that need it then skip loudly. PostGIS is installed beside it where it can be had: what it says of the shapes is one of the tests.

ci_postgres_bin() {
  local dir
  for dir in $(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -t/ -k5 -n); do
    if [ -x "$dir/initdb" ] && [ -x "$dir/postgres" ]; then
      echo "$dir"
      return 0
    fi
  done
  return 1
}

ci_apt_get() {
  local root=()
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 1
    root=(sudo -n)
  fi
  command -v apt-get >/dev/null || return 1
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "$@" >/dev/null
}

ci_postgres_install() {
  ci_apt_get update -qq || return 1
  ci_apt_get install -y -qq --no-install-recommends postgresql-15 ||
    ci_apt_get install -y -qq --no-install-recommends postgresql
}

# For the server whose programs are in CI_POSTGRES_BIN.
ci_postgis_install() {
  local version
  version=$(basename "$(dirname "$CI_POSTGRES_BIN")")
  [ ! -e "/usr/share/postgresql/$version/extension/postgis.control" ] || return 0
  ci_apt_get install -y -qq --no-install-recommends "postgresql-$version-postgis-3" ||
    { ci_apt_get update -qq && ci_apt_get install -y -qq --no-install-recommends "postgresql-$version-postgis-3"; }
}

# PostgreSQL refuses to run as root: Debian's own account runs it then.
ci_postgres_as() {
  if [ "$(id -u)" = 0 ]; then
    (cd / && setpriv --reuid=postgres --regid=postgres --clear-groups -- "$@")
  else
    (cd / && "$@")
  fi
}

ci_postgres_port() {
  node -e 'const s = require("node:net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); });'
}

ci_postgres_stop() {
  [ -n "${CI_POSTGRES_DIR:-}" ] || return 0
  ci_postgres_as "$CI_POSTGRES_BIN/pg_ctl" -D "$CI_POSTGRES_DIR/data" -m immediate -w stop >/dev/null 2>&1 || true
  rm -rf "$CI_POSTGRES_DIR"
  CI_POSTGRES_DIR=''
}

ci_postgres_start() {
  local port password
  CI_POSTGRES_BIN=$(ci_postgres_bin) || { ci_postgres_install && CI_POSTGRES_BIN=$(ci_postgres_bin); } || return 1
  ci_postgis_install || echo 'PostGIS cannot be installed: what it says of the shapes is not asked.' >&2
  CI_POSTGRES_DIR=$(mktemp -d "${TMPDIR:-/tmp}/ci-postgres-XXXXXX") || return 1
  trap ci_postgres_stop EXIT
  password=$(head -c 18 /dev/urandom | od -An -tx1 | tr -d ' \n')
  (umask 077 && printf '%s' "$password" >"$CI_POSTGRES_DIR/password")
  if [ "$(id -u)" = 0 ]; then chown -R postgres:postgres "$CI_POSTGRES_DIR"; fi
  ci_postgres_as "$CI_POSTGRES_BIN/initdb" -D "$CI_POSTGRES_DIR/data" -U ci -A scram-sha-256 -E UTF8 \
    --locale=C.UTF-8 --pwfile="$CI_POSTGRES_DIR/password" >/dev/null || return 1
  port=$(ci_postgres_port) || return 1
  ci_postgres_as "$CI_POSTGRES_BIN/pg_ctl" -D "$CI_POSTGRES_DIR/data" -l "$CI_POSTGRES_DIR/log" -w -t 60 \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=60" \
    start >/dev/null || { cat "$CI_POSTGRES_DIR/log" >&2; return 1; }
  export TEST_EXTERNAL_DATABASE_URL="postgresql://ci:$password@127.0.0.1:$port/postgres"
  echo "PostgreSQL $("$CI_POSTGRES_BIN/postgres" --version | grep -oE '[0-9.]+' | head -1) runs on 127.0.0.1:$port for this shell"
}

if [ -z "${TEST_EXTERNAL_DATABASE_URL:-}" ]; then
  ci_postgres_start || {
    echo 'No PostgreSQL could be started: the comparison with an external server is skipped.' >&2
    ci_postgres_stop
  }
fi
