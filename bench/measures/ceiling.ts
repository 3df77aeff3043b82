import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { keysOf, loadScript } from '../baselines/surroundings.ts';
import { cpuMs } from '../support/cpu.ts';
import { inStore } from '../support/store.ts';
import { single, type Row } from '../report/row.ts';
import type { Measure } from './measure.ts';

/**
 * Upper bound of the engine: the usual script on a bare Redis, called in pipelines by redis-benchmark, without any
 * server.
 */
export const ceiling: Measure = {
  name: 'ceiling',
  onlyWhenAsked: 'quick',
  rows: ({ size: { requests }, postgres, say }) =>
    inStore(postgres, 'list', async (store) => {
      const { redis } = store.house.context;
      const sha = await loadScript(redis, 'grab.lua');
      const rows: Row[] = [];
      for (const [what, rainId, packets] of [
        ['wins', 'bare', requests],
        ['nothing left', 'gone', 1],
      ] as const) {
        say(`bare Redis: ${what}`);
        await store.house.stock([rainId], packets);
        const { packets: list, claimed, claims } = keysOf(rainId);
        const before = cpuMs([store.redisPid]);
        const { stdout } = await promisify(execFile)('redis-benchmark', [
          '-p',
          String(store.redisPort),
          '-n',
          String(requests),
          '-c',
          '50',
          '-P',
          '16',
          '-r',
          '1000000000',
          '--csv',
          'EVALSHA',
          sha,
          '3',
          list,
          claimed,
          claims,
          'user-__rand_int__',
        ]);
        const perSecond = Number(/",?"?([\d.]+)"/.exec(stdout.trim().split('\n').at(-1)!)?.[1]);
        const cost = ((cpuMs([store.redisPid]) - before) * 1_000) / requests;
        rows.push(
          single(
            `bare Redis, pipelined by redis-benchmark: ${what}, ${cost.toFixed(1)} µs of Redis each`,
            '/s',
            perSecond,
          ),
        );
      }
      return rows;
    }),
};
