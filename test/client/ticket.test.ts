import { expect, onTestFinished, test, vi } from 'vitest';
import { TicketHolder } from '../../src/client/ticket.ts';
import type { ChallengeMessage, SolutionMessage, TicketMessage } from '../../src/protocol/messages.ts';
import type { ChallengeSolution } from '../../src/protocol/proofOfWork.ts';

const SOLUTION: ChallengeSolution = { counter: 3, derivedKey: '00' };
const ticket = (text: string, expiresAt = 1_000): TicketMessage => ({
  type: 'ticket',
  rainId: 'spring',
  ticket: text,
  expiresAt,
});
const challenge = (signature: string): ChallengeMessage => ({
  type: 'challenge',
  rainId: 'spring',
  challenge: {
    signature,
    parameters: {
      algorithm: 'PBKDF2/SHA-256',
      cost: 1,
      keyLength: 32,
      keyPrefix: '00',
      keySignature: '00',
      nonce: '00',
      salt: '00',
      data: { until: 1 },
    },
  },
});
const settled = () => new Promise((resolve) => setImmediate(resolve));

function open(solve: () => Promise<ChallengeSolution | undefined> = async () => SOLUTION) {
  const seen = { now: 0, sent: [] as SolutionMessage[], vain: 0, solved: 0, due: 0 };
  const entry = new TicketHolder({
    id: { rainId: 'spring' },
    now: () => seen.now,
    onUnsolved: () => {
      seen.vain++;
    },
    random: () => 0.5,
    onDue: () => {
      seen.due++;
    },
    send: (message) => seen.sent.push(message) > 0,
    solve: () => {
      seen.solved++;
      return solve();
    },
  });
  return { entry, seen };
}

test('if tickets are off, there is no ticket and no wait for one', () => {
  const { entry } = open();
  expect([entry.ticket, entry.preparing]).toEqual([undefined, false]);
});

test('a ticket holds until it runs out', () => {
  const { entry, seen } = open();
  entry.receive(ticket('one'));
  expect([entry.ticket, entry.carried()]).toEqual(['one', { ticket: 'one' }]);
  seen.now = 1_000;
  expect([entry.ticket, entry.carried()]).toEqual([undefined, {}]);
});

test('a challenge is worked on once, its solution sent, and a tap waits until the ticket is there', async () => {
  const { entry, seen } = open();
  entry.receive(challenge('aa'));
  entry.receive(challenge('aa'));
  expect([entry.preparing, seen.solved]).toEqual([true, 1]);
  await settled();
  expect(seen.sent).toEqual([
    { type: 'solution', rainId: 'spring', challenge: challenge('aa').challenge, solution: SOLUTION },
  ]);
  expect(entry.preparing).toBe(true);
  entry.receive(ticket('one'));
  expect([entry.preparing, entry.ticket]).toEqual([false, 'one']);
  // A client with a ticket solves no further challenge.
  entry.receive(challenge('bb'));
  expect(seen.solved).toBe(1);
});

test.each([
  ['that cannot be solved', async () => undefined],
  [
    'whose solver could not be loaded',
    async () => {
      throw new Error('no worker');
    },
  ],
])('a challenge %s: another is asked for', async (_what, solve) => {
  const { entry, seen } = open(solve);
  entry.receive(challenge('aa'));
  await settled();
  expect([seen.vain, seen.sent, entry.preparing]).toEqual([1, [], true]);
});

test('a solution that comes when it is all over is not sent', async () => {
  const { entry, seen } = open();
  entry.receive(challenge('aa'));
  entry.forget();
  await settled();
  expect([seen.sent, entry.preparing]).toEqual([[], false]);
});

test('a ticket that is taken for none is waited for anew', () => {
  const { entry } = open();
  entry.receive(ticket('one'));
  entry.lose();
  expect([entry.ticket, entry.preparing]).toEqual([undefined, true]);
});

test('a ticket that has not come for too long is not waited for any more; a challenge under way still is', () => {
  const { entry } = open(() => new Promise(() => {}));
  entry.lose();
  entry.stopWaiting();
  expect(entry.preparing).toBe(false);
  entry.receive(challenge('aa'));
  entry.stopWaiting();
  expect(entry.preparing).toBe(true);
});

/** The clocks of client and server go together. */
function timed() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { entry, seen } = open();
  const pass = (ms: number) => {
    seen.now += ms;
    vi.advanceTimersByTime(ms);
  };
  return { entry, seen, pass };
}
const RULES = { tickets: 'always', proofOfWork: 'always', from: 10_000 } as const;

test('a ticket that is not issued yet is asked for once, at a random moment of the first half of the time until the opening', () => {
  const { entry, seen, pass } = timed();
  for (let i = 0; i < 3; i++) entry.follow({ opensAt: 130_000, ticketRules: RULES });
  pass(40_000);
  expect(seen.due).toBe(0);
  pass(1_000);
  expect(seen.due).toBe(1);
  entry.follow({ opensAt: 130_000, ticketRules: RULES });
  pass(100_000);
  expect(seen.due).toBe(1);
});

test('after a change of the rules a ticket is asked for; without a connection none is', () => {
  const { entry, seen, pass } = timed();
  seen.now = 20_000;
  entry.follow({ opensAt: 10_000 });
  entry.follow({ opensAt: 10_000, ticketRules: RULES });
  pass(2_000);
  expect(seen.due).toBe(1);
  entry.follow({ opensAt: 10_000, ticketRules: { ...RULES, proofOfWork: 'off' } });
  entry.rest();
  pass(2_000);
  expect(seen.due).toBe(1);
});
