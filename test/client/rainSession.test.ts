import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RainSession, type OpenGrab } from '../../src/client/rainSession.ts';
import type { ClientMessage, CreditedMessage, RainSnapshot, ResultMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../../src/protocol/outcomes.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_500 }));
afterEach(() => void vi.useRealTimers());

const PACKET = { redPacketId: 'spring-7', amount: '12.21' };
const snapshot = (change: Partial<RainSnapshot> = {}): RainSnapshot => ({
  type: 'rain',
  rainId: 'spring',
  title: 'Spring',
  state: 'loaded',
  opensAt: 1_000,
  closesAt: 900_000,
  packets: 10,
  left: 10,
  serverTime: 0,
  ...change,
});
const result = (code: OutcomeCode, more: Partial<ResultMessage> = {}): ResultMessage => ({
  type: 'result',
  rainId: 'spring',
  code,
  reason: OUTCOMES[code].reason,
  ...more,
});
const ticket = { type: 'ticket', rainId: 'spring', ticket: 'mine', expiresAt: 900_000, seed: 5 } as const;

function sit() {
  const sent: ClientMessage[] = [];
  const told = {
    asking: [] as OpenGrab[],
    results: [] as ResultMessage[],
    won: 0,
    credited: [] as CreditedMessage[],
    receipts: [] as string[],
  };
  const session = new RainSession({
    rainId: 'spring',
    now: () => Date.now(),
    random: () => 0.5,
    solve: async () => undefined,
    send: (message) => sent.push(message) > 0,
    onAsking: (why) => told.asking.push(why),
    onResult: (message) => told.results.push(message),
    onWon: () => {
      told.won++;
    },
    onCredited: (message) => told.credited.push(message),
    readReceipt: () => undefined,
    writeReceipt: () => {},
    onReceipt: (_, status) => told.receipts.push(status),
  });
  session.connected();
  return { session, sent, told, joins: () => sent.filter(({ type }) => type === 'join') };
}

describe('a join', () => {
  test.each([
    ['at the moment that it was told', 700, 700],
    ['after a pause of its own when none was told', undefined, 1_500],
    ['after a minute at most', 1e9, 60_000],
  ])('that is put off comes again %s', (_what, retryInMs, afterMs) => {
    const { session, joins } = sit();
    session.receiveResult(result('-7', retryInMs === undefined ? {} : { retryInMs }));
    vi.advanceTimersByTime(afterMs - 1);
    expect(joins()).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(joins()).toHaveLength(2);
  });

  test('that is put off does not come again over a line that is gone', () => {
    const { session, joins } = sit();
    session.receiveResult(result('-7', { retryInMs: 700 }));
    session.disconnected();
    vi.advanceTimersByTime(60_000);
    expect(joins()).toHaveLength(1);
  });

  test('shows the ticket that is at hand, until the rain is over', () => {
    const { session, joins } = sit();
    session.receiveTicket(ticket);
    session.connected();
    expect(joins().at(-1)).toEqual({ type: 'join', rainId: 'spring', ticket: 'mine' });
    session.receiveRain(snapshot({ state: 'closed' }));
    session.connected();
    expect(joins().at(-1)).toEqual({ type: 'join', rainId: 'spring' });
  });

  test('after a solution that was not taken comes again, for another challenge; but not where nothing is waited for', () => {
    const { session, joins } = sit();
    session.receiveNotSolved();
    vi.advanceTimersByTime(5_000);
    expect(joins()).toHaveLength(1);
    void session.grab(undefined);
    session.receiveResult(result('-9', { ref: 'tap-1' }));
    expect(joins()).toHaveLength(2);
    session.receiveNotSolved();
    vi.advanceTimersByTime(5_000);
    expect(joins()).toHaveLength(3);
  });
});

describe('received messages', () => {
  test('[R6] a refusal of a grab that was given up is no news; a packet is', async () => {
    const { session, told } = sit();
    const stop = new AbortController();
    const grab = session.grab(stop.signal);
    stop.abort(new Error('enough'));
    await expect(grab).rejects.toThrow('enough');
    session.receiveResult(result('-1', { ref: 'tap-1' }));
    expect(told).toMatchObject({ results: [], won: 0 });
    session.receiveResult(result('0', { ref: 'tap-1', ...PACKET }));
    expect(told).toMatchObject({ results: [{ code: '0' }], won: 1 });
  });

  test('[R6] an earlier win is reported, although the first grab is pending when the join is answered', async () => {
    const { session } = sit();
    const grab = session.grab(undefined);
    session.receiveResult(result('1', PACKET));
    expect(await grab).toEqual({ kind: 'already_claimed', ...PACKET });
  });

  test.each([
    ['after "busy", which may hide a win', '-7'],
    ['after "too fast", which hides none', '-5'],
  ] as const)('[R6] a packet that is told again %s', async (_what, code) => {
    const { session } = sit();
    const grab = session.grab(undefined);
    session.receiveResult(result(code, { ref: 'tap-1', retryInMs: 100 }));
    vi.advanceTimersByTime(100);
    session.receiveResult(result('1', { ref: 'tap-2', ...PACKET }));
    expect(await grab).toEqual({ kind: code === '-7' ? 'won' : 'already_claimed', ...PACKET });
  });

  test('[R6] a credit answers the grab whose own answer was lost', async () => {
    const { session, told } = sit();
    const grab = session.grab(undefined);
    session.receiveCredited({ type: 'credited', rainId: 'spring', ...PACKET });
    expect(await grab).toEqual({ kind: 'won', ...PACKET });
    expect([told.won, told.credited.length]).toEqual([1, 1]);
  });

  test('how far a grab has come', () => {
    const { session, told } = sit();
    void session.grab(undefined);
    session.receiveResult(result('-7', { ref: 'tap-1', retryInMs: 50 }));
    vi.advanceTimersByTime(50);
    session.receiveResult(result('-9', { ref: 'tap-2' }));
    vi.advanceTimersByTime(1_000);
    session.receiveTicket(ticket);
    session.receiveRain(snapshot());
    vi.advanceTimersByTime(50);
    expect(told.asking.filter((why, i) => why !== told.asking[i - 1])).toEqual([
      'sent',
      '-7',
      'sent',
      'preparing',
      'sent',
    ]);
  });
});

test("[R7] between two snapshots the rain opens and ends by the server's clock; what the operator does, it does not guess", () => {
  const { session } = sit();
  expect(session.rain).toBeUndefined();
  session.receiveRain(snapshot({ opensAt: 2_000, closesAt: 3_000 }));
  const states = [1_999, 2_000, 2_999, 3_000].map((now) => {
    vi.setSystemTime(now);
    return session.rain?.state;
  });
  expect(states).toEqual(['loaded', 'open', 'open', 'closed']);
  vi.setSystemTime(2_500);
  session.receiveRain(snapshot({ opensAt: 2_000, closesAt: 3_000, state: 'paused' }));
  expect(session.rain?.state).toBe('paused');
});

test("a win that was shown by its receipt is the user's win again, unless the receipt is worthless", async () => {
  for (const [status, won] of [
    ['restored', 2],
    ['recorded', 2],
    ['known', 2],
    ['busy', 1],
    ['not_genuine', 1],
  ] as const) {
    const { session, told } = sit();
    session.receiveResult(result('0', { ...PACKET, receipt: 'r'.repeat(22) }));
    session.receiveResult(result('1', { redPacketId: 'spring-9', amount: '1.00' }));
    told.won = 1;
    session.receiveReceiptStatus({ type: 'receipt_status', rainId: 'spring', redPacketId: 'spring-7', status });
    expect([told.receipts, told.won], status).toEqual([[status], won]);
  }
});

test('a phone that has slept asks for its ticket at the right time', () => {
  const { session, joins } = sit();
  const ticketRules = { tickets: 'always', proofOfWork: 'off', from: 61_500 } as const;
  session.receiveRain(snapshot({ opensAt: 61_500, ticketRules }));
  vi.setSystemTime(Date.now() + 30_000);
  session.wake();
  expect(joins()).toHaveLength(2);
  session.receiveRain(snapshot({ opensAt: 61_500, ticketRules }));
  vi.advanceTimersByTime(31_000);
  expect(joins()).toHaveLength(3);
});
