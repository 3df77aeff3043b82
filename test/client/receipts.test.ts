import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReceiptHolder, type Receipt } from '../../src/client/receiptHolder.ts';
import { OUTCOMES } from '../../src/protocol/outcomes.ts';
import type { ClientMessage, ResultMessage } from '../../src/protocol/messages.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const RECEIPT: Receipt = { redPacketId: 'spring-7', amount: '12.21', receipt: 'r'.repeat(22) };
const won = (change: Partial<ResultMessage> = {}): ResultMessage => ({
  type: 'result',
  rainId: 'spring',
  code: '0',
  reason: OUTCOMES['0'].reason,
  ...RECEIPT,
  ...change,
});
/** Longer than a holder waits for a join to report the win. */
const LONG = 6_000;

function open(stored?: Receipt) {
  const sent: ClientMessage[] = [];
  const state = { stored, statuses: [] as string[] };
  const holder = new ReceiptHolder({
    rainId: 'spring',
    random: () => 0.5,
    send: (message) => sent.push(message) > 0,
    read: () => state.stored,
    write: (receipt) => {
      state.stored = receipt;
    },
    onStatus: ({ redPacketId, amount }, status) => state.statuses.push(`${redPacketId} ${amount} ${status}`),
  });
  return { holder, sent, state };
}
const SHOWN = { type: 'receipt', rainId: 'spring', ...RECEIPT };

test('a receipt is stored with the win, and shown after a join that does not report the win', () => {
  const { holder, sent, state } = open();
  holder.joined();
  holder.receiveResult(won());
  expect(state.stored).toEqual(RECEIPT);
  vi.advanceTimersByTime(LONG);
  expect(sent).toEqual([]);
  holder.joined();
  vi.advanceTimersByTime(LONG);
  expect(sent).toEqual([SHOWN]);
  holder.receiveStatus('spring-7', 'restored');
  holder.receiveStatus('spring-8', 'restored');
  expect(state.statuses).toEqual(['spring-7 12.21 restored']);
});

test('it is not shown when the join reports the win, by a result or by the credit, nor over a lost connection', () => {
  for (const act of [
    (holder: ReceiptHolder) => holder.receiveResult(won({ code: '1', reason: 'already_claimed' })),
    (holder: ReceiptHolder) => holder.reported('spring-7'),
    (holder: ReceiptHolder) => holder.disconnected(),
    (holder: ReceiptHolder) => holder.forget(),
  ]) {
    const { holder, sent } = open(RECEIPT);
    holder.joined();
    act(holder);
    vi.advanceTimersByTime(LONG);
    expect(sent).toEqual([]);
  }
});

test('a reloaded page shows the stored one; another packet since does not replace it', () => {
  const { holder, sent, state } = open(RECEIPT);
  holder.joined();
  holder.receiveResult(won({ redPacketId: 'spring-9', receipt: 's'.repeat(22) }));
  vi.advanceTimersByTime(LONG);
  expect([sent, state.stored]).toEqual([[SHOWN], RECEIPT]);
});

test('a receipt that a gateway does not take for genuine is kept, since that gateway may lack the secret, and shown after the next join; another win replaces it', () => {
  const { holder, sent, state } = open(RECEIPT);
  holder.joined();
  vi.advanceTimersByTime(LONG);
  holder.receiveStatus('spring-7', 'not_genuine');
  vi.advanceTimersByTime(10 * LONG);
  expect([sent, state.stored]).toEqual([[SHOWN], RECEIPT]);
  holder.joined();
  vi.advanceTimersByTime(LONG);
  expect([sent, state.stored]).toEqual([[SHOWN, SHOWN], RECEIPT]);
  holder.receiveStatus('spring-7', 'not_genuine');
  const other = { redPacketId: 'spring-9', amount: '1.00', receipt: 's'.repeat(22) };
  holder.receiveResult(won(other));
  holder.receiveResult(won());
  expect(state.stored).toEqual(other);
});

test('a receipt that is answered "busy" is shown again, at growing intervals, until the server has an answer or names the packet', () => {
  const { holder, sent, state } = open(RECEIPT);
  holder.joined();
  for (let shown = 1; shown <= 8; shown++) {
    vi.advanceTimersByTime(60_000);
    expect(sent).toHaveLength(shown);
    holder.receiveStatus('spring-7', 'busy');
    vi.advanceTimersByTime(2_000);
    expect(sent).toHaveLength(shown);
  }
  vi.advanceTimersByTime(60_000);
  holder.receiveStatus('spring-7', 'restored');
  vi.advanceTimersByTime(600_000);
  expect([sent.length, state.statuses.at(-1)]).toEqual([9, 'spring-7 12.21 restored']);
  holder.joined();
  vi.advanceTimersByTime(LONG);
  holder.receiveStatus('spring-7', 'busy');
  holder.reported('spring-7');
  vi.advanceTimersByTime(600_000);
  expect(sent).toHaveLength(10);
});

test('an older gateway, which sends no receipt, changes nothing', () => {
  const { holder, sent, state } = open();
  const { receipt: _, ...older } = won();
  holder.receiveResult(older);
  holder.joined();
  vi.advanceTimersByTime(LONG);
  expect([state.stored, sent]).toEqual([undefined, []]);
});

test('a storage that throws stops nothing', () => {
  const sent: ClientMessage[] = [];
  const fail = () => {
    throw new Error('forbidden');
  };
  const holder = new ReceiptHolder({
    rainId: 'spring',
    random: () => 0,
    send: (message) => sent.push(message) > 0,
    read: fail,
    write: fail,
    onStatus: () => {},
  });
  holder.joined();
  holder.receiveResult(won());
  holder.joined();
  vi.advanceTimersByTime(LONG);
  expect(sent).toEqual([SHOWN]);
});
