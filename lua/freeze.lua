-- freeze.lua: let nothing be put back into a closed rain any more; its money is about to move.
--
-- KEYS[1] state    hash: state; takes frozen
-- KEYS[2] claims   list: the claim log
-- ARGV    how many claims the audit has seen
-- RETURNS 1 frozen, now or before, with the log as the audit saw it; 0 not closed, or the log has grown; nil no such rain
-- WHY     A claim that restore.lua puts back after the audit is one that nobody has weighed. Were that found out only after
--         the recycling, a user who was told that he won could not be paid any more. So the log is closed first.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
if state == 'settled' then return 1 end
if state ~= 'closed' or redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'frozen', '1')
return 1
