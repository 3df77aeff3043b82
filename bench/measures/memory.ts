import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../support/cpu.ts';
import { startContender } from '../support/contender.ts';
import { spreadOf } from '../support/spread.ts';
import type { Measure } from './measure.ts';

const NAMES = ['echo', 'rain'] as const;
/** Sockets before the measurement: the first ones also fill the heap that handshakes need. */
const WARM = 1_000;

/** Memory of an idle, authenticated viewer, compared with a bare socket without authentication. */
export const memory: Measure = {
  name: 'memory',
  async rows({ size, postgres, say }) {
    const started = await Promise.allSettled(NAMES.map((name) => startContender(name, { postgres, users: WARM })));
    const contenders = started.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const grown: number[] = [];
    try {
      for (const start of started) if (start.status === 'rejected') throw start.reason;
      await sleep(size.restMs);
      for (const { name, serverPid, connect } of contenders) {
        say(`${size.sockets} idle sockets: ${name}`);
        const before = residentBytes([serverPid]);
        await connect(size.sockets);
        await sleep(size.restMs);
        grown.push((residentBytes([serverPid]) - before) / size.sockets / 1_024);
      }
    } finally {
      await Promise.all(contenders.map((contender) => contender.stop()));
    }
    const [theirs, ours] = grown as [number, number];
    return [{
      measure: 'memory per idle authenticated socket', against: 'bare ws socket', unit: 'KiB',
      ours: spreadOf([ours]), theirs: spreadOf([theirs]), figure: spreadOf([ours / theirs]), target: { most: 1.5 },
    }];
  },
};
