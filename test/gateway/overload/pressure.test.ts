import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { Pressure, type Vitals } from '../../../src/gateway/overload/pressure.ts';
import { LatencyProbe } from '../../../src/gateway/overload/latencyProbe.ts';
import { SWITCHES } from '../../../src/store/killSwitches.ts';

const WELL: Vitals = { loopDelayMs: 5, roundTripMs: 1, silentMs: 50 };
const LOOK_MS = 50;

function patient() {
  let now = 1_000;
  const pressure = new Pressure(LIMITS, () => now);
  return {
    pressure,
    /** Feels so for so long. @returns what is given up at its end */
    feels(vitals: Partial<Vitals>, forMs: number): string[] {
      for (const end = now + forMs; now < end; now += LOOK_MS) pressure.look({ ...WELL, ...vitals });
      return SWITCHES.filter((name) => pressure.givesUp(name));
    },
  };
}

test('a long turn now and then gives nothing up, a loop that goes on being late does: the ticker first, then joins, then sockets', () => {
  const { feels, pressure } = patient();
  for (let i = 0; i < 20; i++) {
    expect(feels({ loopDelayMs: 2_000 }, LOOK_MS)).toEqual([]);
    expect(feels({}, LOOK_MS)).toEqual([]);
  }
  expect(pressure.pressed).toBe(false);
  expect(feels({ loopDelayMs: LIMITS.tickerLoopDelayMs - 1 }, 5_000)).toEqual([]);
  expect(feels({ loopDelayMs: LIMITS.tickerLoopDelayMs }, LIMITS.strainMs + LOOK_MS)).toEqual(['ticker']);
  expect(pressure.pressed).toBe(true);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs }, LIMITS.strainMs + LOOK_MS)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.socketsLoopDelayMs }, LIMITS.strainMs + LOOK_MS)).toEqual(['ticker', 'joins', 'sockets']);
  // Grabs are what all of it is for.
  expect(feels({ loopDelayMs: 60_000 }, 10_000)).toEqual(['ticker', 'joins', 'sockets']);
});

test('a Redis that is slow gives up the same, in the same order', () => {
  const { feels } = patient();
  expect(feels({ roundTripMs: LIMITS.tickerRoundTripMs }, 600)).toEqual(['ticker']);
  expect(feels({ roundTripMs: LIMITS.joinsRoundTripMs }, 600)).toEqual(['ticker', 'joins']);
  expect(feels({ roundTripMs: LIMITS.socketsRoundTripMs }, 600)).toEqual(['ticker', 'joins', 'sockets']);
});

test('it comes back when the load has been below half of the threshold for a second, and does not flutter between', () => {
  const { feels } = patient();
  feels({ loopDelayMs: LIMITS.joinsLoopDelayMs }, 1_000);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.5 }, 10_000)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.49 }, LIMITS.overloadMs - LOOK_MS)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.6 }, LOOK_MS)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.49 }, LIMITS.overloadMs + LOOK_MS)).toEqual(['ticker']);
  // When the load goes, everything is back in less than two seconds.
  expect(feels({}, LIMITS.overloadMs + LOOK_MS)).toEqual([]);
  expect(LIMITS.overloadMs + LOOK_MS).toBeLessThan(2_000);
});

test('a Redis that says nothing for seconds: grabs are given up, and are back with its first answer', () => {
  const { feels } = patient();
  expect(feels({ silentMs: LIMITS.grabsSilentMs - 1 }, 5_000)).not.toContain('grabs');
  expect(feels({ silentMs: LIMITS.grabsSilentMs }, LOOK_MS)).toContain('grabs');
  expect(feels({ silentMs: 10 }, LOOK_MS)).not.toContain('grabs');
});

test('the pulse: the last answer, or the question that waits longer; one question at a time, and no answer is silence', async () => {
  let now = 0;
  const asked: { answer: () => void; fail: () => void }[] = [];
  const probe = new LatencyProbe({
    now: () => now,
    redis: { ping: (() => new Promise<'PONG'>((resolve, reject) => { asked.push({ answer: () => resolve('PONG'), fail: () => reject(new Error('away')) }); })) as never },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = (ms: number) => { for (const end = now + ms; now < end; probe.look()) now = Math.min(end, now + LOOK_MS); };
  probe.feel();
  probe.feel();
  pass(30);
  expect([asked.length, probe.roundTripMs, probe.silentMs]).toEqual([1, 30, 30]);
  asked[0]!.answer();
  await settle();
  pass(70);
  expect([probe.roundTripMs, probe.silentMs]).toEqual([30, 70]);
  probe.feel();
  pass(20);
  expect(probe.roundTripMs).toBe(30);
  pass(3_880);
  expect([probe.roundTripMs, probe.silentMs]).toEqual([3_900, 3_970]);
  asked[1]!.fail();
  await settle();
  expect(probe.silentMs).toBe(3_970);
  probe.feel();
  asked[2]!.answer();
  await settle();
  expect([probe.roundTripMs, probe.silentMs]).toEqual([0, 0]);

  // A stall of our own: the answer may lie in the socket, and it is not Redis who was silent.
  now += 10_000;
  probe.look();
  expect(probe.silentMs).toBe(100);
});
