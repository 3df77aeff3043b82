-- epoch.lua: read the epoch of Redis, or write the next one.
--
-- KEYS[1] epoch    hash: store, counter, runId, server (the run id of this server, as a user saw it who may call INFO)
-- ARGV    none to read; to write: store (the id of the ledger), its counter, run id for which the stores were compared,
--         and how far an honest counter may be ahead of that one
-- RETURNS store, counter, run id as stored ('' if absent), then the run id of this server ('' if it does not tell)
-- WHY     A backup of Redis contains an older counter than the ledger has. If two workers write at once, the greater
--         counter stands, since a smaller one looks like a backup. The run id is read by the server that owns the key,
--         in the same step: a check that began before a restart does not count after it. A user who may not call INFO
--         goes by what another one has noted. A Redis that takes no writes now is read all the same.

local info = redis.pcall('INFO')
local run_id = type(info) == 'string' and info:match('run_id:(%x+)') or ''
local noted = redis.call('HMGET', KEYS[1], 'store', 'server')
if run_id == '' then
  run_id = noted[2] or ''
elseif noted[1] and noted[2] ~= run_id then
  redis.pcall('HSET', KEYS[1], 'server', run_id)
end
if #ARGV > 0 then
  local found = redis.call('HMGET', KEYS[1], 'store', 'counter')
  local ahead = (tonumber(found[2] or '') or 0) - tonumber(ARGV[2])
  local newer = found[1] ~= ARGV[1] or not (ahead >= 0 and ahead <= tonumber(ARGV[4]))
  if newer then redis.call('HSET', KEYS[1], 'store', ARGV[1], 'counter', ARGV[2]) end
  if ARGV[3] ~= '' and ARGV[3] == run_id then redis.call('HSET', KEYS[1], 'runId', run_id) end
end
local now = redis.call('HMGET', KEYS[1], 'store', 'counter', 'runId')
return { now[1] or '', now[2] or '', now[3] or '', run_id }
