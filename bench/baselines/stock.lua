-- The stock script of a flash sale: one of each per user while stock lasts. 1 sold, 0 sold out, 2 has one.
-- KEYS[1] stock  string    KEYS[2] buyers  set    ARGV[1] userId
if redis.call('SISMEMBER', KEYS[2], ARGV[1]) == 1 then return 2 end
local left = tonumber(redis.call('GET', KEYS[1]) or '0')
if left <= 0 then return 0 end
redis.call('DECR', KEYS[1])
redis.call('SADD', KEYS[2], ARGV[1])
return 1
