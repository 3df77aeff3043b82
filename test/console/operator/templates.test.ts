import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

const PATH = '/api/console/templates';
const RAIN = {
  title: 'Annual party',
  plan: { budget: '8888.00', packets: 300 },
  durationMs: 120_000,
  terms: { invitedOnly: true },
  greeting: { sender: 'Ann Li', blessing: null },
};

let testConsole: TestConsole;
let opal: Visitor;
let vera: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole();
  [opal, vera] = [await testConsole.signIn('opal'), await testConsole.signIn('vera')];
});
afterAll(() => testConsole?.stop());

test('an operator saves a template, renames and removes it; a viewer reads it', async () => {
  const saved = { id: 'party', title: 'Party', rain: { ...RAIN, greeting: { sender: 'Ann Li' } }, refusals: [] };
  expect(await opal.ask('PUT', `${PATH}/party`, { title: 'Party', rain: RAIN })).toMatchObject({
    status: 200,
    body: saved,
  });
  expect(await vera.ask('GET', PATH)).toMatchObject({ status: 200, body: { templates: [saved] } });
  expect(await opal.ask('PUT', `${PATH}/party`, { title: 'Spring party' })).toMatchObject({
    status: 200,
    body: { ...saved, title: 'Spring party' },
  });
  for (const method of ['PUT', 'DELETE'])
    expect(await vera.ask(method, `${PATH}/party`, method === 'PUT' ? { title: 'Mine' } : undefined)).toMatchObject({
      status: 403,
      body: { code: 'not_allowed' },
    });
  expect(await opal.ask('DELETE', `${PATH}/party`)).toMatchObject({ status: 200, body: { removed: true } });
  expect(await opal.ask('DELETE', `${PATH}/party`)).toMatchObject({
    status: 422,
    body: { refusals: [{ field: 'template', reason: 'there is no template party' }] },
  });
});

test('a rain becomes a template, and a rain from the template is like it', async () => {
  const { plan, terms } = RAIN;
  const opensAt = Date.now() + 600_000;
  const like = (
    await opal.ask('POST', '/api/console/rains', {
      id: 'first',
      title: 'Gala',
      plan,
      terms,
      opensAt,
      closesAt: opensAt + 90_000,
      ticketRules: { tickets: 'always' },
      greeting: { blessing: 'Cheers!' },
    })
  ).status;
  expect(like).toBe(201);
  const { body } = await opal.ask('PUT', `${PATH}/gala`, { title: 'Gala', from: 'first' });
  const { durationMs, ...rain } = (body as { rain: { durationMs: number } }).rain;
  expect(durationMs).toBe(90_000);
  expect(
    await opal.ask('POST', '/api/console/rains', { ...rain, id: 'second', opensAt, closesAt: opensAt + durationMs }),
  ).toMatchObject({ status: 201 });
  const [first, second] = await Promise.all(
    ['first', 'second'].map(
      async (id) => (await vera.ask('GET', `/api/console/rains/${id}`)).body as Record<string, unknown>,
    ),
  );
  for (const field of ['title', 'plan', 'terms', 'ticketRules', 'greeting', 'budget', 'packets', 'closesAt'])
    expect(second![field], field).toEqual(first![field]);
});

test.each([
  ['a title that nobody can read', { title: '…', rain: RAIN }, 400, 'title'],
  [
    'a budget that is too small',
    { title: 'x', rain: { ...RAIN, plan: { budget: '1.00', packets: 200 } } },
    422,
    'rain.packets',
  ],
  [
    'a term that is none',
    { title: 'x', rain: { ...RAIN, terms: { invitedOnly: 'yes' } } },
    400,
    'rain.terms.invitedOnly',
  ],
  ['a start', { title: 'x', rain: { ...RAIN, opensAt: 0 } }, 400, 'rain'],
  ['a rain and what it says', { title: 'x', rain: RAIN, from: 'first' }, 422, 'from'],
  ['a rain there is not', { title: 'x', from: 'nowhere' }, 422, 'from'],
  ['nothing to keep', { title: 'x' }, 422, 'template'],
] as const)('[R12] %s is refused by its name, and nothing is kept', async (_what, body, status, field) => {
  expect(await opal.ask('PUT', `${PATH}/wrong`, body)).toMatchObject({ status, body: { refusals: [{ field }] } });
  expect(JSON.stringify((await vera.ask('GET', PATH)).body)).not.toContain('wrong');
});
