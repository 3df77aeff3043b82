import { expect, test } from 'vitest';
import { openReceipts } from '../../client-demo/src/receipts.ts';

function storage(initial: Record<string, string> = {}): Storage {
  const items = new Map(Object.entries(initial));
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
  } as Storage;
}
const receipt = (redPacketId: string) => ({ redPacketId, amount: '1.00', receipt: 'r'.repeat(22) });

test('a receipt is kept per rain and user, over a reload, until another one replaces it', () => {
  const kept = storage();
  openReceipts(() => kept).write('spring', 'ann', receipt('spring-1'));
  openReceipts(() => kept).write('spring', 'bob', receipt('spring-2'));
  openReceipts(() => kept).write('spring', 'ann', receipt('spring-3'));
  const receipts = openReceipts(() => kept);
  expect([receipts.read('spring', 'ann'), receipts.read('spring', 'bob'), receipts.read('summer', 'ann')]).toEqual([
    receipt('spring-3'),
    receipt('spring-2'),
    undefined,
  ]);
});

test('[R10] fifty are kept; what is not a receipt, or a storage that throws, is none', () => {
  const kept = storage();
  const receipts = openReceipts(() => kept);
  for (let i = 0; i < 60; i++) receipts.write(`rain-${i}`, 'ann', receipt('p'));
  expect([receipts.read('rain-9', 'ann'), receipts.read('rain-10', 'ann')]).toEqual([undefined, receipt('p')]);
  for (const text of ['torn', '{}', '[7]', '[{"rainId":"spring","userId":"ann"}]'])
    expect(openReceipts(() => storage({ 'rain.receipts': text })).read('spring', 'ann')).toBeUndefined();
  const forbidden = openReceipts(() => {
    throw new Error('forbidden');
  });
  forbidden.write('spring', 'ann', receipt('p'));
  expect(forbidden.read('spring', 'ann')).toBeUndefined();
});

test('when the first storage is full or forbidden, the receipt is kept in the next one', () => {
  const full = {
    getItem: () => null,
    setItem: () => {
      throw new Error('full');
    },
  } as unknown as Storage;
  const forbidden = () => {
    throw new Error('forbidden');
  };
  for (const first of [() => full, forbidden]) {
    const tab = storage();
    openReceipts(first, () => tab).write('spring', 'ann', receipt('spring-1'));
    expect(openReceipts(first, () => tab).read('spring', 'ann')).toEqual(receipt('spring-1'));
  }
});
