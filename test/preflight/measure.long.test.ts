import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { measure, TRIAL } from '../../src/preflight/costs.ts';
import { withServers } from '../../src/preflight/servers.ts';
import { startCli } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';

const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('rain-preflight-'));
const small = { ...TRIAL, sockets: 30, rounds: 2, losingMs: 300, packets: 2_000, claims: 500 };

// Three servers start, a database among them: on a busy machine that takes its time.
const WITHIN_MS = 150_000;

test(
  'every cost is measured on real servers of its own, and nothing of them is left',
  async () => {
    const before = folders();
    const { openFilesMax: _, ...costs } = await withServers(
      (servers) => measure(servers, small, () => {}),
      new AbortController().signal,
    );
    const { losing, winning, ...plain } = costs;
    for (const [name, value] of Object.entries(plain))
      if (name !== 'socketBytes') expect(value, name).toBeGreaterThan(0);
    expect([losing.gatewayUs, winning.gatewayUs, winning.redisUs].every((value) => value > 0)).toBe(true);
    expect(folders()).toEqual(before);
  },
  WITHIN_MS,
);

test(
  'a signal ends it, and its servers with it',
  async () => {
    const before = folders();
    const running = startCli(['preflight', '--users', '10', '--packets', '10']);
    await eventually(() => folders().length > before.length);
    running.child.kill('SIGTERM');
    expect((await running.done).exit).toBe(1);
    expect(folders()).toEqual(before);
  },
  WITHIN_MS,
);
