import { setTimeout as sleep } from 'node:timers/promises';
import type { TcpProxy } from '../../support/servers/proxy.ts';
import type { Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';

// The connections between the workers and the stores: each end vanishes unheard, or nothing gets through.

const rain = { windowMs: 3_000, arrivalsMs: 1_500 };

const STORES: readonly [string, (lines: Lines) => TcpProxy][] = [
  ['Redis', (lines) => lines.workersToRedis.behind],
  ['PostgreSQL', (lines) => lines.workersToPostgres.behind],
];

export function workerLineFaults(fault: Fault, lines: Lines): void {
  for (const [store, lineIn] of STORES) {
    const options = { when: 'swing', slow: true, rain } as const;
    fault(
      `${store} has forgotten the lines of the workers, which do not know`,
      () => lineIn(lines).halfOpen('client'),
      options,
    );
    fault(`the workers are gone, and ${store} does not know`, () => lineIn(lines).halfOpen('server'), options);
    fault(
      `nothing gets through between the workers and ${store} for 3 s`,
      async () => {
        const line = lineIn(lines);
        line.blackhole();
        await sleep(3_000);
        line.pass();
      },
      options,
    );
  }
}
