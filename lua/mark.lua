-- mark.lua: give the replicas something to acknowledge, so that WAIT waits for all that this master has written.
--
-- KEYS[1] mark   string: nobody reads it
-- ARGV    none
-- RETURNS 1
-- WHY     From Redis 7.2 on, and in Valkey, WAIT counts only what its own connection has written, and a gateway waits
--         for wins that other connections wrote. The log on disk does not get the mark: a sync for nothing would delay
--         grabs.

redis.set_repl(redis.REPL_REPLICA)
redis.call('SET', KEYS[1], '1')
return 1
