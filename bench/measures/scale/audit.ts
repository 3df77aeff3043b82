import { shardKeys } from '../../../src/store/keys.ts';
import { spreadOf } from '../../support/spread.ts';
import { peakOf } from '../../support/peak.ts';
import { SIGNING_SECRET } from '../../support/rains.ts';
import { openStore } from '../../support/store.ts';
import { creditMany, winMany } from '../../support/won.ts';
import type { BaselineOptions, Measure } from '../measure.ts';

const ROUNDS = 3;
const RAIN = 'won';
/** The same small heap for both rains: what is kept of a winner is outside of it, and garbage takes what it may. */
const HEAP_MB_MAX = 64;
/**
 * Kept of a winner: who was credited and who has the claim, 8 bytes each, the user in a set that is at most half full, 16 to 32, and the
 * amount, 8. A table that grows is doubled and copied.
 */
const BYTES_MAX = 100;

/** Memory of an audit for each winner, and how long it takes. */
export const audit: Measure = {
  name: 'scale-audit',
  onlyWhenAsked: 'always',
  async rows(options) {
    const winners = options.size.packets;
    const sides = [await startSide(options, winners), await startSide(options, winners / 10)];
    try {
      const figures: { bytes: number[]; seconds: number[] } = { bytes: [], seconds: [] };
      const peaks: number[][] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        const [many, few] = [await sides[0]!.audit(), await sides[1]!.audit()];
        peaks[0]!.push(many.bytes / 2 ** 20);
        peaks[1]!.push(few.bytes / 2 ** 20);
        figures.bytes.push((many.bytes - few.bytes) / (winners - winners / 10));
        figures.seconds.push(many.seconds);
        options.say(`round ${round + 1}: ${peaks.map((some) => some.at(-1)!.toFixed(0)).join(' and ')} MiB, ${many.seconds.toFixed(1)} s`);
      }
      const named = `audit of ${winners.toLocaleString('en')} winners`;
      const row = (measure: string, unit: string, values: readonly number[]) => ({ measure, unit, ours: spreadOf(values), figure: spreadOf(values) });
      return [
        { ...row(`${named}: memory for each winner beyond ${(winners / 10).toLocaleString('en')}`, 'B', figures.bytes), target: { most: BYTES_MAX } },
        row(`${named}: memory of the whole process`, 'MiB', peaks[0]!),
        row(named, 's', figures.seconds),
      ];
    } finally {
      for (const side of sides) await side.close();
    }
  },
};

/** A rain of which every packet is won and credited. */
async function startSide({ postgres, say }: BaselineOptions, winners: number) {
  say(`${winners} winners`);
  const { house, redisUrl, databaseUrl, close } = await openStore(postgres, 'rain');
  await house.stock([RAIN], winners);
  await house.context.redis.del(shardKeys(RAIN, 0).packets);
  await winMany(house.context, RAIN, winners);
  await creditMany(databaseUrl, RAIN, winners);
  const env = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, SIGNING_SECRET, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB_MAX}` };
  return {
    close,
    async audit() {
      const { stdout, ...peak } = await peakOf(['audit', RAIN, '--json'], env);
      if (!stdout.includes('"balanced":true')) throw new Error(`the audit finds a difference: ${stdout.slice(0, 500)}`);
      return peak;
    },
  };
}
