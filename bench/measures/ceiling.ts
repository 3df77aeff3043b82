import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { keysOf } from '../baselines/surroundings.ts';
import { cpuMs } from '../support/cpu.ts';
import { spreadOf } from '../support/spread.ts';
import { openStore } from '../support/store.ts';
import type { Row } from '../report/row.ts';
import type { Measure } from './measure.ts';

/** Upper bound of the engine: the usual script on a bare Redis, called in pipelines by redis-benchmark, without any server. */
export const ceiling: Measure = {
  name: 'ceiling',
  async rows({ size: { requests }, postgres, say }) {
    const store = await openStore(postgres, 'list');
    try {
      const { redis } = store.house.context;
      const sha = String(await redis.script('LOAD', readFileSync(new URL('../baselines/grab.lua', import.meta.url), 'utf8')));
      const rows: Row[] = [];
      for (const [what, rainId, packets] of [['wins', 'bare', requests], ['nothing left', 'gone', 1]] as const) {
        say(`bare Redis: ${what}`);
        await store.house.stock([rainId], packets);
        const { packets: list, claimed, claims } = keysOf(rainId);
        const before = cpuMs([store.redisPid]);
        const { stdout } = await promisify(execFile)('redis-benchmark', [
          '-p', String(store.redisPort), '-n', String(requests), '-c', '50', '-P', '16', '-r', '1000000000', '--csv',
          'EVALSHA', sha, '3', list, claimed, claims, 'user-__rand_int__',
        ]);
        const perSecond = Number(/",?"?([\d.]+)"/.exec(stdout.trim().split('\n').at(-1)!)?.[1]);
        const cost = (cpuMs([store.redisPid]) - before) * 1_000 / requests;
        rows.push({ measure: `bare Redis, pipelined by redis-benchmark: ${what}, ${cost.toFixed(1)} µs of Redis each`, unit: '/s', ours: spreadOf([perSecond]), figure: spreadOf([perSecond]) });
      }
      return rows;
    } finally {
      await store.close();
    }
  },
};
