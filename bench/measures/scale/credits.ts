import { connectDatabase } from '../../../src/ledger/database.ts';
import { openLedger } from '../../../src/ledger/ledger.ts';
import { migrate } from '../../../src/ledger/migrate.ts';
import type { Claim } from '../../../src/rain/claim.ts';
import { redPacketId } from '../../../src/rain/red-packet.ts';
import { execute } from '../../../test/support/servers/postgres.ts';
import { compared } from '../../report/row.ts';
import type { BaselineOptions, Measure } from '../measure.ts';

const SHARDS = 4;
/** Batches in flight: two workers with four jobs each. */
const AT_ONCE = 8;
/** Claims of a batch, as a relay makes them while a rain runs. */
const BATCH = 100;
/**
 * The delay that a synchronous standby in another zone, or a slow disk, adds to each commit. On two cores that credit
 * alone PostgreSQL has no time to wait, and the accounts do not matter.
 */
const COMMIT_MS = 5;

/**
 * Claims of one rain credited per second, over several shards and in one: each shard has an account, so that its
 * batches do not wait for the commits of others.
 */
export const shardCredits: Measure = {
  name: 'scale-credits',
  onlyWhenAsked: 'quick',
  async rows(options) {
    const measured = async (commitMs: number) => {
      const { many, one } = await ratesOf(options, commitMs);
      const measure = `claims of one rain over ${SHARDS} shards credited per second${commitMs > 0 ? `, each commit ${commitMs} ms` : ''}`;
      return compared(
        { measure, against: 'the same in one shard', unit: '/s', ...(commitMs > 0 && { target: { least: 1.3 } }) },
        many,
        one,
      );
    };
    return [await measured(COMMIT_MS), await measured(0)];
  },
};

async function ratesOf(
  { size, postgres, say }: BaselineOptions,
  commitMs: number,
): Promise<Record<'many' | 'one', number[]>> {
  const url = await postgres.newDatabase();
  await migrate(url);
  // The writer of the log to disk sleeps before it, and everybody who commits meanwhile waits with it.
  const name = new URL(url).pathname.slice(1);
  for (const setting of [`commit_delay = ${commitMs * 1_000}`, 'commit_siblings = 0'])
    await execute(url, `ALTER DATABASE "${name}" SET ${setting}`);
  const database = connectDatabase(url, { connectionsMax: AT_ONCE });
  const ledger = openLedger(database);
  async function rate(rainId: string, shards: number): Promise<number> {
    const batches = await waitingClaims(ledger, rainId, shards, size.claims);
    const from = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let batch = batches.shift(); batch; batch = batches.shift()) await ledger.credit(batch);
      }),
    );
    return (size.claims * 1_000) / (performance.now() - from);
  }
  const rates: Record<'many' | 'one', number[]> = { many: [], one: [] };
  try {
    say(`rounds of ${size.claims} claims, each commit ${commitMs} ms`);
    for (let round = 0; round < size.rounds + size.warmRounds; round++) {
      const [many, one] = [await rate(`many-${round}`, SHARDS), await rate(`one-${round}`, 1)];
      if (round < size.warmRounds) continue;
      rates.many.push(many);
      rates.one.push(one);
    }
  } finally {
    await database.$disconnect();
  }
  return rates;
}

/** A new rain and all claims to it, in batches, those of the shards in turns. */
async function waitingClaims(
  ledger: ReturnType<typeof openLedger>,
  rainId: string,
  shards: number,
  packets: number,
): Promise<Claim[][]> {
  const now = Date.now();
  const split = { budget: `${Math.floor(packets / 10)}.${packets % 10}0`, packets, split: { method: 'even' } };
  await ledger.createRain(
    {
      id: rainId,
      title: rainId,
      budgetCents: BigInt(packets) * 10n,
      packets,
      split,
      seed: '00'.repeat(32),
      shards,
      opensAt: now,
      closesAt: now + 3_600_000,
    },
    'bench',
  );
  const batches: Claim[][] = [];
  for (let from = 0; from < packets; from += BATCH * shards) {
    for (let shard = 0; shard < shards; shard++) {
      const indices = Array.from({ length: BATCH }, (_, i) => from + i * shards + shard).filter(
        (index) => index < packets,
      );
      batches.push(
        indices.map((index) => ({
          rainId,
          redPacketId: redPacketId(rainId, index),
          amount: '0.10',
          userId: `${rainId}-${index}`,
          at: String(now),
        })),
      );
    }
  }
  return batches;
}
