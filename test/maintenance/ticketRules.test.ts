import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startAuditor } from '../../src/maintenance/auditor.ts';
import { startSaleAuditor } from '../../src/maintenance/saleAuditor.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { setTickets, setTicketsOfSale } from '../../src/operator/tickets.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const TIMING = { pauseMsMin: 10, pauseFactor: 1 };

const KINDS = {
  async rain() {
    const now = await redisNow(context.redis);
    await createRain(context, {
      id: 'ruled',
      plan: { budget: '2.00', packets: 2 },
      opensAt: now - 1_000,
      closesAt: now + 600_000,
      shards: 2,
    });
    await loadRain(context, 'ruled');
    return {
      states: [0, 1].map((shard) => shardKeys('ruled', shard).state),
      tighten: () => setTickets(context, 'ruled', { tickets: 'always' }),
      start: startAuditor,
    };
  },
  async sale() {
    const now = await redisNow(context.redis);
    await createSale(context, {
      id: 'shop',
      items: [{ sku: 'tee', units: 5, price: '1.00' }],
      holdMs: 60_000,
      opensAt: now - 1_000,
      closesAt: now + 600_000,
    });
    await openSale(context, 'shop');
    return {
      states: [saleKeys('shop').state],
      tighten: () => setTicketsOfSale(context, 'shop', { tickets: 'always' }),
      start: startSaleAuditor,
    };
  },
};

test.each<keyof typeof KINDS>(['rain', 'sale'])(
  '%s: rules that Redis has lost, or that somebody has written there, are put right by the record',
  async (kind) => {
    const { states, tighten, start } = await KINDS[kind]();
    const { log, heard } = listeningLog();
    const auditor = start({ context, log, ...TIMING });
    onTestFinished(() => auditor.close());
    const rules = () => Promise.all(states.map((state) => context.redis.hget(state, 'ticketRules')));
    const all = (text: string) => states.map(() => text);
    await context.redis.hset(states[0]!, 'ticketRules', 'always:always');
    await eventually(async () => expect((await rules())[0], 'nobody has recorded any').toBe(''));
    expect(await tighten()).toMatchObject({ ok: true });
    expect(await rules()).toEqual(all('always:off'));
    await context.redis.hdel(states.at(-1)!, 'ticketRules');
    await eventually(async () => expect(await rules()).toEqual(all('always:off')));
    // Written down after it was done.
    await eventually(() =>
      expect(heard.filter(({ msg }) => msg.includes('ticket rules')).map(({ level }) => level)).toEqual([
        'warn',
        'warn',
      ]),
    );
  },
);
