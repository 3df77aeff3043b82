import { describe, expect, test } from 'vitest';
import { Broadcast } from '../../../src/gateway/broadcast/broadcast.ts';
import type { Session } from '../../../src/gateway/sockets/session.ts';
import { Ticker } from '../../../src/gateway/broadcast/winnersTicker.ts';

const people = (count: number, name = 'user') =>
  Array.from({ length: count }, (_, i) => ({ userId: `${name}-${i}` }) as Session);

/** A broadcast whose deliveries move its clock, and whose turns the test runs by hand. */
function stage(tellMs: number, sliceMs = 5) {
  let at = 0;
  let loopBudget: (() => void) | undefined;
  const delivered: string[] = [];
  const broadcast = new Broadcast({
    sliceMs,
    now: () => at,
    nextTurn: (go) => {
      expect(loopBudget, 'one slice a turn').toBeUndefined();
      loopBudget = go;
    },
  });
  return {
    broadcast,
    delivered,
    say: (what: string) => (session: Session) => {
      at += tellMs;
      delivered.push(`${what} ${session.userId}`);
    },
    /** @returns how long the turn took, ms; `undefined`: there was none */
    takeTurn(): number | undefined {
      const go = loopBudget;
      if (!go) return undefined;
      loopBudget = undefined;
      const since = at;
      go();
      return at - since;
    },
    get at() {
      return at;
    },
  };
}

describe('a broadcast', () => {
  test('takes no longer per turn than a slice and a clock reading, however slow a write is, and reaches each session once, in order', () => {
    for (const tellMs of [0.005, 0.05, 0.3]) {
      const { broadcast, delivered, say, takeTurn, ...rest } = stage(tellMs);
      broadcast.add({ sessions: people(2_000), deliver: say('open') });
      const turns = [rest.at];
      for (let took = takeTurn(); took !== undefined; took = takeTurn()) turns.push(took);
      expect(Math.max(...turns)).toBeLessThanOrEqual(5 + 16 * tellMs + 1e-9);
      expect(delivered).toEqual(people(2_000).map(({ userId }) => `open ${userId}`));
    }
  });

  test('several deliveries share one slice per turn, one after the other', () => {
    const { broadcast, delivered, say, takeTurn } = stage(1);
    broadcast.add({ name: 'a', sessions: people(40, 'a'), deliver: say('1') });
    broadcast.add({ name: 'b', sessions: people(40, 'b'), deliver: say('2') });
    while (takeTurn() !== undefined);
    expect(delivered).toEqual([
      ...people(40, 'a').map(({ userId }) => `1 ${userId}`),
      ...people(40, 'b').map(({ userId }) => `2 ${userId}`),
    ]);
    expect(broadcast.underWay).toBe(false);
  });

  test('[R10] a newer delivery replaces one that has not begun; one that has begun is completed', () => {
    const { broadcast, delivered, say, takeTurn } = stage(1);
    broadcast.add({ name: 'a', sessions: people(20), deliver: say('old') });
    for (let i = 1; i <= 1_000; i++) broadcast.add({ name: 'a', sessions: people(20), deliver: say(`new${i}`) });
    while (takeTurn() !== undefined);
    expect(delivered).toEqual(
      ['old', 'new1000'].flatMap((what) => people(20).map(({ userId }) => `${what} ${userId}`)),
    );
  });

  test('a droppable delivery is dropped, begun or not, as soon as there is another one', () => {
    const { broadcast, delivered, say, takeTurn } = stage(1);
    broadcast.add({ sessions: people(100), deliver: say('ticker'), droppable: true });
    const before = delivered.length;
    expect(before).toBeLessThan(100);
    broadcast.add({ name: 'a', sessions: people(3), deliver: say('open') });
    broadcast.add({ sessions: people(100), deliver: say('ticker'), droppable: true });
    while (takeTurn() !== undefined);
    expect(delivered.slice(before)).toEqual(people(3).map(({ userId }) => `open ${userId}`));
  });
});

describe("the winners' ticker", () => {
  function ticker(
    watching: Record<string, Session[]>,
    { busy = (): boolean => false, isOff = (): boolean => false } = {},
  ) {
    let [at, broadcastAt] = [0, Number.NEGATIVE_INFINITY];
    const shown: [number, string, string][] = [];
    const hub = {
      watching: (rainId: string) => new Set(watching[rainId]),
      restMs: 1_000,
      get broadcasting() {
        return busy();
      },
      get broadcastAt() {
        return broadcastAt;
      },
      some: (sessions: Iterable<Session>, deliver: (session: Session) => void) => {
        for (const session of sessions) deliver(session);
      },
    };
    const rules = {
      hub,
      isOff,
      send: ({ userId }: Session, frame: Buffer) => {
        shown.push([at, userId, String(frame)]);
      },
      now: () => at,
    };
    return {
      shown,
      broadcast: () => {
        broadcastAt = at;
      },
      setTime: (ms: number) => {
        at = ms;
      },
      ticker: new Ticker(rules),
    };
  }
  const [ann, bob] = people(2) as [Session, Session];

  test('sends each viewer at most one sample a second, the latest one, also to a viewer of several rains', () => {
    const { shown, setTime, ticker: winners } = ticker({ a: [ann, bob], b: [ann] });
    for (let ms = 0; ms < 3_500; ms += 10) {
      setTime(ms);
      winners.show('a', Buffer.from(`a at ${ms}`));
      winners.show('b', Buffer.from(`b at ${ms}`));
    }
    const moments = (userId: string) => shown.filter(([, who]) => who === userId).map(([at]) => at);
    for (const user of [ann, bob]) expect(moments(user.userId)).toEqual([0, 1_000, 2_000, 3_000]);
    expect(shown.find(([at, who]) => at === 2_000 && who === bob.userId)![2]).toBe('a at 2000');
  });

  test('sends the last sample, even if none follows', async () => {
    const { shown, setTime, ticker: winners } = ticker({ a: [ann] });
    winners.show('a', Buffer.from('first'));
    winners.show('a', Buffer.from('second'));
    winners.show('a', Buffer.from('third'));
    expect(shown).toHaveLength(1);
    setTime(1_000);
    await expect.poll(() => shown.map(([, , what]) => what), { timeout: 3_000 }).toEqual(['first', 'third']);
  });

  test('pauses after an important broadcast, and then goes on by itself', async () => {
    const { shown, broadcast, setTime, ticker: winners } = ticker({ a: [ann] });
    broadcast();
    winners.show('a', Buffer.from('at the start'));
    setTime(999);
    winners.show('a', Buffer.from('just before'));
    expect(shown).toEqual([]);
    broadcast();
    setTime(1_998);
    winners.show('a', Buffer.from('next sample'));
    expect(shown).toEqual([]);
    setTime(1_999);
    await expect
      .poll(() => shown.map(([at, , what]) => [at, what]), { timeout: 3_000 })
      .toEqual([[1_999, 'next sample']]);
  });

  test('sends nothing during an important broadcast', () => {
    let busy = true;
    const { shown, setTime, ticker: winners } = ticker({ a: [ann] }, { busy: () => busy });
    winners.show('a', Buffer.from('droppable'));
    busy = false;
    setTime(100);
    winners.show('a', Buffer.from('shown'));
    expect(shown.map(([, , what]) => what)).toEqual(['shown']);
  });

  test('keeps the sample of the last win while it is switched off, and shows it once it is on again', async () => {
    let off = true;
    const { shown, setTime, ticker: winners } = ticker({ a: [ann] }, { isOff: () => off });
    winners.show('a', Buffer.from('older'));
    winners.show('a', Buffer.from('the last win'));
    off = false;
    setTime(2_000);
    await expect.poll(() => shown.map(([, , what]) => what), { timeout: 3_000 }).toEqual(['the last win']);
  });
});
