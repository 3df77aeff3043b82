-- told.lua: write down wins, or reservations, that users were told and that Redis has lost.
--
-- KEYS[1] told     hash: JSON of the win and its receipt -> when it was told, epoch ms; of a sale: JSON of the
--         reservation and its receipt -> ''
-- ARGV    time to live, ms; how many entries there may be; then field, value; n times
-- RETURNS how many of them are written down, now or earlier
-- WHY     The first value of a field stays: gateways and users report the same one many times. The field has all that
--         counts, and its proof: nobody keeps a win out by writing something else in its place. The
--         hash expires by itself, as the rain's other keys may be gone for good. Its size is bounded, whoever reports.

-- A foreign value in its place must not keep the win from being written down.
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('DEL', KEYS[1]) end
local size, stored = redis.call('HLEN', KEYS[1]), 0
for i = 3, #ARGV, 2 do
  local known = redis.call('HEXISTS', KEYS[1], ARGV[i]) == 1
  if not known and size < tonumber(ARGV[2]) then
    redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
    size, known = size + 1, true
  end
  if known then stored = stored + 1 end
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return stored
