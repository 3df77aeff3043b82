import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimIdOf } from '../../src/credit/claimId.ts';
import { excerpt, readPaidBefore, readReceipts, readResults } from '../../src/credit/walletAnswer.ts';
import { claimsOf } from '../ledger/claims.ts';

describe('an answer of a wallet', () => {
  const say = (...results: unknown[]) => readResults(JSON.stringify({ results }));

  it('is read claim by claim: an invalid result is dropped and affects no other', () => {
    const results = say(
      { claimId: 'a', status: 'done' },
      null,
      5,
      { claimId: 'b' },
      { claimId: 'c', status: 'DONE' },
      { claimId: 7, status: 'done' },
      { claimId: 'd', status: 'refused', reason: 'closed', more: true },
      { claimId: 'e', status: 'already', reason: 5 },
    );
    expect([...results!.values()]).toEqual([
      { claimId: 'a', status: 'done', said: {} },
      { claimId: 'd', status: 'refused', reason: 'closed', said: {} },
      { claimId: 'e', status: 'already', said: {} },
    ]);
    const paid = say(
      ...[{ userId: 'ann', amount: '1.00' }, { userId: null }, { userId: 7, amount: 1 }, { amount: '1' }].map(
        (fields, i) => ({ claimId: `p${i}`, status: 'already', ...fields }),
      ),
    );
    expect([...paid!.values()].map(({ said }) => said)).toEqual([
      { userId: 'ann', amount: '1.00' },
      {},
      { unreadable: '{"amount":1,"userId":7}' },
      { unreadable: '{"amount":"1"}' },
    ]);
  });

  it('with contradicting results is asked again', () => {
    expect(say({ claimId: 'a', status: 'done' }, { claimId: 'a', status: 'refused' })!.get('a')).toMatchObject({
      status: 'retry',
      reason: 'answered both done and refused',
    });
    expect(
      say(
        { claimId: 'a', status: 'already', userId: 'ann', amount: '1.00' },
        { claimId: 'a', status: 'already', userId: 'bob', amount: '1.00' },
      )!.get('a'),
    ).toMatchObject({ status: 'retry' });
    expect(say({ claimId: 'a', status: 'done' }, { claimId: 'a', status: 'done' })!.get('a')).toMatchObject({
      status: 'done',
    });
  });

  it('[R12] of any other form is no answer; nothing is thrown', () => {
    for (const text of ['', 'null', '[]', '{}', '{"results":{}}', '<html>', '{"results":['])
      expect(readResults(text), text).toBeUndefined();
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        readResults(text);
      }),
    );
    const hostile = readResults('{"results":[{"claimId":"__proto__","status":"done"}]}')!;
    expect([hostile.size, claimsOf('r', 0, 3).some((claim) => hostile.has(claimIdOf('webhook_v2', claim)))]).toEqual([
      1,
      false,
    ]);
  });

  it('fits into one short line of a dead letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 150, maxLength: 250 }), (text) => {
        expect(excerpt(text).length).toBeLessThanOrEqual(200);
        expect(excerpt(text)).not.toMatch(/[\p{Cc}\p{Cs}\u2028\u2029\u202e]/u);
      }),
    );
  });
});

describe('the receipts of an answer', () => {
  it('are read from body and header; one that names a claim and cannot be read may contradict the others, and nothing is thrown', () => {
    const receipts = readReceipts(
      JSON.stringify({
        receipts: [
          { id: 'a', amount: '1.00' },
          null,
          { id: 7 },
          { id: 'b', amount: 1 },
          { id: 'c' },
          { id: 'a', amount: '2.00', userId: 'ann' },
          { id: 'd', amount: '0.00' },
          { id: 'd', amount: { $: 1 }, userId: null },
        ],
      }),
      'e:ann:3.00 3.00',
    );
    expect([...receipts]).toEqual([
      ['e:ann:3.00', [{ amount: '3.00' }]],
      ['a', [{ amount: '1.00' }, { amount: '2.00', userId: 'ann' }]],
      ['b', [{ unreadable: '{"amount":1}' }]],
      ['c', [{ unreadable: '{}' }]],
      ['d', [{ unreadable: '{"amount":"0.00"}' }, { unreadable: '{"amount":"not a string","userId":null}' }]],
    ]);
    for (const header of [undefined, '', ' ']) expect(readReceipts('<html>', header).size, header).toBe(0);
    for (const header of ['e', 'e 3', 'e 3.00 4.00', 'e  3.00', 'e 3.00, e 3.00'])
      expect(readReceipts('<html>', header).get('e'), header).toEqual([{ unreadable: expect.any(String) as string }]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (text, header) => {
        readReceipts(text, header);
      }),
    );
    // As deep as an answer may be.
    expect(
      readReceipts(`{"receipts":[{"id":"a","amount":${'['.repeat(500_000)}${']'.repeat(500_000)}}]}`).get('a'),
    ).toEqual([{ unreadable: '{"amount":"not a string"}' }]);
  });

  it('are read behind a byte order mark, which nobody sees', () => {
    const bom = (body: object) => `\uFEFF${JSON.stringify(body)}`;
    expect(readReceipts(bom({ receipts: [{ id: 'a', amount: '1.00' }] })).get('a')).toEqual([{ amount: '1.00' }]);
    expect(readResults(bom({ results: [{ claimId: 'a', status: 'done' }] }))?.size).toBe(1);
    expect(readPaidBefore(bom({ claimId: 'a', userId: 'ann', amount: '1.00' }), 'a')).toHaveLength(1);
  });

  it('of a 409 name claim, user and amount, or nothing', () => {
    const said = (body: object) => readPaidBefore(JSON.stringify(body), 'a');
    expect(said({ claimId: 'a', userId: 'ann', amount: '1.00', more: 1 })).toEqual([{ userId: 'ann', amount: '1.00' }]);
    for (const body of [{}, { claimId: 'b', userId: 'ann', amount: '1.00' }]) expect(said(body)).toEqual([]);
    expect([said({ claimId: 'a', userId: 'bob' }), said({ claimId: 'a', userId: 'ann', amount: 1 })]).toEqual([
      [{ userId: 'bob' }],
      [{ unreadable: '{"amount":1,"userId":"ann"}' }],
    ]);
  });
});
