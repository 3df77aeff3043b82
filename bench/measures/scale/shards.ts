import { compare, cpuPerAnswer } from '../../support/interleave.ts';
import { withContenders, type Cost } from '../../support/contender.ts';
import type { Measure } from '../measure.ts';

const SHARDS = 4;

/** The cost of a grab to gateway and Redis when the rain has several shards, while packets are left. */
export const shards: Measure = {
  name: 'scale-shards',
  onlyWhenAsked: 'always',
  rows: ({ size, postgres, say }) =>
    withContenders(['rain'], { postgres, users: size.users }, async ([gateway]) => {
      const costs = new Map<number, Cost[]>([
        [SHARDS, []],
        [1, []],
      ]);
      say(`${size.rounds} rounds`);
      for (let round = 0; round < size.warmRounds + size.rounds; round++) {
        for (const [count, measured] of costs) {
          const rainIds = Array.from({ length: size.rains }, (_, i) => `over-${count}-${round}-${i}`);
          // Shards are not drawn evenly: with twice the packets no shard is empty before its last user.
          for (const id of rainIds) await gateway!.house.stockRain(id, size.users * 2, count);
          const cost = await gateway!.run({ do: 'walk', rainIds });
          if (cost.won !== size.users * size.rains)
            throw new Error(`${count} shards: ${cost.won} of ${size.users * size.rains} won`);
          if (round >= size.warmRounds) measured.push(cost);
        }
      }
      return [
        compare(
          `winning answer of a rain over ${SHARDS} shards: server CPU`,
          'the same in one shard',
          'µs',
          costs.get(SHARDS)!,
          costs.get(1)!,
          cpuPerAnswer,
          { most: 1.1 },
        ),
      ];
    }),
};
