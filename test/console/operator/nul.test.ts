import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestConsole, type TestConsole } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
beforeAll(async () => {
  testConsole = await openTestConsole();
});
afterAll(() => testConsole?.stop());

test('[R12] a NUL is refused by its field wherever something can be searched for or typed', async () => {
  const typed: [string, string, unknown?][] = [
    ['GET', '/api/console/actions?actor=a%00b'],
    ['GET', '/api/console/participants?search=%00'],
    ['GET', '/api/console/sales/none/orders?user=%00'],
    ['GET', '/api/console/sales/none/orders.csv?order=%00'],
    ['GET', '/api/console/dead/orders?user=a%00'],
    ['GET', '/api/console/rains/none/winners?cursor=%00'],
    ['DELETE', '/api/console/blocks/user/a%00b'],
    ['POST', '/api/console/participants/renew', { number: 'a\0b' }],
    ['POST', '/api/console/participants/remove', { numbers: ['A1', '\0'] }],
    ['POST', '/api/console/users/export', { id: 'a\0' }],
    ['POST', '/api/console/campaigns/none/exclude-buyers', { buyersOf: '\0' }],
  ];
  const opal = await testConsole.signIn('opal');
  const fields = [];
  for (const [method, path, body] of typed) {
    const answer = await opal.ask(method, path, body);
    expect(answer, path).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    fields.push((answer.body as { refusals: { field: string; reason: string }[] }).refusals[0]);
  }
  expect(fields.map((refusal) => refusal?.field)).toEqual([
    'actor',
    'search',
    'user',
    'order',
    'user',
    'cursor',
    'who',
    'number',
    'numbers.1',
    'id',
    'buyersOf',
  ]);
});
