-- settle.lua: mark a rain as settled, publish what its commitment covers and let its keys expire.
--
-- KEYS[1] state    hash: state; gets the seed, the plan and those of the top-ups
-- KEYS[2] packets  list
-- KEYS[3] claimed  hash
-- KEYS[4] claims   list
-- KEYS[5] spoiled  list
-- KEYS[6] relayed  string
-- KEYS[7] credited set
-- KEYS[8] sending  hash
-- KEYS[9] lent     hash
-- KEYS[10] received hash
-- ARGV    time to live, ms; how many claims the audit has counted, '' for any number; then the fields to publish, each
--         with its value: seed, plan, top-ups (JSON); may be none
-- RETURNS the state now: "settled" if settled, now or earlier; any other state is the reason for a refusal; nil no such
--         rain
-- WHY     Nothing that settlement needs may expire before the rain is settled, so no key has a time to live before.
--         Until it ends, a winner who grabs again still gets the first answer [R6]. A claim that restore.lua put back
--         after the audit is not part of the audit: then the rain stays closed and is audited again. State and seed
--         change in one write: nobody reads the seed of a rain that is not settled, nor a settled rain without its
--         seed. A settled rain that a restore made live again does not expire before it is settled again; no other one
--         lives longer by that.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
if state == 'settled' then
  for i = 1, 10 do if redis.call('PTTL', KEYS[i]) == -1 then redis.call('PEXPIRE', KEYS[i], ARGV[1]) end end
end
if state ~= 'closed' then return state end
if ARGV[2] ~= '' and redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[2]) then return state end
redis.call('HSET', KEYS[1], 'state', 'settled', unpack(ARGV, 3))
for i = 1, 10 do redis.call('PEXPIRE', KEYS[i], ARGV[1]) end
return 'settled'
