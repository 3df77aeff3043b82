#!/bin/sh
# Makes the Secrets of this example, once; `secrets.sh cluster` those of ../example-cluster. Nothing of them is written to a
# file: keep a copy of SIGNING_SECRET (docs/how-to/run-in-production.md).
set -eu
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
create() { name=$1; shift; kubectl --namespace=red-packet-rain create secret generic "$name" "$@"; }

case ${1:-sentinel} in
  sentinel) scheme=redis+sentinel redis=rain-redis-sentinel:26379/rain ;;
  cluster) scheme=redis+cluster redis=rain-redis-leader:6379,rain-redis-follower:6379 ;;
  *) echo "usage: secrets.sh [sentinel|cluster]" >&2; exit 2 ;;
esac

create rain-secrets --from-literal=SIGNING_SECRET="$(random)" --from-literal=JWT_SECRET="$(random)"

password=$(random)
create rain-redis --from-literal=password="$password" --from-literal=REDIS_URL="$scheme://:$password@$redis"

# The file is that of the Secret rain-postgres-ca, which CloudNativePG makes.
tls='sslmode=verify-full&sslrootcert=/etc/rain/ca/ca.crt'
for pair in owner:rain_owner console:rain worker:rain_worker; do
  role=${pair#*:} password=$(random)
  create "rain-database-${pair%%:*}" --type=kubernetes.io/basic-auth --from-literal=username="$role" --from-literal=password="$password" \
    --from-literal=DATABASE_URL="postgres://$role:$password@rain-postgres-rw:5432/rain?$tls"
done
