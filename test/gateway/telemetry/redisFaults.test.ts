import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRedisFaults } from '../../../src/gateway/telemetry/redisFaults.ts';
import { listeningLog } from '../../support/log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

test('a Redis that does not serve is a line in ten seconds, with a count and without stacks', () => {
  const { log, heard } = listeningLog();
  const report = createRedisFaults(log);
  const refused = (text: string) => Object.assign(new Error(text), { name: 'ReplyError' });
  for (let i = 0; i < 50; i++) report(refused('TRYAGAIN Multiple keys request during rehashing of slot'));
  vi.advanceTimersByTime(10_000);
  report(refused('CLUSTERDOWN The cluster is down'));
  expect(heard).toEqual([
    {
      level: 'error',
      msg: 'redis fault',
      error: 'Redis does not serve: its Cluster is moving this key to another master (TRYAGAIN)',
      faults: 1,
    },
    {
      level: 'error',
      msg: 'redis fault',
      error: 'Redis does not serve: its Cluster serves no key now, or not this one (CLUSTERDOWN)',
      faults: 50,
    },
  ]);
});

test('any other fault has its stack', () => {
  const { log, heard } = listeningLog();
  createRedisFaults(log)(new TypeError('lua/grab.lua did not answer once per user'));
  expect(heard).toEqual([
    { level: 'error', msg: 'redis fault', err: expect.objectContaining({ stack: expect.any(String) as string }) },
  ]);
});
