import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimIdOf, excerpt, readResults, walletRequest } from '../../src/credit/walletMessage.ts';
import { claim as claimSchema } from '../../src/rain/claim.ts';
import { claimOf, claimsOf } from '../ledger/claims.ts';

describe('a request to a wallet', () => {
  it('is one claim in the single form, and always a list in the batch form', () => {
    const told = { claimId: 'r-p1', rainId: 'r', redPacketId: 'r-p1', userId: 'u1', amount: '0.02', at: claimOf('r', 1).at };
    expect(walletRequest('single', [claimOf('r', 1)])).toEqual({ key: 'r-p1', body: JSON.stringify(told) });
    expect(JSON.parse(walletRequest('batch', [claimOf('r', 1)]).body)).toEqual({ claims: [told] });
  });

  it('has a key that identifies its claims in any order', () => {
    const key = (...numbers: number[]) => walletRequest('batch', numbers.map((n) => claimOf('r', n))).key;
    expect(key(1, 2, 3)).toBe(key(3, 1, 2));
    expect(new Set([key(1), key(2), key(1, 2), key(1, 2, 3), key(12)]).size).toBe(5);
    expect(key(1)).toMatch(/^batch-[0-9a-f]{32}$/);
  });

  it('identifies a claim by its packet, in characters valid in headers, and never two packets by one id', () => {
    const id = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).filter((text) => claimSchema.shape.redPacketId.safeParse(text).success);
    fc.assert(fc.property(id, id, (one, other) => {
      const [a, b] = [one, other].map((redPacketId) => claimIdOf(claimOf('r', 0, { redPacketId })));
      expect(a).toMatch(/^[\x21-\x7e]+$/);
      expect(a === b).toBe(one === other);
    }));
    expect(claimIdOf(claimOf('r', 0, { redPacketId: 'rain_1-17.a' }))).toBe('rain_1-17.a');
  });
});

describe('an answer of a wallet', () => {
  const say = (...results: unknown[]) => readResults(JSON.stringify({ results }));

  it('is read claim by claim: an invalid result is dropped and affects no other', () => {
    const results = say({ claimId: 'a', status: 'done' }, null, 5, { claimId: 'b' }, { claimId: 'c', status: 'DONE' }, { claimId: 7, status: 'done' },
      { claimId: 'd', status: 'refused', reason: 'closed', more: true }, { claimId: 'e', status: 'already', reason: 5 });
    expect([...results!.values()]).toEqual([{ claimId: 'a', status: 'done' }, { claimId: 'd', status: 'refused', reason: 'closed' }, { claimId: 'e', status: 'already', reason: undefined }]);
  });

  it('with contradicting results is asked again', () => {
    expect(say({ claimId: 'a', status: 'done' }, { claimId: 'a', status: 'refused' })!.get('a')).toMatchObject({ status: 'retry', reason: 'answered both done and refused' });
    expect(say({ claimId: 'a', status: 'done' }, { claimId: 'a', status: 'done' })!.get('a')).toMatchObject({ status: 'done' });
  });

  it('[R12] of any other form is no answer; nothing is thrown', () => {
    for (const text of ['', 'null', '[]', '{}', '{"results":{}}', '<html>', '{"results":[']) expect(readResults(text), text).toBeUndefined();
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => { readResults(text); }));
    const hostile = readResults('{"results":[{"claimId":"__proto__","status":"done"}]}')!;
    expect([hostile.size, claimsOf('r', 0, 3).some((claim) => hostile.has(claimIdOf(claim)))]).toEqual([1, false]);
  });

  it('fits into one short line of a dead letter', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', minLength: 150, maxLength: 250 }), (text) => {
      expect(excerpt(text).length).toBeLessThanOrEqual(200);
      expect(excerpt(text)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e]/u);
    }));
  });
});
