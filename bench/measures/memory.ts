import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../support/cpu.ts';
import { withContenders } from '../support/contender.ts';
import { compared } from '../report/row.ts';
import type { Measure } from './measure.ts';

const NAMES = ['echo', 'rain'] as const;
/** Sockets before the measurement: the first ones also fill the heap that handshakes need. */
const WARM = 1_000;

/** Memory of an idle, authenticated viewer, compared with a bare socket without authentication. */
export const memory: Measure = {
  name: 'memory',
  onlyWhenAsked: 'quick',
  rows: ({ size, postgres, say }) =>
    withContenders(NAMES, { postgres, users: WARM }, async (contenders) => {
      const grown: number[] = [];
      await sleep(size.restMs);
      for (const { name, serverPid, users } of contenders) {
        say(`${size.sockets} idle sockets: ${name}`);
        const before = residentBytes([serverPid]);
        await users.connect('user', size.sockets);
        await sleep(size.restMs);
        grown.push((residentBytes([serverPid]) - before) / size.sockets / 1_024);
      }
      const [theirs, ours] = grown as [number, number];
      return [
        compared(
          {
            measure: 'memory per idle authenticated socket',
            against: 'bare ws socket',
            unit: 'KiB',
            target: { most: 1.5 },
          },
          [ours],
          [theirs],
        ),
      ];
    }),
};
