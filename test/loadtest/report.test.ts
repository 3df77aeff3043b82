import { describe, expect, test } from 'vitest';
import type { AuditReport } from '../../src/rain/equation.ts';
import { reportOf, type SwarmReport } from '../../src/loadtest/report/report.ts';
import { renderReport } from '../../src/loadtest/report/reportTable.ts';
import { WaveCounters } from '../../src/loadtest/figures/counters.ts';
import { checkMoney } from '../../src/loadtest/report/verdict.ts';

const SEED = 'ab'.repeat(32);
const RUN = { rainId: 'spring-1', seed: SEED, durationMs: 12_345.6, clockErrorMs: Infinity };

/** 1,000 users, 2 of them winners; latencies of 1 … 1,000 ms. */
function tallied(tell: (counters: WaveCounters) => void = () => {}): SwarmReport {
  const counters = new WaveCounters(1_000);
  for (let i = 1; i <= 1_000; i++) {
    counters.answer(i <= 2 ? '0' : '-1', i);
    counters.taps.record(2 * i);
    if (i > 2) counters.ended({ kind: 'lost', code: '-1' });
  }
  counters.told.add('ann', 'p-1', '12.21');
  counters.told.add('bob', 'p-2', '7.10');
  counters.ended({ kind: 'won', redPacketId: 'p-1', amount: '12.21', again: false, credited: true });
  counters.ended({ kind: 'won', redPacketId: 'p-2', amount: '7.10', again: true, credited: false });
  counters.dials = 1_003;
  tell(counters);
  return reportOf(counters, RUN);
}

const AUDIT: AuditReport = {
  rainId: 'spring-1',
  budget: '20.00',
  credited: '12.21',
  pending: '7.10',
  unclaimed: '0.69',
  recycled: '0.00',
  spoiled: '0.00',
  packets: 3,
  winners: 2,
  balanced: true,
};

describe('the report', () => {
  test('counts outcomes and answers by name and code, the most frequent first', () => {
    const report = tallied();
    expect(report.outcomes).toEqual([
      { name: 'nothing_left', count: 998 },
      { name: 'won', count: 1 },
      { name: 'already_claimed', count: 1 },
    ]);
    expect(report.answers).toEqual([
      { code: '-1', reason: 'nothing_left', count: 998 },
      { code: '0', reason: 'won', count: 2 },
    ]);
    expect(report.outcomes.reduce((sum, { count }) => sum + count, 0)).toBe(report.users);
  });

  test('gives percentiles in ms, to three digits', () => {
    const { ask, tap } = tallied().latencyMs;
    for (const [seen, real] of [
      [ask.p50, 500],
      [ask.p95, 950],
      [ask.p99, 990],
      [ask.max, 1_000],
      [tap.p50, 1_000],
      [tap.max, 2_000],
    ] as const) {
      expect(Math.abs(seen - real) / real).toBeLessThan(0.002);
    }
    expect(ask.count).toBe(1_000);
  });

  test('survives answers that took no time, an hour, or never came', () => {
    const counters = new WaveCounters(1);
    counters.answer('-7', 0);
    counters.answer('-7', -0.001);
    counters.answer('-7', 3_600_000);
    const report = reportOf(counters, RUN);
    expect(report.latencyMs.ask.count).toBe(3);
    expect(report.latencyMs.ask).toMatchObject({ p50: 0.001, max: 3_600_000 });
    expect(report.latencyMs.ask.p99).toBeGreaterThan(599_000);
    expect(report.latencyMs.tap).toEqual({ count: 0, p50: 0, p95: 0, p99: 0, max: 0 });
  });

  test('is plain data: JSON keeps it whole', () => {
    const report = tallied();
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('reads as a table whose last line is the sentence that matters', () => {
    expect(renderReport(tallied(), AUDIT)).toBe(
      [
        `rain spring-1: 1,000 users in 12.3 s, seed ${SEED}`,
        '',
        'users  ended with',
        '  998  nothing_left',
        '    1  won',
        '    1  already_claimed',
        '',
        'answers  code  reason',
        '    998    -1  nothing_left',
        '      2     0  won',
        '',
        'latency, ms                  count     p50     p95     p99     max',
        'grab to answer               1,000   500.2   950.3   990.2  1000.0',
        'planned tap to final answer  1,000  1000.4  1900.5  1980.4  2000.0',
        '',
        '1,003 connects, 0 of them failed; 0 connections lost; 0 messages not understood; 0 of 2 winners received their credit.',
        'The money adds up: 2 winners were told 19.31, each with a different packet, as the audit says, and the rain balances to the cent.',
      ].join('\n'),
    );
  });
});

describe('does the money add up?', () => {
  test('yes by the answers to the users', () => {
    expect(checkMoney(tallied())).toEqual({
      balanced: true,
      sentence: 'The money adds up: 2 winners were told 19.31, each with a different packet.',
    });
  });

  test('yes when nobody won, and the sentence says why', () => {
    const ended = (name: string, count: number) => {
      const counters = new WaveCounters(500);
      for (let i = 0; i < count; i++) counters.ended({ kind: 'lost', code: '-3' });
      for (let i = count; i < 500; i++) counters.ended({ kind: 'gave_up', reason: name });
      return reportOf(counters, RUN);
    };
    const audit = { ...AUDIT, credited: '0.00', pending: '0.00', unclaimed: '20.00', winners: 0 };
    expect(checkMoney(ended('no welcome', 480), audit)).toEqual({
      balanced: true,
      sentence:
        'The money adds up: no simulated user won (480 ended, 20 gave_up: no welcome), and the rain balances to the cent. Most of the 500 users were not served before the end: on a slow machine take fewer of them, or a longer rain.',
    });
    const blocked = new WaveCounters(1);
    blocked.ended({ kind: 'lost', code: '-6' });
    expect(checkMoney(reportOf(blocked, RUN)).sentence).toBe('The money adds up: no simulated user won (1 blocked).');
  });

  test('yes when users receive the same answer again [R6]', () => {
    expect(checkMoney(tallied(({ told }) => told.add('ann', 'p-1', '12.21'))).balanced).toBe(true);
  });

  test.each<[string, (counters: WaveCounters) => void, string]>([
    [
      '[R2] one packet was told to two users',
      ({ told }) => told.add('eve', 'p-1', '12.21'),
      'p-1 was told to ann and to eve',
    ],
    [
      '[R1] one user was told two packets',
      ({ told }) => told.add('ann', 'p-3', '0.69'),
      'ann was told p-1 with 12.21 and then p-3 with 0.69',
    ],
    [
      '[R6] one user was told two amounts',
      ({ told }) => told.add('ann', 'p-1', '12.22'),
      'ann was told p-1 with 12.21 and then p-1 with 12.22',
    ],
    ['an amount is zero', ({ told }) => told.add('eve', 'p-3', '0.00'), 'eve was told an amount of "0.00"'],
    ['an amount is negative', ({ told }) => told.add('eve', 'p-3', '-1.00'), 'eve was told an amount of "-1.00"'],
    ['an amount is missing', ({ told }) => told.add('eve', 'p-3', ''), 'eve was told an amount of ""'],
  ])('no when %s', (_name, tell, reason) => {
    const verdict = checkMoney(tallied(tell));
    expect(verdict.balanced).toBe(false);
    expect(verdict.sentence).toMatch(/^The money does NOT add up: /);
    expect(verdict.sentence).toContain(reason);
  });

  test.each<[string, Partial<AuditReport>, string]>([
    ['has another cent won', { pending: '7.11', unclaimed: '0.68' }, 'according to the audit 19.32 was won'],
    ['has a winner who was not told', { winners: 3 }, 'according to the audit there are 3 winners'],
    ['does not balance itself', { balanced: false }, 'the audit itself does not add up'],
    ['is of another rain', { rainId: 'spring-2' }, 'the audit is for spring-2, not for spring-1'],
  ])('no when the audit %s', (_name, change, reason) => {
    const verdict = checkMoney(tallied(), { ...AUDIT, ...change });
    expect(verdict.balanced).toBe(false);
    expect(verdict.sentence).toContain(reason);
  });

  test('yes when people played along and won the difference, and no when they won something else', () => {
    const audit = { ...AUDIT, budget: '25.00', pending: '12.10', winners: 3 };
    expect(checkMoney(tallied(), audit, { count: 1, cents: 500n })).toEqual({
      balanced: true,
      sentence:
        'The money adds up: 2 winners were told 19.31, each with a different packet, as the audit says, and the rain balances to the cent; 1 more played and won 5.00.',
    });
    expect(checkMoney(tallied(), audit, { count: 1, cents: 499n })).toMatchObject({
      balanced: false,
      sentence: expect.stringContaining('according to the audit 19.32 was won'),
    });
    expect(checkMoney(tallied(), audit, { count: 0, cents: 0n })).toMatchObject({ balanced: false });
  });

  test('a thousand contradictions are counted, ten are described [R10]', () => {
    const report = tallied(({ told }) => {
      for (let i = 0; i < 1_000; i++) told.add(`eve-${i}`, 'p-1', '12.21');
    });
    expect(report.faults).toBe(1_000);
    expect(report.faultExamples).toHaveLength(10);
    expect(checkMoney(report).sentence).toContain('and 990 more faults of this kind');
  });
});
