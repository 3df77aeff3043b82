-- freeze.lua: forbid any restore into a closed rain, because its money is about to move.
--
-- KEYS[1] state    hash: state; gets frozen
-- KEYS[2] claims   list: the claim log
-- KEYS[3] sending  hash: moves that left this shard and have not arrived
-- ARGV    how many claims the audit has counted
-- RETURNS 1 frozen, now or earlier, and the log is as the audit counted it; 0 not closed, or the log has grown, or
--         packets are on their way; nil no such rain
-- WHY     A claim that restore.lua puts back after the audit is not part of the audit. If this were found only after
--         the recycling, there would be no money left for a user who was told of a win. So the log is closed first.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
if state == 'settled' then return 1 end
if state ~= 'closed' or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[1]) or redis.call('HLEN', KEYS[3]) > 0 then
  return 0
end
redis.call('HSET', KEYS[1], 'frozen', '1')
return 1
