import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shardKeys } from '../../src/store/keys.ts';
import { auditRain } from '../../src/operator/audit.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { eventually } from '../support/eventually.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { chance } from './means/chance.ts';
import { startCrowd } from './users/crowd.ts';
import { deploy, type Deployment } from './deployment.ts';
import { prepareRain } from './run.ts';
import { lockTransfers } from './means/tableLock.ts';

// No system on Redis survives FLUSHALL: a reported win without a credit is lost, so this is no row of the table. But
// the loss is reported, nothing is paid that was not won, and nothing can be won again.

let deployment: Deployment;
beforeAll(async () => {
  if (postgresInstalled) deployment = await deploy();
}, 120_000);
afterAll(() => deployment?.end(), 60_000);

test.skipIf(!postgresInstalled).each(['some', 'none'])(
  'FLUSHALL during a rain with %s credits in the ledger is reported, and no money is invented or won again',
  async (credited) => {
    const { context, database, databaseUrl, gatewayUrls, workers, env } = deployment;
    const name = `flush-${randomBytes(4).toString('hex')}`;
    const random = chance(name);
    const { rainId, request, tokens, opensAt, arriveBy, closesAt } = await prepareRain(
      deployment,
      { name, rainId: name },
      random,
      { rain: { packets: 290, shards: 1, windowMs: 4_000 } },
    );
    const keys = shardKeys(rainId, 0);
    const lock = credited === 'none' ? await lockTransfers(databaseUrl) : undefined;
    const crowd = startCrowd({ rainId, gatewayUrls, tokens, from: opensAt - 400, to: arriveBy, random });
    const inLedger = () => database.transfer.findMany({ where: { rainId, kind: 'credit' } });
    try {
      await eventually(async () => (credited === 'none' ? crowd.winners().length : (await inLedger()).length) > 0, {
        timeoutMs: 20_000,
      });
      await random.pause(0, 300);
      const [[, entries]] = (await context.redis.multi().lrange(keys.claims, 0, -1).flushall().exec()) as [
        [null, string[]],
      ];
      await lock?.release();
      await sleep(closesAt + 1_000 - Date.now());

      // Nothing is paid that was not won, nothing twice, and nothing is taken back.
      const won = new Set(
        entries.map((entry) => {
          const parsed = parseClaim(entry);
          return parsed.ok ? `${parsed.claim.redPacketId} ${parsed.claim.userId} ${parsed.claim.amount}` : entry;
        }),
      );
      const credits = await inLedger();
      const strange = credits
        .map(({ redPacketId, userId, amountCents }) => `${redPacketId} ${userId} ${formatMoney(amountCents)}`)
        .filter((credit) => !won.has(credit));
      const {
        recycledCents,
        credited: { cents, count },
      } = (await context.ledger.book(rainId))!;
      expect({ strange, recycledCents, count }).toEqual({
        strange: [],
        recycledCents: 0n,
        count: new Set(credits.map(({ redPacketId }) => redPacketId)).size,
      });
      expect(cents).toBe(credits.reduce((sum, { amountCents }) => sum + amountCents, 0n));
      expect(await context.ledger.sumOfBalances()).toBe(0n);
      // No keys of the rain come back except what expires: leases, and the list of whom the gateways had told; and the
      // rain cannot be created again.
      const passing: string[] = [keys.lease, keys.auditor, keys.told];
      expect((await context.redis.keys(`rain:{${rainId}/*`)).filter((key) => !passing.includes(key))).toEqual([]);
      const lost = {
        ok: false,
        refusals: [{ field: 'id', reason: expect.stringContaining('Redis has lost the rain') }],
      };
      expect(await loadRain(context, rainId)).toEqual(lost);
      expect(await createRain(context, request)).toEqual(lost);

      // The loss is reported by a starting worker, by a running one within a minute, and by the audit.
      await workers[0]!.stop();
      await workers[0]!.start();
      const log = join(env['RAIN_HOME']!, 'worker-0.log');
      await eventually(
        () =>
          readFileSync(log, 'utf8')
            .split('\n')
            .some((line) => line.includes(rainId) && line.includes(`Redis has lost the rain ${rainId}`)),
        { timeoutMs: 60_000 },
      );
      expect((await auditRain(context, rainId))!.report.balanced).toBe(false);
      expect(deployment.accidents()).toEqual([]);
    } finally {
      await crowd.leave();
      await lock?.release().catch(() => {});
      await deployment.heal();
    }
  },
  180_000,
);
