-- wishesdone.lua: remove the oldest wishes to cancel of a sale, and put those before their orders behind all others.
--
-- KEYS[1] cancels list: wishes as in cancel.lua, the newest at the head
-- ARGV    how many are removed; these wishes as they were read, the newest first; then those of them that are put back
-- RETURNS 1 removed; 0 the oldest wishes are others by now, and nothing was changed
-- WHY     Another worker may have done it meanwhile, whatever the lease says: by comparing what is removed, no wish is
--         lost that nobody has carried out. One step for thousands, since somebody may fill the list with junk.

local count = tonumber(ARGV[1])
for i, wish in ipairs(redis.call('LRANGE', KEYS[1], -count, -1)) do
  if wish ~= ARGV[i + 1] then return 0 end
end
if redis.call('LLEN', KEYS[1]) < count then return 0 end
redis.call('LTRIM', KEYS[1], 0, -count - 1)
for i = count + 2, #ARGV do redis.call('LPUSH', KEYS[1], ARGV[i]) end
return 1
