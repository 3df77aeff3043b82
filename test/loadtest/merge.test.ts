import { expect, test } from 'vitest';
import { reportOf } from '../../src/loadtest/report/report.ts';
import { WaveCounters } from '../../src/loadtest/figures/counters.ts';

const FACTS = { rainId: 'r', seed: 'ab'.repeat(32), durationMs: 1, clockErrorMs: 0 };

/** The answers to user `i`. */
function play(counters: WaveCounters, i: number): void {
  const now = i * 10;
  counters.connected(1, now);
  counters.answer(i % 3 === 0 ? '0' : '-1', 1 + ((i * i) % 977), now);
  counters.taps.record(5 + ((i * i * i) % 1_499));
  counters.late.record(i % 7);
  counters.startReceived(500 + (i % 11));
  if (i % 3 === 0) counters.told.add(`user-${i}`, `p-${i}`, '0.50');
  if (i % 5 === 0) counters.cheats.win(`user-${i}`, `p-${i}`, '0.50');
  counters.cheats.heard.add(`answer ${i % 2}`);
  counters.ended({ kind: 'lost', code: '-1' });
  counters.dials++;
  counters.cuts += i % 2;
}

test('what several processes have seen adds up to what one would have seen, percentiles included', () => {
  const one = new WaveCounters(1_000);
  const parts = [new WaveCounters(334), new WaveCounters(333), new WaveCounters(333)];
  for (let i = 0; i < 1_000; i++) {
    play(one, i);
    play(parts[i % 3]!, i);
  }
  const sum = new WaveCounters(1_000);
  for (const part of parts) sum.merge(JSON.parse(JSON.stringify(part.record())) as ReturnType<WaveCounters['record']>);
  expect(reportOf(sum, FACTS)).toEqual(reportOf(one, FACTS));
  expect(reportOf(sum, FACTS).latencyMs.tap).toMatchObject({ count: 1_000 });
});

test('[R2] one packet for users of two processes is a fault, and so is one user with two packets', () => {
  const [sum, other] = [new WaveCounters(2), new WaveCounters(1)];
  sum.told.add('ann', 'p-1', '1.00');
  other.told.add('bob', 'p-1', '1.00');
  other.cheats.win('eve', 'p-2', '1.00');
  sum.cheats.win('eve', 'p-3', '1.00');
  sum.merge(other.record());
  expect(sum.told.examples).toEqual([
    'p-1 was told to ann and to bob',
    'eve was told p-3 with 1.00 and then p-2 with 1.00',
  ]);
  expect(sum.cheats.report()).toMatchObject({ winners: 1, wonTwice: 1 });
});
