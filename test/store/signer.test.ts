import { expect, test } from 'vitest';
import { createSigner, isSameSignature } from '../../src/store/signer.ts';

const one = createSigner('one-secret-of-at-least-32-characters-0');
const two = createSigner('two-secret-of-at-least-32-characters-0');
const win = { rainId: 'r', redPacketId: 'r-1', amount: '1.00', userId: 'ann' };

test('a signature names the key, the rain, the packet and the amount; a receipt the user, too', () => {
  const macs = [
    one.packetMac('r', 'r-1', '1.00'),
    two.packetMac('r', 'r-1', '1.00'),
    one.packetMac('s', 'r-1', '1.00'),
    one.packetMac('r', 'r-2', '1.00'),
    one.packetMac('r', 'r-1', '10.00'),
  ];
  expect(new Set(macs).size).toBe(macs.length);
  for (const mac of macs) expect(mac).toMatch(/^[\w-]{16}$/);
  expect(one.packetMac('r', 'r-1', '1.00')).toBe(macs[0]);
  const receipts = [
    one.receipt(win),
    two.receipt(win),
    ...Object.keys(win).map((field) => one.receipt({ ...win, [field]: 'other' })),
  ];
  expect(new Set(receipts).size).toBe(receipts.length);
  for (const receipt of receipts) expect(receipt).toMatch(/^[\w-]{22}$/);
});

test("fields cannot be moved into each other, and a packet's signature is no receipt", () => {
  expect(one.packetMac('r', 'r-11', '.00')).not.toBe(one.packetMac('r', 'r-1', '1.00'));
  expect(one.receipt({ ...win, amount: '1.0', userId: '0ann' })).not.toBe(one.receipt(win));
  expect(one.receipt(win).slice(0, 16)).not.toBe(
    one.packetMac(win.rainId, win.redPacketId, `${win.amount}\n${win.userId}`),
  );
});

test('the key has a name, which says nothing of it', () => {
  expect(one.keyId).toMatch(/^[0-9a-f]{8}$/);
  expect(createSigner('one-secret-of-at-least-32-characters-0').keyId).toBe(one.keyId);
  expect(two.keyId).not.toBe(one.keyId);
});

test('signatures are compared whole', () => {
  expect(
    [
      ['abc', 'abc'],
      ['abc', 'abd'],
      ['', 'abc'],
      ['abcd', 'abc'],
    ].map(([given, genuine]) => isSameSignature(given!, genuine!)),
  ).toEqual([true, false, false, false]);
});

test('a signer with several secrets signs with the first, or on demand with another, and verifies with all of them', () => {
  const both = createSigner('two-secret-of-at-least-32-characters-0, one-secret-of-at-least-32-characters-0');
  expect([both.keyId, both.keyIds]).toEqual([two.keyId, [two.keyId, one.keyId]]);
  expect([
    both.receipt(win),
    both.under(one.keyId)?.receipt(win),
    both.under(one.keyId)?.under(two.keyId)?.packetMac('r', 'r-1', '1.00'),
  ]).toEqual([two.receipt(win), one.receipt(win), two.packetMac('r', 'r-1', '1.00')]);
  for (const signer of [one, two]) {
    expect(both.isReceipt(signer.receipt(win), win)).toBe(true);
    expect(both.creditMarks(win)).toContain(signer.creditMark(win));
    expect(both.isSession(signer.sessionMac('opal'), 'opal')).toBe(true);
    expect(both.isGenuine('r', { redPacketId: 'r-1', amount: '1.00', mac: signer.packetMac('r', 'r-1', '1.00') })).toBe(
      true,
    );
  }
  const third = createSigner('third-secret-of-at-least-32-characters');
  expect([
    both.isReceipt(third.receipt(win), win),
    both.isGenuine('r', { redPacketId: 'r-1', amount: '1.00', mac: '' }),
    both.under(third.keyId),
    both.under(undefined),
    both.under(null),
    one.isReceipt(two.receipt(win), win),
  ]).toEqual([false, false, undefined, undefined, undefined, false]);
  expect([
    both.creditMarks(win).includes(third.creditMark(win)),
    both.isSession(third.sessionMac('opal'), 'opal'),
    both.isSession(two.sessionMac('opal'), 'ruby'),
  ]).toEqual([false, false, false]);
});

test('a reservation is signed with all that its buyer asked for, a wish with its number; neither fits another, or any other purpose', () => {
  const purchase = { saleId: 's', userId: 'ann', sku: 'tee', quantity: 1, ref: 'a' };
  const mac = one.reservationMac(purchase);
  const wish = { saleId: 's', userId: 'ann', ordinal: 1 };
  const macs = [
    mac,
    two.reservationMac(purchase),
    one.packetMac('s', 'ann', 'tee\n1\na'),
    one.wishMac(wish),
    two.wishMac(wish),
    one.reservationMac({ ...purchase, ref: undefined }),
    ...Object.keys(purchase).map((field) =>
      one.reservationMac({ ...purchase, [field]: field === 'quantity' ? 2 : 'other' }),
    ),
    ...Object.keys(wish).map((field) => one.wishMac({ ...wish, [field]: field === 'ordinal' ? 2 : 'other' })),
  ];
  expect(new Set(macs).size).toBe(macs.length);
  for (const each of macs) expect(each).toMatch(/^[\w-]{16}$/);
  const both = createSigner('two-secret-of-at-least-32-characters-0,one-secret-of-at-least-32-characters-0');
  expect([
    both.isReservation(mac, purchase),
    both.isWish(one.wishMac(wish), wish),
    two.isReservation(mac, purchase),
    two.isWish(one.wishMac(wish), wish),
  ]).toEqual([true, true, false, false]);
  for (const wrong of [undefined, '', mac.slice(1), macs[1], macs[3], `${mac}A`])
    expect(one.isReservation(wrong, purchase)).toBe(false);
  const { ref: _, ...without } = purchase;
  expect(one.isReservation(one.reservationMac(without), { ...purchase, ref: '' })).toBe(true);
});
