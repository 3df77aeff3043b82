import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimIdOf, packetPartOf } from '../../src/credit/claimId.ts';
import { walletRequest } from '../../src/credit/walletMessage.ts';
import { claim as claimSchema } from '../../src/rain/claim.ts';
import { CENTS_MAX, formatMoney } from '../../src/rain/money.ts';
import { claimOf } from '../ledger/claims.ts';

describe('a request to a wallet', () => {
  it('is one claim in the single form, and always a list in the batch form', () => {
    const told = {
      claimId: 'r-p1:u1:0.02',
      rainId: 'r',
      redPacketId: 'r-p1',
      userId: 'u1',
      amount: '0.02',
      at: claimOf('r', 1).at,
    };
    expect(walletRequest('single', 'webhook_v2', [claimOf('r', 1)])).toEqual({
      key: 'r-p1:u1:0.02',
      body: JSON.stringify(told),
    });
    expect(JSON.parse(walletRequest('batch', 'webhook_v2', [claimOf('r', 1)]).body)).toEqual({ claims: [told] });
  });

  it('has a key that identifies its claims in any order', () => {
    const key = (...numbers: number[]) =>
      walletRequest(
        'batch',
        'webhook_v2',
        numbers.map((n) => claimOf('r', n)),
      ).key;
    expect(key(1, 2, 3)).toBe(key(3, 1, 2));
    expect(new Set([key(1), key(2), key(1, 2), key(1, 2, 3), key(12)]).size).toBe(5);
    expect(key(1)).toMatch(/^batch-[0-9a-f]{32}$/);
  });

  const id = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 128 })
    .filter((text) => claimSchema.shape.redPacketId.safeParse(text).success);

  it('identifies a claim by packet, user and amount, in 255 characters valid in headers, and never two claims by one id', () => {
    const cents = fc.bigInt({ min: 1n, max: CENTS_MAX });
    const one = fc.record({ redPacketId: id, userId: id, amount: cents.map(formatMoney) });
    fc.assert(
      fc.property(one, one, fc.subarray(['redPacketId', 'userId', 'amount'] as const), (claim, drawn, shared) => {
        const other = { ...drawn, ...Object.fromEntries(shared.map((field) => [field, claim[field]])) };
        const [a, b] = [claim, other].map((some) => claimIdOf('webhook_v2', some));
        expect(a).toMatch(/^[\x21-\x7e]{1,255}$/);
        expect(a === b).toBe(JSON.stringify(claim) === JSON.stringify(other));
      }),
    );
    expect(claimIdOf('webhook_v2', { redPacketId: 'rain_1-17.a', userId: '张 三', amount: '12.21' })).toBe(
      'rain_1-17.a:%E5%BC%A0%20%E4%B8%89:12.21',
    );
    // A name that is too long to be written out cannot be chosen as another user's name.
    const long = claimIdOf('webhook_v2', claimOf('r', 0, { userId: 'u'.repeat(101) }));
    expect(long).toMatch(/^r-p0:=[0-9a-f]{64}:0\.01$/);
    expect(claimIdOf('webhook_v2', claimOf('r', 0, { userId: long.split(':')[1]! }))).not.toBe(long);
  });

  it('[R5] keeps the ids of older rains, which name the packet only', () => {
    expect(walletRequest('single', 'webhook', [claimOf('r', 1)]).key).toBe('r-p1');
    fc.assert(
      fc.property(id, (redPacketId) => {
        const former = claimIdOf('webhook', claimOf('r', 0, { redPacketId }));
        expect(former).toBe(encodeURIComponent(redPacketId));
        expect(packetPartOf(former)).toBe(former);
      }),
    );
    expect(packetPartOf(claimIdOf('webhook_v2', claimOf('r', 7)))).toBe('r-p7');
  });
});
