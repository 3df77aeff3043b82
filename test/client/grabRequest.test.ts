import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { GrabRequest, type GrabRequestOptions, type Verdict } from '../../src/client/grabRequest.ts';
import type { GrabMessage, ResultMessage } from '../../src/protocol/messages.ts';
import { isRefusal, OUTCOMES, OUTCOMES_IN_ORDER, type OutcomeCode } from '../../src/protocol/outcomes.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function ask({
  untilOpen = () => -1_000,
  carry = () => ({}),
}: { untilOpen?: () => number; carry?: GrabRequestOptions['carry'] } = {}) {
  const sent: GrabMessage[] = [];
  const verdicts: Verdict[] = [];
  const waits: string[] = [];
  let connected = true;
  let tickets = 0;
  const request = new GrabRequest({
    send: (message) => connected && sent.push(message) > 0,
    untilOpen,
    carry,
    onNoTicket: () => {
      tickets++;
    },
    random: () => 0.5,
    onVerdict: (verdict) => verdicts.push(verdict),
    onWait: (code) => waits.push(code),
  });
  request.start('spring');
  return {
    tickets: () => tickets,
    request,
    sent,
    verdicts,
    waits,
    disconnect: () => {
      connected = false;
    },
    reconnect: () => {
      connected = true;
      request.connected();
    },
    answer(
      code: OutcomeCode,
      ref = sent.at(-1)!.ref,
      packet?: { redPacketId: string; amount: string } | { retryInMs: number },
    ): ResultMessage {
      const result: ResultMessage = {
        type: 'result',
        rainId: 'spring',
        code,
        reason: OUTCOMES[code].reason,
        ...(ref !== undefined && { ref }),
        ...packet,
      };
      request.receive(result);
      return result;
    },
  };
}

const PACKET = { redPacketId: 'spring-7', amount: '12.21' };

describe('[R6] one tap is one grab, repeated until it is answered', () => {
  test('an answer ends it', () => {
    const { sent, verdicts, answer } = ask();
    const result = answer('0', sent[0]!.ref, PACKET);
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(1);
    expect(verdicts).toEqual([{ kind: 'settled', result, doubtful: false }]);
  });

  test('a second tap meanwhile sends nothing', () => {
    const { request, sent } = ask();
    request.start('spring');
    expect(sent).toHaveLength(1);
  });

  test('after a lost reply the grab is repeated with a new ref', () => {
    const { sent, verdicts, answer } = ask();
    vi.advanceTimersByTime(3_000);
    expect(sent).toHaveLength(2);
    expect(sent[1]!.ref).not.toBe(sent[0]!.ref);
    const result = answer('1', sent[1]!.ref, PACKET);
    expect(verdicts).toEqual([{ kind: 'settled', result, doubtful: true }]);
  });

  test('a late packet counts, a late refusal of an earlier attempt does not', () => {
    const { sent, verdicts, answer } = ask();
    vi.advanceTimersByTime(3_000);
    answer('-1', sent[0]!.ref);
    expect(verdicts).toEqual([]);
    answer('0', sent[0]!.ref, PACKET);
    expect(verdicts).toMatchObject([{ kind: 'settled', result: PACKET }]);
  });

  test.each(['-7', '-5'] as const)('code %s is asked again after a pause that grows', (code) => {
    const { sent, waits, verdicts, answer } = ask();
    const pauses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const [before, asked] = [Date.now(), sent.length];
      answer(code);
      while (sent.length === asked) vi.advanceTimersByTime(1);
      pauses.push(Date.now() - before);
    }
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(pauses[3]).toBeGreaterThan(pauses[0]! * 3);
    expect(waits).toEqual([code, code, code, code]);
    expect(verdicts).toEqual([]);
  });

  test.each(['-7', '-5'] as const)(
    'code %s with a moment is asked again at that moment, neither earlier nor later',
    (code) => {
      const { sent, answer } = ask();
      for (const retryInMs of [700, 150, 0, 5_000]) {
        const before = sent.length;
        answer(code, sent.at(-1)!.ref, { retryInMs });
        vi.advanceTimersByTime(Math.max(0, retryInMs - 1));
        expect(sent).toHaveLength(retryInMs === 0 ? before + 1 : before);
        vi.advanceTimersByTime(1);
        expect(sent).toHaveLength(before + 1);
      }
    },
  );

  test.each([-1, NaN, Infinity, 'soon' as unknown as number])(
    'a moment that is none (%s) is not believed',
    (retryInMs) => {
      const { sent, answer } = ask();
      answer('-7', sent[0]!.ref, { retryInMs });
      vi.advanceTimersByTime(60_000);
      expect(sent.length).toBeGreaterThan(1);
      expect(sent.length).toBeLessThan(30);
    },
  );

  test.each(OUTCOMES_IN_ORDER.filter((outcome) => isRefusal(outcome) && outcome.code !== '-2').map(({ code }) => code))(
    'code %s ends it',
    (code) => {
      const { sent, verdicts, answer } = ask();
      answer(code);
      vi.advanceTimersByTime(60_000);
      expect(sent).toHaveLength(1);
      expect(verdicts).toMatchObject([{ kind: 'settled', result: { code } }]);
    },
  );

  test('a code of a newer server ends the grab instead of endless retries', () => {
    const { request, sent, verdicts } = ask();
    request.receive({
      type: 'result',
      rainId: 'spring',
      ref: sent[0]!.ref!,
      code: '-99' as OutcomeCode,
      reason: 'new',
    });
    expect(verdicts).toHaveLength(1);
  });
});

describe('[R7] the start', () => {
  test('a page that is a little early retries at the opening and not before', () => {
    const opensAt = Date.now() + 400;
    const { sent, answer } = ask({ untilOpen: () => opensAt - Date.now() });
    answer('-2');
    vi.advanceTimersByTime(399);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(600);
    expect(sent).toHaveLength(2);
  });

  test('if the opening is far ahead, the grab ends', () => {
    const { sent, verdicts, answer } = ask({ untilOpen: () => 60_000 });
    const result = answer('-2');
    vi.advanceTimersByTime(120_000);
    expect(sent).toHaveLength(1);
    expect(verdicts).toEqual([{ kind: 'settled', result, doubtful: false }]);
  });
});

describe('a connection that breaks', () => {
  test('the grab waits for the next connection and is sent there at once', () => {
    const { sent, disconnect, reconnect } = ask();
    disconnect();
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(1);
    reconnect();
    expect(sent).toHaveLength(2);
  });

  test('an answered grab is not repeated on the next connection', () => {
    const { sent, answer, disconnect, reconnect } = ask();
    answer('-1');
    disconnect();
    reconnect();
    expect(sent).toHaveLength(1);
  });
});

describe('where a grab needs a ticket', () => {
  const TICKET = 'a-ticket';

  test('[R6] the grab carries the ticket, and a repeat carries the same one', () => {
    const { sent, answer } = ask({ carry: () => ({ ticket: TICKET }) });
    answer('-7');
    vi.advanceTimersByTime(5_000);
    expect(sent.slice(0, 2)).toMatchObject([{ ticket: TICKET }, { ticket: TICKET }]);
  });

  test('a tap without a ticket waits and is sent when the ticket is there', () => {
    let ready = false;
    const { sent, waits, verdicts } = ask({ carry: () => (ready ? { ticket: TICKET } : undefined) });
    vi.advanceTimersByTime(10_000);
    expect([sent, verdicts, new Set(waits)]).toEqual([[], [], new Set(['preparing'])]);
    ready = true;
    vi.advanceTimersByTime(100);
    expect(sent).toMatchObject([{ type: 'grab', rainId: 'spring', ticket: TICKET }]);
  });

  test('after a rejected ticket a new one is requested, and then the tap is repeated', () => {
    let ticket: string | undefined = 'old';
    const { sent, answer, tickets } = ask({ carry: () => (ticket === undefined ? undefined : { ticket }) });
    answer('-9');
    ticket = undefined;
    expect(tickets()).toBe(1);
    vi.advanceTimersByTime(2_000);
    expect(sent).toHaveLength(1);
    ticket = 'new';
    vi.advanceTimersByTime(100);
    expect(sent.map((grab) => grab.ticket)).toEqual(['old', 'new']);
  });

  test('[R10] a ticket that never comes is not waited for for ever', () => {
    const { sent, verdicts } = ask({ carry: () => undefined });
    vi.advanceTimersByTime(60_000);
    expect(sent).toEqual([]);
    expect(verdicts).toEqual([{ kind: 'unanswered' }]);
  });
});

test('[R10] without any answer the grab ends after twelve attempts, and the next tap starts a new one', () => {
  const { request, sent, verdicts } = ask();
  vi.advanceTimersByTime(120_000);
  expect(sent).toHaveLength(12);
  expect(verdicts).toEqual([{ kind: 'unanswered' }]);
  request.start('spring');
  expect(sent).toHaveLength(13);
});

test('a join that is put off while a question is open is none of its business', () => {
  const { request, sent, verdicts } = ask();
  expect(request.receive({ type: 'result', rainId: 'spring', code: '-7', reason: 'busy', retryInMs: 100 })).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect([sent.length, verdicts]).toEqual([1, []]);
});

test('answers about another rain are none of its business', () => {
  const { request, verdicts } = ask();
  expect(request.receive({ type: 'result', rainId: 'autumn', code: '1', reason: 'already_claimed', ...PACKET })).toBe(
    false,
  );
  expect(verdicts).toEqual([]);
});

test('a phone that has slept through the pause repeats the grab when it wakes; one that was away for a moment waits', () => {
  const { request, sent, answer } = ask();
  answer('-7', sent[0]!.ref, { retryInMs: 20_000 });
  request.wake();
  expect(sent).toHaveLength(1);
  // Timers stand still while a phone sleeps.
  vi.setSystemTime(Date.now() + 30_000);
  request.wake();
  expect(sent).toHaveLength(2);
  answer('0', sent[1]!.ref, PACKET);
  request.wake();
  vi.advanceTimersByTime(60_000);
  expect(sent).toHaveLength(2);
});
