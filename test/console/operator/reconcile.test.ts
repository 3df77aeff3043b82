import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimIdOf } from '../../../src/credit/claimId.ts';
import { claimOf, newRain } from '../../ledger/claims.ts';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let vera: Visitor;
const claims = [
  claimOf('hook', 0, { redPacketId: 'hook-0' }),
  claimOf('hook', 1, { redPacketId: 'hook-1', userId: '@SUM(A1)' }),
];
const row = (n: number) => `${claimIdOf('webhook_v2', claims[n]!)},${claims[n]!.amount},1795000000000`;
beforeAll(async () => {
  testConsole = await openTestConsole();
  vera = await testConsole.signIn('vera');
  for (const [id, provider] of [
    ['hook', 'webhook_v2'],
    ['home', 'ledger'],
  ] as const) {
    await testConsole.ledger.createRain(newRain(id, 1_000n), 'ann');
    await testConsole.ledger.assignPayout(id, provider);
  }
  await testConsole.ledger.reserve(claims);
  await testConsole.ledger.credit(claims);
});
afterAll(() => testConsole?.stop());

async function post(
  rainId: string,
  end: '' | '.csv',
  lines: readonly string[],
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string | null; text: string }> {
  const answer = await fetch(`${testConsole.url}/api/console/rains/${rainId}/reconcile${end}`, {
    method: 'POST',
    headers: { cookie: vera.cookie, 'x-csrf-token': vera.csrf, 'content-type': 'text/csv', ...headers },
    body: lines.join('\n'),
  });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    text: Buffer.from(await answer.arrayBuffer()).toString(),
  };
}

test('a viewer compares a rain with the statement of its wallet, and downloads what differs', async () => {
  const whole = await post('hook', '', ['id,amount,time', row(0), row(1)]);
  expect([whole.status, JSON.parse(whole.text)]).toMatchObject([
    200,
    { agree: true, counts: { both: 2 }, paid: '0.03', booked: '0.03', differences: [], complete: true },
  ]);
  const short = ['time,id,amount', `1795000000000,${claimIdOf('webhook_v2', claims[0]!)},0.01`];
  expect(JSON.parse((await post('hook', '', short)).text)).toMatchObject({
    agree: false,
    differences: [{ result: 'book_only', userId: '@SUM(A1)' }],
  });
  const csv = await post('hook', '.csv', short);
  expect([csv.status, csv.type]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(csv.text).toBe(
    `\uFEFFresult,id,redPacketId,userId,paid,booked,time,line,detail\r\nbook_only,hook-1:%40SUM(A1):0.02,hook-1,'@SUM(A1),,0.02,,,"credited, and not in the statement"\r\n`,
  );
});

test('[R12] a statement that cannot be read is refused with line and column, before anything is downloaded', async () => {
  for (const end of ['', '.csv'] as const) {
    const refused = (lines: readonly string[], rainId = 'hook') =>
      post(rainId, end, lines).then(({ status, text }) => [status, JSON.parse(text)] as unknown);
    expect(await refused(['id,amount,time', row(0), 'a,1,1795000000000'])).toMatchObject([
      400,
      { code: 'bad_request', refusals: [{ field: 'line 3, column amount' }] },
    ]);
    expect(await refused(['id,amount,time'], 'home')).toMatchObject([
      422,
      { refusals: [{ field: 'id', reason: expect.stringContaining('own ledger') as string }] },
    ]);
    expect(await refused(['id,amount,time'], 'nowhere')).toMatchObject([404, { code: 'no_such_rain' }]);
    expect(JSON.parse((await post('hook', end, ['{}'], { 'content-type': 'application/json' })).text)).toMatchObject({
      code: 'bad_request',
      refusals: [{ field: 'body', reason: 'expected the statement as text/csv' }],
    });
    expect(
      await refused(['id,amount,time', ...(Array(140_000).fill(row(0)) as string[]), 'x'.repeat(4_000_000)]),
    ).toMatchObject([413, { code: 'too_big' }]);
  }
});
