import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../house/cpu.ts';
import { startContender, type ContenderName } from '../house/contender.ts';
import { spreadOf } from '../house/spread.ts';
import type { Measure } from './measure.ts';

/** Sockets that come before the counting: the first ones also pay for the heap that the handshakes need. */
const WARM = 1_000;

/** What a viewer who only waits costs, authenticated, against a bare socket that nobody asked who he is. */
export const memory: Measure = {
  name: 'memory',
  async rows({ size, postgres, say }) {
    const perSocket = async (name: ContenderName) => {
      say(`${size.sockets} idle sockets: ${name}`);
      const contender = await startContender(name, { postgres, users: WARM });
      try {
        await sleep(size.restMs);
        const before = residentBytes([contender.doorPid]);
        await contender.connect(size.sockets);
        await sleep(size.restMs);
        return (residentBytes([contender.doorPid]) - before) / size.sockets / 1_024;
      } finally {
        await contender.stop();
      }
    };
    const [theirs, ours] = [await perSocket('echo'), await perSocket('rain')];
    return [{
      measure: 'memory per idle authenticated socket', against: 'bare ws socket', unit: 'KiB',
      ours: spreadOf([ours]), theirs: spreadOf([theirs]), figure: spreadOf([ours / theirs]), target: { most: 1.5 },
    }];
  },
};
