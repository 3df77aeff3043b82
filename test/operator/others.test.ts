import { afterAll, beforeAll, expect, test } from 'vitest';
import { swarmUsers } from '../../src/bin/swarmAudit.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { wonByOthers } from '../../src/operator/winners/others.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { wonRain } from '../wallet/room.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

test('counts wins of users outside a load test, from the claim log or, after its expiry, from the ledger', async () => {
  const claims = await wonRain(context, 'beside', ['bot-0', 'ann', 'bot-1', 'bot-2', 'bot-01', 'bob'], { shards: 2 });
  const isOfSwarm = swarmUsers(2);
  // bot-2 and bot-01 are no users of a swarm of two.
  expect(await wonByOthers(context, 'beside', isOfSwarm)).toEqual({ count: 4, cents: 400n });
  await context.ledger.credit(claims);
  for (const shard of [0, 1]) await context.redis.del(...Object.values(shardKeys('beside', shard)));
  expect(await wonByOthers(context, 'beside', isOfSwarm)).toEqual({ count: 4, cents: 400n });
  expect(await wonByOthers(context, 'nowhere', isOfSwarm)).toEqual({ count: 0, cents: 0n });
});
