-- saleopen.lua: let the items of a drafted sale be bought from its start on.
--
-- KEYS[1] state   hash: state; gets signedBy
-- ARGV    the name of the key that purchases are signed with, as the ledger recorded it when the sale was first loaded
-- RETURNS the state now: "loaded" if it was a draft or was loaded before; any other state says how far it is; nil no
--         such sale
-- WHY     Its stock came with the draft, and every top-up before this call. Only a draft is opened: a sale that is
--         paused or over stays so when the command is repeated. The name of the key is written each time, so that
--         loading again puts it right.

local state = redis.call('HGET', KEYS[1], 'state')
if not state then return nil end
redis.call('HSET', KEYS[1], 'signedBy', ARGV[1])
if state ~= 'draft' then return state end
redis.call('HSET', KEYS[1], 'state', 'loaded')
return 'loaded'
