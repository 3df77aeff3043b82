import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRain } from '../../../src/operator/create.ts';
import { writeOffRain } from '../../../src/operator/writeOff.ts';
import { shardKeys } from '../../../src/store/keys.ts';
import { execute } from '../../support/servers/postgres.ts';
import { addAccount, openTestConsole, type TestConsole, type Visitor } from '../../support/servers/testConsole.ts';

let testConsole: TestConsole;
let ann: Visitor;
let ben: Visitor;
beforeAll(async () => {
  testConsole = await openTestConsole({}, { approvalAboveCents: 100_000n });
  for (const name of ['ann', 'ben']) await addAccount(testConsole, name, 'operator');
  [ann, ben] = [await testConsole.signIn('ann'), await testConsole.signIn('ben')];
});
afterAll(() => testConsole?.stop());

const PATH = '/api/console/approvals';
interface Waiting {
  id: string;
  verb: string;
  rainId: string;
  state: string;
  amount: string;
  askedBy: string;
  decision?: { by: string };
  request: Record<string, unknown>;
}
const listed = async (visitor = ben) => ((await visitor.ask('GET', PATH)).body as { approvals: Waiting[] }).approvals;
const waitingFor = async (rainId: string) => (await listed()).find((one) => one.rainId === rainId)!;

const opensAt = Date.now() + 3_600_000;
const rain = (id: string, budget: string) => ({
  id,
  opensAt,
  closesAt: opensAt + 60_000,
  plan: { budget, packets: 10 },
});
const create = (id: string, budget = '5000.00', more: object = {}) =>
  ann.ask('POST', '/api/console/rains', { ...rain(id, budget), ...more });
const verbsOf = async (id: string) => (await testConsole.ledger.actions(id)).map(({ actor, verb }) => [actor, verb]);

test('a rain above the amount waits with its parameters, and another operator creates it, once, with both names', async () => {
  const refused = await create('big');
  expect(refused).toMatchObject({ status: 403, body: { code: 'needs_approval' } });
  expect(await testConsole.ledger.rain('big')).toBeUndefined();
  const waiting = await waitingFor('big');
  expect(waiting).toMatchObject({
    verb: 'create',
    state: 'waiting',
    amount: '5000.00',
    askedBy: 'console:ann',
    request: { id: 'big', plan: { budget: '5000.00', packets: 10 }, opensAt },
  });
  expect(JSON.stringify(refused.body)).toContain(waiting.id);
  const both = await Promise.all([
    ben.ask('POST', `${PATH}/${waiting.id}/approve`),
    ben.ask('POST', `${PATH}/${waiting.id}/approve`),
  ]);
  expect(both.map(({ status }) => status)).toContain(200);
  expect(await waitingFor('big')).toMatchObject({
    state: 'carried_out',
    decision: { by: 'console:ben', isApproved: true },
  });
  expect((await testConsole.ledger.rain('big'))!.budgetCents).toBe(500_000n);
  expect(await verbsOf('big')).toEqual([
    ['console:ann', 'approval_ask'],
    ['console:ben', 'approval_approve'],
    ['console:ann', 'create'],
  ]);
  expect(await ben.ask('POST', `${PATH}/${waiting.id}/approve`)).toMatchObject({
    status: 422,
    body: { reason: expect.stringContaining('carried_out') as string },
  });
});

test('a seed that was given is shown to nobody: it predicts every packet', async () => {
  const seed = 'ab'.repeat(32);
  expect(
    await createRain({ ...testConsole, actor: 'cli:ann', approvalAboveCents: 1n }, { ...rain('seeded', '5.00'), seed }),
  ).toMatchObject({ ok: false, refusals: [{ field: 'needs_approval' }] });
  const waiting = await waitingFor('seeded');
  expect(JSON.stringify([waiting, await testConsole.ledger.actions('seeded')])).not.toContain('abab');
  expect((await ben.ask('POST', `${PATH}/${waiting.id}/approve`)).status).toBe(200);
  expect((await testConsole.ledger.rain('seeded'))!.seed).toBe(seed);
});

test('a write-off waits, and is carried out once by whoever approves it', async () => {
  expect((await ben.ask('POST', '/api/console/rains/big/load')).status).toBe(200);
  expect((await ben.ask('POST', '/api/console/rains/big/start')).status).toBe(200);
  await testConsole.redis.flushdb();
  [ann, ben] = [await testConsole.signIn('ann'), await testConsole.signIn('ben')];
  const writeOff = () =>
    writeOffRain({ ...testConsole, actor: 'cli:ann', approvalAboveCents: 100_000n }, 'big', 'Redis was flushed');
  expect(await writeOff()).toMatchObject({ ok: false, refusals: [{ field: 'needs_approval' }] });
  expect((await testConsole.ledger.rain('big'))!.sealedAt).toBeUndefined();
  const { id, request } = (await listed()).find(({ verb }) => verb === 'write-off')!;
  expect(request).toEqual({ reason: 'Redis was flushed', newDatabase: false });
  expect(await ann.ask('POST', `${PATH}/${id}/approve`)).toMatchObject({ status: 422 });
  expect((await ben.ask('POST', `${PATH}/${id}/approve`)).status).toBe(200);
  expect((await testConsole.ledger.rain('big'))!.settledAt).toBeDefined();
});

test('what is not above the amount, a dry run and a rehearsal wait for nobody', async () => {
  expect((await create('small', '1000.00')).status).toBe(201);
  expect((await create('dry', '5000.00', { dryRun: true })).status).toBe(201);
  expect((await create('test-money', '5000.00', { terms: { rehearsal: true } })).status).toBe(201);
});

test('who has asked approves nothing, neither at the console nor at the command line; nor does a viewer', async () => {
  await create('own');
  const { id } = await waitingFor('own');
  expect(await ann.ask('POST', `${PATH}/${id}/approve`)).toMatchObject({
    status: 422,
    body: { reason: expect.stringContaining('another operator') as string },
  });
  expect((await (await testConsole.signIn('vera')).ask('POST', `${PATH}/${id}/approve`)).status).toBe(403);
  const asked = (await testConsole.ledger.approval(id))!;
  await expect(testConsole.ledger.decideApproval(asked, 'cli:ann', true)).rejects.toThrow(/two_people/);
  expect(await waitingFor('own')).toMatchObject({ state: 'waiting' });
  expect(await ben.ask('POST', `${PATH}/${'0'.repeat(18)}/approve`)).toMatchObject({ status: 422 });
});

test('what was refused, or was not approved in time, is never carried out', async () => {
  await create('no');
  await create('late');
  const [no, late] = [await waitingFor('no'), await waitingFor('late')];
  expect(await ben.ask('POST', `${PATH}/${no.id}/refuse`)).toMatchObject({ status: 200, body: { state: 'refused' } });
  await execute(testConsole.databaseUrl, `UPDATE "Approval" SET "expiresAt" = now() WHERE "id" = '${late.id}'`);
  for (const { id } of [no, late])
    expect(await ben.ask('POST', `${PATH}/${id}/approve`)).toMatchObject({ status: 422 });
  expect(await ben.ask('POST', `${PATH}/${late.id}/refuse`)).toMatchObject({
    status: 422,
    body: { reason: expect.stringContaining('ended') as string },
  });
  expect([await testConsole.ledger.rain('no'), await testConsole.ledger.rain('late')]).toEqual([undefined, undefined]);
});

test('many small top-ups are a large one: the whole rain counts; asked twice, one waits', async () => {
  await create('grows', '900.00');
  const topUp = () => ann.ask('POST', '/api/console/rains/grows/top-up', { id: 'more', budget: '200.00', packets: 2 });
  expect(await topUp()).toMatchObject({ status: 403, body: { code: 'needs_approval' } });
  expect(await topUp()).toMatchObject({ status: 403 });
  const waiting = (await listed()).filter(({ rainId }) => rainId === 'grows');
  expect(waiting).toMatchObject([
    { verb: 'top-up', amount: '200.00', request: { id: 'more', budget: '200.00', packets: 2 } },
  ]);
  expect((await ben.ask('POST', `${PATH}/${waiting[0]!.id}/approve`)).status).toBe(200);
  expect((await testConsole.ledger.rain('grows'))!.budgetCents).toBe(110_000n);
  expect((await topUp()).status).toBe(200);
});

test('[R8] top-ups at the same moment are counted together, and those above the amount wait', async () => {
  await create('crowded', '200.00');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      ann.ask('POST', '/api/console/rains/crowded/top-up', { id: `crowded-${i}`, budget: '300.00', packets: 3 }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403, 403, 403, 403]);
  expect((await testConsole.ledger.rain('crowded'))!.budgetCents).toBe(80_000n);
  expect((await listed()).filter(({ rainId }) => rainId === 'crowded')).toHaveLength(6);
});

test('what is approved and refused for now stays approved, and can be approved again', async () => {
  await create('meanwhile');
  const { id } = await waitingFor('meanwhile');
  await testConsole.redis.set(shardKeys('meanwhile', 0).state, 'x');
  expect((await ben.ask('POST', `${PATH}/${id}/approve`)).status).toBeGreaterThanOrEqual(400);
  expect(await waitingFor('meanwhile')).toMatchObject({ state: 'approved' });
  await testConsole.redis.del(shardKeys('meanwhile', 0).state);
  expect(await ben.ask('POST', `${PATH}/${id}/approve`)).toMatchObject({ status: 200, body: { state: 'carried_out' } });
});

test('[R10] many small requests hide no large one: the largest waits at the top, and one operator asks for so many at most', async () => {
  const [carl] = [{ ...testConsole, actor: 'cli:carl', approvalAboveCents: 1n }];
  await create('largest', '99999.00');
  const answers = [];
  for (let i = 0; i < 205; i++) answers.push(await createRain(carl, rain(`tiny-${i}`, '5.00')));
  expect((await listed())[0]).toMatchObject({ rainId: 'largest', state: 'waiting' });
  const waiting = (await listed()).filter(({ askedBy, state }) => askedBy === 'cli:carl' && state === 'waiting');
  expect(waiting.length).toBe(100);
  expect(answers.at(-1)).toMatchObject({
    ok: false,
    refusals: [{ field: 'approval', reason: expect.stringContaining('expected at most 100') as string }],
  });
  expect(await createRain(carl, rain('tiny-0', '5.00')), 'the same again is told what waits').toMatchObject({
    refusals: [
      {
        field: 'needs_approval',
        reason: expect.stringContaining(waiting.find(({ rainId }) => rainId === 'tiny-0')!.id) as string,
      },
    ],
  });
});
