#!/bin/sh
# Makes the Secrets of this example, once. Nothing of them is written to a file: keep a copy of SIGNING_SECRET (docs/how-to/run-in-production.md).
set -eu
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
create() { name=$1; shift; kubectl --namespace=red-packet-rain create secret generic "$name" "$@"; }

create rain-secrets --from-literal=SIGNING_SECRET="$(random)" --from-literal=JWT_SECRET="$(random)"

password=$(random)
create rain-redis --from-literal=password="$password" --from-literal=REDIS_URL="redis+sentinel://:$password@rain-redis-sentinel:26379/rain"

for pair in owner:rain_owner console:rain worker:rain_worker; do
  role=${pair#*:} password=$(random)
  create "rain-database-${pair%%:*}" --type=kubernetes.io/basic-auth --from-literal=username="$role" --from-literal=password="$password" \
    --from-literal=DATABASE_URL="postgres://$role:$password@rain-postgres-rw:5432/rain"
done
