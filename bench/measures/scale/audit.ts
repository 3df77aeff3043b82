import { shardKeys } from '../../../src/store/keys.ts';
import { single } from '../../report/row.ts';
import { peakOf } from '../../support/peak.ts';
import { SIGNING_SECRET } from '../../support/rains.ts';
import { openStore } from '../../support/store.ts';
import { creditMany, winMany } from '../../support/won.ts';
import type { BaselineOptions, Measure } from '../measure.ts';

const RAIN = 'won';
/** The same small heap for both rains: what is kept of a winner is outside of it, and garbage takes what it may. */
const HEAP_MB_MAX = 128;
/**
 * Kept of a winner: who was credited and who has the claim, 8 bytes each, the user in a set that is at most half full,
 * 16 to 32, and the amount, 8. A table that grows is doubled and copied.
 */
const BYTES_MAX = 100;

/** Memory of an audit for each winner, and how long it takes. */
export const audit: Measure = {
  name: 'scale-audit',
  onlyWhenAsked: 'always',
  async rows(options) {
    const winners = options.size.packets;
    const [large, small] = [await startSide(options, winners), await startSide(options, winners / 10)];
    try {
      const [many, few] = [await large.audit(), await small.audit()];
      const named = `audit of ${winners.toLocaleString('en')} winners`;
      return [
        single(
          `${named}: memory for each winner beyond ${(winners / 10).toLocaleString('en')}`,
          'B',
          (many.bytes - few.bytes) / (winners - winners / 10),
          { most: BYTES_MAX },
        ),
        single(`${named}: memory of the whole process`, 'MiB', many.bytes / 2 ** 20),
        single(named, 's', many.seconds),
      ];
    } finally {
      for (const side of [large, small]) await side.close();
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
  const env = {
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB_MAX}`,
  };
  return {
    close,
    async audit() {
      const { stdout, ...peak } = await peakOf(['audit', RAIN, '--json'], env);
      if (!stdout.includes('"balanced":true')) throw new Error(`the audit finds a difference: ${stdout.slice(0, 500)}`);
      return peak;
    },
  };
}
