import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimIdOf } from '../../src/credit/claimId.ts';
import type { PayoutProviderName } from '../../src/ledger/rains.ts';
import { newTotals, summaryOf } from '../../src/operator/reconcile/difference.ts';
import { differencesOf } from '../../src/operator/reconcile/compare.ts';
import { reconcileRain, reconciliationSheet } from '../../src/operator/reconcile/reconcile.ts';
import { readStatement, type StatementRow } from '../../src/operator/reconcile/statement.ts';
import { SheetRefused } from '../../src/operator/sheetRefused.ts';
import type { Claim } from '../../src/rain/claim.ts';
import { claimOf, newRain } from '../ledger/claims.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

const HEADER = 'id,amount,time';
const TIME = '2026-12-31T20:00:00+08:00';
const won = (rainId: string, n: number, differing: Partial<Claim> = {}) =>
  claimOf(rainId, n, { redPacketId: `${rainId}-${n}`, ...differing });
const paid = (claim: Claim, amount = claim.amount) => `${claimIdOf('webhook_v2', claim)},${amount},${TIME}`;
const bytes = (...lines: string[]) => Readable.from([Buffer.from(lines.join('\n'))]);

/** A rain of this provider with these claims credited, of `reserved` only asked for. */
async function paidRain(
  id: string,
  provider: PayoutProviderName,
  claims: readonly Claim[],
  reserved: readonly Claim[] = [],
) {
  await context.ledger.createRain(newRain(id, 10_000n), 'ann');
  await context.ledger.assignPayout(id, provider);
  if (provider !== 'ledger') await context.ledger.reserve([...claims, ...reserved]);
  await context.ledger.credit(claims);
  return (await context.ledger.rain(id))!;
}

describe("a wallet's statement", () => {
  it('that agrees with the book is in any order, of any rain, with any further column, quoted or not', async () => {
    const claims = [won('agree', 0, { userId: '张 三, "x"' }), won('agree', 1), won('agree', 2)];
    const rain = await paidRain('agree', 'webhook_v2', claims);
    const lines = [
      '\uFEFF"Time", AMOUNT,note,id,user',
      ...claims
        .toReversed()
        .map(
          (claim) =>
            `1795000000000,${claim.amount},"a, ""b""",${claimIdOf('webhook_v2', claim)},"${claim.userId.replaceAll('"', '""')}"`,
        ),
      '',
      `${TIME},5.00,,agree-1-7:u:5.00,`,
      '2026-12-31 20:00,5.00,,invoice 7,',
    ];
    expect(await reconcileRain(context, rain, bytes(...lines))).toEqual({
      ok: true,
      rainId: 'agree',
      agree: true,
      counts: { both: 3, wallet_only: 0, book_only: 0, amount_differs: 0, user_differs: 0, paid_twice: 0 },
      paid: '0.06',
      booked: '0.06',
      others: 2,
      differences: [],
      complete: true,
    });
  });

  it('is compared payment by payment: each difference is named with its line', async () => {
    const claims = Array.from({ length: 6 }, (_, n) => won('differ', n));
    const asked = won('differ', 6);
    const rain = await paidRain('differ', 'webhook_v2', claims, [asked]);
    const other = won('differ', 3, { userId: '=cmd()' });
    const statement = () =>
      bytes(
        HEADER,
        paid(claims[0]!),
        paid(claims[1]!, '9.99'),
        paid(claims[2]!),
        paid(claims[2]!),
        paid(other),
        paid(asked),
        paid(won('differ', 9)),
        paid(claims[4]!),
      );
    const done = await reconcileRain(context, rain, statement());
    expect(done).toMatchObject({
      ok: true,
      agree: false,
      counts: { both: 3, wallet_only: 3, book_only: 2, amount_differs: 1, user_differs: 0, paid_twice: 1 },
      paid: '10.32',
      booked: '0.21',
    });
    expect(
      done.ok &&
        done.differences.map(({ result, line, redPacketId, userId, paid: by, booked }) => [
          result,
          line,
          redPacketId,
          userId,
          by,
          booked,
        ]),
    ).toEqual([
      ['amount_differs', 3, 'differ-1', 'u1', '9.99', '0.02'],
      ['paid_twice', 5, 'differ-2', 'u2', '0.03', '0.03'],
      ['wallet_only', 6, 'differ-3', 'u3', '0.04', undefined],
      ['wallet_only', 7, 'differ-6', 'u6', '0.07', undefined],
      ['wallet_only', 8, 'differ-9', undefined, '0.10', undefined],
      ['book_only', undefined, 'differ-3', 'u3', undefined, '0.04'],
      ['book_only', undefined, 'differ-5', 'u5', undefined, '0.06'],
    ]);
    const totals = newTotals();
    const opened = reconciliationSheet(context, rain, statement(), totals, 'plain');
    const sheet = opened.ok ? await text(opened.sheet) : '';
    expect(sheet.split('\n').slice(0, 2)).toEqual([
      'result,id,redPacketId,userId,paid,booked,time,line,detail',
      `amount_differs,differ-1:u1:0.02,differ-1,u1,9.99,0.02,${TIME},3,the book has another amount`,
    ]);
    expect(summaryOf(totals)).toMatchObject({ agree: false, counts: { book_only: 2 } });
  });

  it('of a rain whose ids name the packet only is compared by user where it names him', async () => {
    const claims = [won('older', 0), won('older', 1)];
    const rain = await paidRain('older', 'webhook', claims);
    const done = await reconcileRain(
      context,
      rain,
      bytes(`${HEADER},user`, `older-0,0.01,${TIME},u0`, `older-1,0.02,${TIME},somebody`),
    );
    expect(done).toMatchObject({
      counts: { both: 1, user_differs: 1, book_only: 0 },
      differences: [{ result: 'user_differs', line: 3, userId: 'u1', detail: 'paid to somebody' }],
    });
  });

  it('that says more than the book has is told with whom it says was paid, how much, and how often', async () => {
    const [credited, asked, discarded] = [won('whom', 0), won('whom', 1), won('whom', 2)];
    const rain = await paidRain('whom', 'webhook_v2', [credited], [asked, discarded]);
    await context.ledger.discard({
      letterId: 'whom-0-2-0',
      rainId: 'whom',
      entry: JSON.stringify(discarded),
      deadReason: 'refused',
      reason: 'closed',
      actor: 'ann',
      notPaid: true,
      claim: { redPacketId: discarded.redPacketId, userId: discarded.userId, claimedCents: 3n, allocatedCents: 3n },
    });
    const row = (claim: Claim, user: string, amount = claim.amount) => `${paid(claim, amount)},${user}`;
    const done = await reconcileRain(
      context,
      rain,
      bytes(
        `${HEADER},user`,
        row(credited, 'u0'),
        row(credited, 'bob'),
        row(asked, 'bob', '9.00'),
        row(asked, 'u1'),
        row(discarded, 'u2'),
        row(won('whom', 0, { userId: 'cid' }), 'eve'),
        row(won('whom', 7), 'dan'),
      ),
    );
    expect(
      done.ok && done.differences.map(({ result, line, booked, detail }) => [result, line, booked, detail]),
    ).toEqual([
      ['paid_twice', 3, '0.01', 'this id stands in the statement before; paid to bob'],
      [
        'wallet_only',
        4,
        undefined,
        'asked, and not credited yet: see its dead letter, or wait for the queue; asked to pay 0.02; paid to bob',
      ],
      [
        'paid_twice',
        5,
        undefined,
        'this id stands in the statement before; asked, and not credited yet: see its dead letter, or wait for the queue',
      ],
      ['wallet_only', 6, undefined, 'asked, and discarded by an operator as not paid: its money went back'],
      ['wallet_only', 7, undefined, 'the book has this packet under the id whom-0:u0:0.01; paid to eve'],
      ['wallet_only', 8, undefined, 'by the book no wallet was asked to pay this packet; paid to dan'],
    ]);
  });

  it('[R12] of a rain that no wallet pays is refused with the reason', async () => {
    await context.ledger.createRain(newRain('none', 100n), 'ann');
    await context.ledger.createRain(newRain('trial', 100n, { terms: { rehearsal: true } }), 'ann');
    await paidRain('home', 'ledger', [won('home', 0)]);
    for (const [id, reason] of [
      ['home', /own ledger/],
      ['none', /no payout provider/],
      ['trial', /rehearsal/],
    ] as const) {
      expect(await reconcileRain(context, (await context.ledger.rain(id))!, bytes(HEADER))).toEqual({
        ok: false,
        refusals: [{ field: 'id', reason: expect.stringMatching(reason) as string }],
      });
    }
  });

  it.each([
    ['nothing', [''], /^line 1: expected a header line/],
    ['no amount', ['id,time', 'a,b'], /^line 1, column amount: missing, expected/],
    ['a column twice', ['id,amount,time,ID'], /^line 1, column id: it occurs twice/],
    ['semicolons', ['id;amount;time'], /^line 1, column id: missing, expected .* separated by commas/],
    ['a short row', [HEADER, `a,1.00,${TIME}`, 'a,1.00'], /^line 3: expected as many cells/],
    [
      'an amount with one decimal',
      [HEADER, `a,1.0,${TIME}`],
      /^line 2, column amount: expected a positive amount such as "12\.21"/,
    ],
    ['an amount below zero', [HEADER, `a,-1.00,${TIME}`], /^line 2, column amount/],
    ['no id', [HEADER, `,1.00,${TIME}`], /^line 2, column id: expected a claim id/],
    ['a time in words', [HEADER, 'a,1.00,yesterday'], /^line 2, column time: expected epoch milliseconds or/],
    ['an open quote', [HEADER, `"a,1.00,${TIME}`], /^line 2: .*quote/],
    ['a quote within a cell', [HEADER, `a"b,1.00,${TIME}`], /^line 2: not CSV/],
    ['a row without end', [HEADER, `"${'x\n'.repeat(20_000)}`], /^line \d+: expected a row of at most/],
  ] as [string, string[], RegExp][])(
    '[R12] with %s is refused, and names line and column',
    async (_what, lines, reason) => {
      const read = async () => {
        for await (const row of readStatement(bytes(...lines))) expect(row.line).toBe(2);
      };
      await expect(read()).rejects.toThrow(SheetRefused);
      await expect(read()).rejects.toThrow(reason);
    },
  );

  it('[R12] in another encoding is refused, and never read as payments to other users', async () => {
    const gbk = Buffer.from([0xd5, 0xc5, 0xc8, 0xfd]);
    const of = (...parts: (string | Buffer)[]) => readStatement(Readable.from(parts.map((part) => Buffer.from(part))));
    const read = async (rows: AsyncIterable<StatementRow>) => {
      for await (const row of rows) expect(row.line).toBe(2);
    };
    await expect(read(of(`${HEADER},user\na,1.00,${TIME},bob\nb,1.00,${TIME},`, gbk, '\n'))).rejects.toThrow(
      /^line 3: expected UTF-8/,
    );
    await expect(read(of(`${HEADER},note\na,1.00,${TIME},`, gbk, `\nb,1.0,${TIME},`))).rejects.toThrow(
      /^line 2: expected UTF-8/,
    );
    for (const utf16 of [
      Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'),
      Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le').swap16(),
      Buffer.from(`${HEADER}\n`, 'utf16le'),
    ]) {
      await expect(read(of(utf16))).rejects.toThrow(/^line 1: expected UTF-8/);
    }
    // A character in two chunks, and one that stands for what another program could not read.
    const [first, rest] = [
      Buffer.from(`${HEADER},user\na,1.00,${TIME},张\uFFFD`).subarray(0, -5),
      Buffer.from('张\uFFFD').subarray(1),
    ];
    await read(of(first, rest));
  });

  it('of any bytes is read or refused, and nothing else is thrown', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array(),
          fc.string().map((some) => Buffer.from(`${HEADER}\n${some}`)),
        ),
        async (some) => {
          const rows = readStatement(Readable.from([Buffer.from(some)]));
          await (async () => {
            for await (const _ of rows);
          })().catch((error: unknown) => expect(error).toBeInstanceOf(SheetRefused));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('[R10] of a hundred thousand payments is compared a thousand at a time', async () => {
    const sizes: number[] = [];
    const payoutOf = (redPacketId: string) => ({
      redPacketId,
      userId: 'u',
      amountCents: 1n,
      state: 'credited' as const,
    });
    const rows = async function* rows(): AsyncGenerator<StatementRow, void> {
      for (let n = 0; n < 100_000; n++) yield { line: n + 2, id: `big-${n}:u:0.01`, amountCents: 1n, time: TIME };
    };
    const book = {
      payouts: async (_rainId: string, ids: readonly string[]) => (sizes.push(ids.length), ids.map(payoutOf)),
      credits: async () => [],
    };
    const totals = newTotals();
    for await (const difference of differencesOf(book, { rainId: 'big', idForm: 'webhook_v2' }, rows(), totals))
      expect.unreachable(JSON.stringify(difference));
    expect([sizes.length, Math.max(...sizes), totals.counts.both]).toEqual([100, 1_000, 100_000]);
  });
});

it('[R10] a payment that the book has too takes a bit of memory, so that a rain of millions can be compared', async () => {
  const PAYMENTS = 150_000;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const heapBytes = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const book: Parameters<typeof differencesOf>[0] = {
    payouts: (_rainId, ids) =>
      Promise.resolve(
        ids.map((redPacketId) => ({ redPacketId, userId: redPacketId, amountCents: 1n, state: 'credited' })),
      ),
    credits: () => Promise.resolve([]),
  };
  async function* rows(): AsyncGenerator<StatementRow> {
    for (let n = 0; n < PAYMENTS; n++) yield { line: n + 2, id: `many-${n}`, amountCents: 1n, time: TIME };
    yield { line: PAYMENTS + 2, id: 'many-0', amountCents: 1n, time: TIME };
  }
  const totals = newTotals();
  const before = heapBytes();
  const differences = differencesOf(book, { rainId: 'many', idForm: 'webhook' }, rows(), totals);
  expect((await differences.next()).value).toMatchObject({ result: 'paid_twice', id: 'many-0' });
  expect(heapBytes() - before).toBeLessThan(2 * 2 ** 20);
  expect(totals.counts.both).toBe(PAYMENTS);
});
