import { expect, test } from 'vitest';
import { LIMITS } from '../../../src/gateway/limits.ts';
import { Pressure, type LoadSample } from '../../../src/gateway/overload/pressure.ts';
import { LatencyProbe } from '../../../src/gateway/overload/latencyProbe.ts';
import { SWITCHES } from '../../../src/store/killSwitches.ts';

const WELL: LoadSample = { loopDelayMs: 5, roundTripMs: 1, silentMs: 50 };
const LOOK_MS = 50;

function patient() {
  let now = 1_000;
  const pressure = new Pressure(LIMITS, () => now);
  return {
    pressure,
    /** Applies a load for a time. @returns the functions that are off at the end */
    feels(vitals: Partial<LoadSample>, forMs: number): string[] {
      for (const end = now + forMs; now < end; now += LOOK_MS) pressure.update({ ...WELL, ...vitals });
      return SWITCHES.filter((name) => pressure.givesUp(name));
    },
  };
}

test('single long turns switch nothing off; a loop that stays late does: the ticker first, then joins, then sockets', () => {
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
  expect(feels({ loopDelayMs: LIMITS.socketsLoopDelayMs }, LIMITS.strainMs + LOOK_MS)).toEqual([
    'ticker',
    'joins',
    'sockets',
  ]);
  // Grabs must stay on.
  expect(feels({ loopDelayMs: 60_000 }, 10_000)).toEqual(['ticker', 'joins', 'sockets']);
});

test('a slow Redis switches off the same functions in the same order', () => {
  const { feels } = patient();
  expect(feels({ roundTripMs: LIMITS.tickerRoundTripMs }, 600)).toEqual(['ticker']);
  expect(feels({ roundTripMs: LIMITS.joinsRoundTripMs }, 600)).toEqual(['ticker', 'joins']);
  expect(feels({ roundTripMs: LIMITS.socketsRoundTripMs }, 600)).toEqual(['ticker', 'joins', 'sockets']);
});

test('a function is on again after a second below half of its threshold, and does not flap in between', () => {
  const { feels } = patient();
  feels({ loopDelayMs: LIMITS.joinsLoopDelayMs }, 1_000);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.5 }, 10_000)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.49 }, LIMITS.overloadMs - LOOK_MS)).toEqual([
    'ticker',
    'joins',
  ]);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.6 }, LOOK_MS)).toEqual(['ticker', 'joins']);
  expect(feels({ loopDelayMs: LIMITS.joinsLoopDelayMs * 0.49 }, LIMITS.overloadMs + LOOK_MS)).toEqual(['ticker']);
  // When the load ends, everything is on again in less than two seconds.
  expect(feels({}, LIMITS.overloadMs + LOOK_MS)).toEqual([]);
  expect(LIMITS.overloadMs + LOOK_MS).toBeLessThan(2_000);
});

test('a Redis that does not answer for seconds: grabs are switched off, and are on again with its first answer', () => {
  const { feels } = patient();
  expect(feels({ silentMs: LIMITS.grabsSilentMs - 1 }, 5_000)).not.toContain('grabs');
  expect(feels({ silentMs: LIMITS.grabsSilentMs }, LOOK_MS)).toContain('grabs');
  expect(feels({ silentMs: 10 }, LOOK_MS)).not.toContain('grabs');
});

test('the round trip is that of the last ping, or the age of the unanswered one; one ping at a time; no answer is silence', async () => {
  let now = 0;
  const pings: { answer: () => void; fail: () => void }[] = [];
  const probe = new LatencyProbe({
    now: () => now,
    redis: {
      ping: (() =>
        new Promise<'PONG'>((resolve, reject) => {
          pings.push({ answer: () => resolve('PONG'), fail: () => reject(new Error('away')) });
        })) as never,
    },
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = (ms: number) => {
    for (const end = now + ms; now < end; probe.tick()) now = Math.min(end, now + LOOK_MS);
  };
  void probe.ping();
  void probe.ping();
  pass(30);
  expect([pings.length, probe.roundTripMs, probe.silentMs]).toEqual([1, 30, 30]);
  pings[0]!.answer();
  await settle();
  pass(70);
  expect([probe.roundTripMs, probe.silentMs]).toEqual([30, 70]);
  void probe.ping();
  pass(20);
  expect(probe.roundTripMs).toBe(30);
  pass(3_880);
  expect([probe.roundTripMs, probe.silentMs]).toEqual([3_900, 3_970]);
  pings[1]!.fail();
  await settle();
  expect(probe.silentMs).toBe(3_970);
  void probe.ping();
  pings[2]!.answer();
  await settle();
  expect([probe.roundTripMs, probe.silentMs]).toEqual([0, 0]);

  // A stall of our own loop: the answer may wait in the socket, so this is no silence of Redis.
  now += 10_000;
  probe.tick();
  expect(probe.silentMs).toBe(100);
});
