-- hold.lua: grant nothing in a rain while Redis and the ledger do not agree about it.
--
-- KEYS[1] state    hash: state; gets held
-- ARGV    the reason, see src/store/holds.ts
-- RETURNS 1 held; 0 no such rain, or it is settled
-- WHY     A hold is not a pause: the operator may pause and resume meanwhile, and the hold ends by itself when the
--         stores agree. It must never create the key of a rain that Redis does not have.

local state = redis.call('HGET', KEYS[1], 'state')
if not state or state == 'settled' then return 0 end
redis.call('HSET', KEYS[1], 'held', ARGV[1])
return 1
