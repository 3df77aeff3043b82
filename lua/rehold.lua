-- rehold.lua: give a hold that nobody of us made a reason of ours.
--
-- KEYS[1] state    hash: held
-- ARGV    the new reason, then all reasons that stay, see src/store/holds.ts
-- RETURNS 1 it was held for another reason; 0 it is not held, or for a reason that stays
-- WHY     Somebody else may have written any text there, and no comparison would ever end such a hold. The rain stays
--         held all the while, so a hold of ours that comes in between is never lost.

local held = redis.call('HGET', KEYS[1], 'held')
if not held then return 0 end
for i = 2, #ARGV do
  if held == ARGV[i] then return 0 end
end
redis.call('HSET', KEYS[1], 'held', ARGV[1])
return 1
