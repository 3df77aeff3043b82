import { randomSource } from '../../../../src/rain/fairness.ts';
import { reportOf, type SwarmReport } from '../../../../src/loadtest/report/report.ts';
import { WaveCounters } from '../../../../src/loadtest/figures/counters.ts';

const SEED = '5707'.repeat(16);
const USERS = 8_000;
const PACKETS = 1_200;
const OPENS_MS = 14_000;

/** A report of 8,000 users: connecting, the start, a spike of taps, some cheaters, and credits a little later. */
export function loadtestReport(rainId = 'spring-2027'): SwarmReport {
  const random = randomSource(SEED, 'storm');
  const unit = () => (random.belowNumber(2 ** 32) + 1) / 2 ** 32;
  const counters = new WaveCounters(USERS);
  for (let i = 0; i < USERS; i++) {
    counters.connected(1, 800 + i * 1.5);
    counters.dials++;
    counters.startReceived(OPENS_MS + 20 + unit() * 160);
    const tapAt = OPENS_MS + 150 - Math.log(unit()) * 2_500;
    const askMs = 4 - Math.log(unit()) * 18;
    const busy = unit() < 0.04;
    if (busy) counters.answer('-7', 2, tapAt);
    const decidedAt = tapAt + askMs + (busy ? 150 + unit() * 300 : 0);
    const wins = i < PACKETS;
    counters.answer(wins ? '0' : '-1', askMs, decidedAt);
    counters.taps.record(decidedAt - tapAt);
    counters.late.record(unit() * 3);
    if (wins) {
      counters.told.add(`user-${i}`, `p-${i}`, '0.74');
      counters.at('won', decidedAt);
      counters.credited(decidedAt + 300 + unit() * 900);
      counters.ended({ kind: 'won', redPacketId: `p-${i}`, amount: '0.74', again: false, credited: true });
    } else counters.ended({ kind: 'lost', code: '-1' });
    counters.connected(-1, decidedAt + (wins ? 1_200 : 1));
  }
  counters.cheats.users = 40;
  counters.cheats.frames = 71_000;
  for (const [name, count] of [
    ['answer too_fast', 41_022],
    ['answer nothing_left', 28_111],
    ['error bad_field', 801],
    ['closed too_many_errors', 77],
  ] as const)
    counters.cheats.heard.add(name, count);
  counters.cuts = 311;
  counters.stops = 160;
  return reportOf(counters, {
    rainId,
    seed: SEED,
    durationMs: 27_312,
    processes: 3,
    clockErrorMs: 0.4,
    arrivals: { shape: 'spike', perSecond: 640 },
    shares: { flaky: 0.02, slow: 0.02, cheaters: 0.005 },
  });
}
