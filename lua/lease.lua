-- lease.lua: take, renew or release the lease to work on a shard: to relay its claims, or to audit its rain.
--
-- KEYS[1] lease    string: the owner, expiring
-- ARGV    owner, time to live in ms (0 releases)
-- RETURNS 1 the owner holds it now (or has released it); 0 another one holds it
-- WHY     The lease only saves work. Correctness comes from relay.lua, which moves no cursor without the lease, and
--         from the ledger's unique keys. So an inexact clock does no harm here.

-- A key of another type, or without expiry, was written by no worker: nobody holds it.
if redis.call('TYPE', KEYS[1]).ok ~= 'string' or redis.call('PTTL', KEYS[1]) == -1 then redis.call('DEL', KEYS[1]) end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif holder then
  redis.call('DEL', KEYS[1])
end
return 1
