-- lease.lua: take, renew or give back the right to do something for a shard: to carry its claims, to audit its rain.
--
-- KEYS[1] lease    string: who is at work, expiring
-- ARGV    owner, time to live in ms (0 gives back)
-- RETURNS 1 it is the owner's now (or was, when given back); 0 it is another's
-- WHY     It saves work. What must hold is guarded by relay.lua, which moves no cursor without the lease, and by the ledger's
--         unique keys. So the clock may be wrong here.

local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
if ARGV[2] ~= '0' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif holder then
  redis.call('DEL', KEYS[1])
end
return 1
