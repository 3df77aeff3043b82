-- winners.lua: list the users who hold a claim in a rain, or who have won in a campaign, page by page.
--
-- KEYS[1] claimed  hash: userId -> claim JSON; or the campaign's wins, by userId too
-- ARGV    cursor ("0" begins), how many entries to read
-- RETURNS next cursor ("0": end), userId ...; a user may appear twice; a user who was there all the time is never
--         missed
-- WHY     HSCAN alone also returns the claims, which are ten times as long as the ids and are not needed here.

local reply = redis.call('HSCAN', KEYS[1], ARGV[1], 'COUNT', ARGV[2])
local page = { reply[1] }
for i = 1, #reply[2], 2 do page[#page + 1] = reply[2][i] end
return page
