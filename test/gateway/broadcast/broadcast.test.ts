import { describe, expect, test } from 'vitest';
import { Broadcast } from '../../../src/gateway/broadcast/broadcast.ts';
import type { Session } from '../../../src/gateway/sockets/session.ts';
import { Ticker } from '../../../src/gateway/broadcast/winnersTicker.ts';

const people = (count: number, name = 'user') => Array.from({ length: count }, (_, i) => ({ userId: `${name}-${i}` }) as Session);

/** A broadcast whose clock is moved by telling, and whose turns are taken by hand. */
function stage(tellMs: number, sliceMs = 5) {
  let at = 0;
  let loopBudget: (() => void) | undefined;
  const heard: string[] = [];
  const broadcast = new Broadcast({ sliceMs, now: () => at, nextTurn: (go) => { expect(loopBudget, 'one slice a turn').toBeUndefined(); loopBudget = go; } });
  return {
    broadcast, heard,
    say: (what: string) => (session: Session) => {
      at += tellMs;
      heard.push(`${what} ${session.userId}`);
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
    get at() { return at; },
  };
}

describe('telling everybody', () => {
  test('takes no longer per turn than a slice and a look at the clock, however slow a write is, and reaches each once, in order', () => {
    for (const tellMs of [0.005, 0.05, 0.3]) {
      const { broadcast, heard, say, takeTurn, ...rest } = stage(tellMs);
      broadcast.add({ sessions: people(2_000), tell: say('open') });
      const turns = [rest.at];
      for (let took = takeTurn(); took !== undefined; took = takeTurn()) turns.push(took);
      expect(Math.max(...turns)).toBeLessThanOrEqual(5 + 16 * tellMs + 1e-9);
      expect(heard).toEqual(people(2_000).map(({ userId }) => `open ${userId}`));
    }
  });

  test('several things take one slice a turn together, one after the other', () => {
    const { broadcast, heard, say, takeTurn } = stage(1);
    broadcast.add({ name: 'a', sessions: people(40, 'a'), tell: say('1') });
    broadcast.add({ name: 'b', sessions: people(40, 'b'), tell: say('2') });
    while (takeTurn() !== undefined);
    expect(heard).toEqual([...people(40, 'a').map(({ userId }) => `1 ${userId}`), ...people(40, 'b').map(({ userId }) => `2 ${userId}`)]);
    expect(broadcast.underWay).toBe(false);
  });

  test('[R10] a newer word takes the place of one that has not begun; what has begun is told to its end', () => {
    const { broadcast, heard, say, takeTurn } = stage(1);
    broadcast.add({ name: 'a', sessions: people(20), tell: say('old') });
    for (let i = 1; i <= 1_000; i++) broadcast.add({ name: 'a', sessions: people(20), tell: say(`new${i}`) });
    while (takeTurn() !== undefined);
    expect(heard).toEqual(['old', 'new1000'].flatMap((what) => people(20).map(({ userId }) => `${what} ${userId}`)));
  });

  test('what may be shed is shed, begun or not, as soon as there is anything else', () => {
    const { broadcast, heard, say, takeTurn } = stage(1);
    broadcast.add({ sessions: people(100), tell: say('ticker'), shed: true });
    const before = heard.length;
    expect(before).toBeLessThan(100);
    broadcast.add({ name: 'a', sessions: people(3), tell: say('open') });
    broadcast.add({ sessions: people(100), tell: say('ticker'), shed: true });
    while (takeTurn() !== undefined);
    expect(heard.slice(before)).toEqual(people(3).map(({ userId }) => `open ${userId}`));
  });
});

describe("the winners' ticker", () => {
  function ticker(watching: Record<string, Session[]>, busy = () => false) {
    let [at, toldAt] = [0, Number.NEGATIVE_INFINITY];
    const shown: [number, string, string][] = [];
    const show = (frames: ReadonlyMap<Session, Buffer>) => { for (const [{ userId }, frame] of frames) shown.push([at, userId, String(frame)]); };
    const rules = { watching: (rainId: string) => new Set(watching[rainId]), busy, show, restMs: () => 1_000, now: () => at, toldAt: () => toldAt };
    return { shown, tell: () => { toldAt = at; }, setTime: (ms: number) => { at = ms; }, ticker: new Ticker(rules) };
  }
  const [ann, bob] = people(2) as [Session, Session];

  test('shows each watcher one sample a second at most, the latest, also to who watches several rains', () => {
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

  test('shows the last sample, though nothing comes after it', async () => {
    const { shown, setTime, ticker: winners } = ticker({ a: [ann] });
    winners.show('a', Buffer.from('first'));
    winners.show('a', Buffer.from('second'));
    winners.show('a', Buffer.from('third'));
    expect(shown).toHaveLength(1);
    setTime(1_000);
    await expect.poll(() => shown.map(([, , what]) => what), { timeout: 3_000 }).toEqual(['first', 'third']);
  });

  test('leaves everybody a rest after what matters, and then goes on by itself', async () => {
    const { shown, tell, setTime, ticker: winners } = ticker({ a: [ann] });
    tell();
    winners.show('a', Buffer.from('at the start'));
    setTime(999);
    winners.show('a', Buffer.from('just before'));
    expect(shown).toEqual([]);
    tell();
    setTime(1_998);
    winners.show('a', Buffer.from('told again'));
    expect(shown).toEqual([]);
    setTime(1_999);
    await expect.poll(() => shown.map(([at, , what]) => [at, what]), { timeout: 3_000 }).toEqual([[1_999, 'told again']]);
  });

  test('shows nothing while something that matters is told', () => {
    let busy = true;
    const { shown, setTime, ticker: winners } = ticker({ a: [ann] }, () => busy);
    winners.show('a', Buffer.from('shed'));
    busy = false;
    setTime(100);
    winners.show('a', Buffer.from('shown'));
    expect(shown.map(([, , what]) => what)).toEqual(['shown']);
  });
});
