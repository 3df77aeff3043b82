import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import {
  importParticipants,
  listParticipants,
  participantCards,
  PARTICIPANTS_MAX,
  removeParticipants,
  renewParticipant,
} from '../../src/operator/participants.ts';
import { eraseUser, exportUser } from '../../src/operator/personalData.ts';
import { createSigner } from '../../src/store/signer.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let database: Database;
beforeAll(async () => {
  context = await openTestContext();
  database = connectDatabase(context.databaseUrl);
});
afterAll(async () => {
  await database.$disconnect();
  await context.stop();
});

const add = (text: string) => importParticipants(context, Readable.from([Buffer.from(text)]));
const codeOf = async (number: string) =>
  (await participantCards(context)).find((card) => card.number === number)!.code!;
const enter = (code: string, signer = context.signer) => context.ledger.enterByCode(signer.participantCodeKeys(code));
const shown = async (search: string) => (await listParticipants(context, { search, limit: 10 })).participants;

test('a list is imported, and again without any effect; a code lets its person in, and the first use is written down', async () => {
  expect(await add('number,name,department\nE1,Anna Li,Sales\nE2,王小明,\n')).toMatchObject({
    ok: true,
    added: 2,
    changed: 0,
    unchanged: 0,
  });
  expect(await add('姓名,工号,部门,备注\nAnna Li,E1,Sales,x\n')).toMatchObject({
    ok: true,
    added: 0,
    changed: 0,
    unchanged: 1,
  });
  const code = await codeOf('E1');
  expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{10}$/);
  expect(await codeOf('E2')).not.toBe(code);
  expect(await shown('anna')).toMatchObject([{ number: 'E1', department: 'Sales', userId: 'participant-E1/Anna Li' }]);
  expect((await shown('anna'))[0]).not.toHaveProperty('enteredAt');
  expect(await enter(code)).toEqual({ userId: 'participant-E1/Anna Li', name: 'Anna Li' });
  const [{ enteredAt } = {}] = await shown('anna');
  expect(Date.parse(enteredAt!)).toBeGreaterThan(0);
  await enter(code);
  expect((await shown('anna'))[0]!.enteredAt).toBe(enteredAt);
  expect(await listParticipants(context, { limit: 1 })).toMatchObject({
    total: 2,
    entered: 1,
    next: 1,
    participants: [{ number: 'E1' }],
  });
  expect(await enter(code.slice(1) + code[0])).toBeUndefined();
});

test('a name that is corrected is the user until the first use; afterwards only if confirmed, and the user stays, or one person could win twice', async () => {
  await add('number,name\nE3,Bob\nE4,Carl\n');
  await enter(await codeOf('E3'));
  const refused = await add('number,name\nE4,Karl\nE3,Bobby\n');
  expect(refused).toMatchObject({
    ok: false,
    refusals: [{ field: 'line 3, column name', reason: expect.stringContaining('E3 has come in as Bob;') as string }],
  });
  expect((await shown('E4'))[0]!.name, 'nothing of it was imported').toBe('Carl');
  const code = await codeOf('E3');
  expect(
    await importParticipants(context, Readable.from([Buffer.from('number,name\nE3,Bobby\nE4,Karl\n')]), {
      rename: true,
    }),
  ).toMatchObject({ ok: true, added: 0, changed: 2, unchanged: 0 });
  expect(await enter(code)).toEqual({ userId: 'participant-E3/Bob', name: 'Bobby' });
  expect(await enter(await codeOf('E4'))).toEqual({ userId: 'participant-E4/Karl', name: 'Karl' });
  for (const change of ['"userId" = \'somebody\'', '"enteredAt" = NULL', '"number" = \'E0\''])
    await expect(
      database.$executeRawUnsafe(`UPDATE "Participant" SET ${change} WHERE "number" = 'E3'`),
      change,
    ).rejects.toThrow('keeps the number');
});

test('a number that is removed and added again has another code, and under another name it is another person', async () => {
  await add('number,name\nK1,Kim\nK2,Lou\n');
  const [kim, lou] = [await codeOf('K1'), await codeOf('K2')];
  await enter(kim);
  await enter(lou);
  await removeParticipants(context, ['K1', 'K2']);
  expect(await add('number,name\nK1,Kim\nK2,Max\n')).toMatchObject({ ok: true, added: 2, changed: 0, unchanged: 0 });
  expect([await enter(kim), await enter(lou)]).toEqual([undefined, undefined]);
  expect([await enter(await codeOf('K1')), await enter(await codeOf('K2'))]).toEqual([
    { userId: 'participant-K1/Kim', name: 'Kim' },
    { userId: 'participant-K2/Max', name: 'Max' },
  ]);
  await eraseUser(context, 'participant-K1/Kim');
  await add('number,name\nK1,Kim\n');
  expect(await enter(kim), 'an erasure does not begin the codes anew').toBeUndefined();
});

test('whoever comes back under the name on the list stays the same user, also after a corrected name, so that nobody wins twice', async () => {
  await add('number,name\nL1,Bob\n');
  await enter(await codeOf('L1'));
  await importParticipants(context, Readable.from([Buffer.from('number,name\nL1,Bobby\n')]), { rename: true });
  await removeParticipants(context, ['L1']);
  await add('number,name\nL1,Bobby\n');
  expect(await add('number,name\nL1,Robert\n'), 'before the code is used again').toMatchObject({
    ok: false,
    refusals: [{ field: 'line 2, column name' }],
  });
  expect(await enter(await codeOf('L1'))).toEqual({ userId: 'participant-L1/Bob', name: 'Bobby' });
});

test('a new code ends the one before; who is removed does not come in; each is in the audit log, and no code is', async () => {
  await add('number,name\nE5,Dora\n');
  const before = await codeOf('E5');
  const renewed = await renewParticipant(context, 'E5');
  expect(renewed).toEqual({ ok: true, code: await codeOf('E5') });
  expect([await enter(before), await enter(await codeOf('E5'))]).toEqual([
    undefined,
    { userId: 'participant-E5/Dora', name: 'Dora' },
  ]);
  const code = await codeOf('E5');
  expect(await removeParticipants(context, ['E5', 'E5', 'nobody'])).toEqual({ ok: true, removed: 1 });
  expect(await enter(code)).toBeUndefined();
  expect(await renewParticipant(context, 'E5')).toMatchObject({
    ok: false,
    refusals: [{ field: 'number', reason: expect.stringContaining('no participant E5') as string }],
  });
  const recorded = await database.operatorAction.findMany({ where: { verb: { startsWith: 'participants_' } } });
  expect(new Set(recorded.map(({ verb }) => verb))).toEqual(
    new Set(['participants_import', 'participants_cards', 'participants_renew', 'participants_remove']),
  );
  const all = JSON.stringify([recorded.map(({ details }) => details), await database.participant.findMany()]);
  for (const one of [before, code]) expect(all).not.toContain(one);
});

test('[R12] a list that cannot be read is refused with line and column, and nothing of it is imported', async () => {
  const refused = async (text: string | Buffer) => {
    const answer = await importParticipants(context, Readable.from([Buffer.from(text)]));
    if (answer.ok) throw new Error('it was imported');
    return `${answer.refusals[0]!.field}: ${answer.refusals[0]!.reason}`;
  };
  expect(await refused('name,department\nAnna,Sales\n')).toMatch(
    /^line 1, column number: missing, expected a header line/,
  );
  expect(await refused('number,name\nF1,Ann\nF2,  \n')).toMatch(
    /^line 3, column name: expected a name of 1 to 40 characters/,
  );
  expect(await refused('number,name\nF1,Ann\nF 2,Bob\n')).toMatch(/^line 3, column number: expected 1 to 32 letters/);
  expect(await refused('number,name\nF1,Ann\nF1,Bob\n')).toMatch(/^line 3, column number: F1 is in the list twice/);
  expect(await refused('number,name\nF1,Ann\nf1,Bob\n')).toMatch(
    /^line 3, column number: f1 is in the list as F1, too/,
  );
  expect(await refused('number,name\n0123,Ann\n123,Ann\n')).toMatch(
    /^line 3, column number: 123 is in the list as 0123/,
  );
  expect(await refused('number,name\ne1,Anna Li\n')).toMatch(
    /^line 2, column number: e1 is on the list as E1, expected the same spelling/,
  );
  expect(await refused('number,name\n')).toMatch(/^line 2: expected a person/);
  expect(await refused(Buffer.from('n\u00fcmber,name', 'latin1'))).toMatch(
    /^line 1: the encoding of this text is in doubt, expected UTF-8/,
  );
  expect(await refused(Buffer.from('PK\u0003\u0004\u0014\u0000\u0006\u0000'))).toMatch(
    /^list: expected a workbook that a spreadsheet has saved as \.xlsx, or the list as CSV$/,
  );
  expect(await refused('number;name\nE7;Ann\nE7')).toMatch(/^line 3, column name: expected a name/);
  expect(
    await refused(`number,name\n${Array.from({ length: PARTICIPANTS_MAX + 1 }, (_, i) => `G${i},Ann\n`).join('')}`),
  ).toMatch(new RegExp(`^line ${PARTICIPANTS_MAX + 2}: expected at most ${PARTICIPANTS_MAX} people`));
  expect(await shown('F1')).toEqual([]);
});

test('after a secret is replaced, codes hold as long as the old one is there; then their cards say nothing', async () => {
  const [first, second] = ['x'.repeat(40), 'y'.repeat(40)];
  const old = { ...context, signer: createSigner(first) };
  await importParticipants(old, Readable.from([Buffer.from('number,name\nJ1,Fay\n')]));
  const cardFor = async (secrets: string) =>
    (await participantCards({ ...context, signer: createSigner(secrets) })).find(({ number }) => number === 'J1')!;
  const { code } = await cardFor(first);
  expect(await cardFor(`${second},${first}`)).toEqual({ number: 'J1', name: 'Fay', code });
  expect(await enter(code!, createSigner(`${second},${first}`))).toMatchObject({ name: 'Fay' });
  expect([await cardFor(second), await enter(code!, createSigner(second))]).toEqual([
    { number: 'J1', name: 'Fay' },
    undefined,
  ]);
});

test('a participant is part of what is kept of a user, and goes with an erasure', async () => {
  await add('number,name,department\nE2,王小明,市场\n');
  const { userId } = (await shown('E2'))[0]!;
  await context.ledger.record({ actor: 'ann', verb: 'block', details: { userId: 'participant-E2/王晓明' } });
  expect(await exportUser(context, userId)).toMatchObject({
    ok: true,
    data: { participants: [{ number: 'E2', name: '王小明', department: '市场' }] },
  });
  expect(await eraseUser(context, userId)).toEqual({ ok: true, rows: expect.any(Number) as number });
  expect(await shown('E2')).toEqual([]);
  const left = JSON.stringify([
    await database.participant.findMany({ where: { name: '王小明' } }),
    (await database.operatorAction.findMany()).map(({ details }) => details),
  ]);
  for (const name of ['王小明', '王晓明']) expect(left).not.toContain(name);
});

test('a full list takes some seconds at most, and no more than it holds', { timeout: 60_000 }, async () => {
  const { total } = await listParticipants(context, { limit: 1 });
  const people = Array.from({ length: PARTICIPANTS_MAX - total }, (_, i) => `H${i},Person ${i}\n`).join('');
  expect(await add(`number,name\n${people}`)).toMatchObject({ ok: true, added: PARTICIPANTS_MAX - total });
  expect(await add('number,name\nI1,Eve\n')).toMatchObject({ ok: false, refusals: [{ field: 'list' }] });
  expect(await add('number,name\nH1,Person one\n')).toMatchObject({ ok: true, changed: 1 });
  const codes = new Set((await participantCards(context)).map(({ code }) => code));
  expect(codes.size).toBe(PARTICIPANTS_MAX);
  expect(await removeParticipants(context, 'all')).toEqual({ ok: true, removed: PARTICIPANTS_MAX });
  expect(await listParticipants(context, { limit: 1 })).toMatchObject({ total: 0, entered: 0 });
});

test('a list of a spreadsheet that separates its cells by semicolons is read, also in small parts', async () => {
  const list = Buffer.from('\ufeffnumber;name;department\r\nS1;"Smith; Ann";A, B and C\r\nS2;陈强;');
  expect(await importParticipants(context, Readable.from([...list].map((byte) => Buffer.from([byte]))))).toMatchObject({
    ok: true,
    added: 2,
  });
  expect(await shown('S1')).toMatchObject([{ number: 'S1', name: 'Smith; Ann', department: 'A, B and C' }]);
  expect(await shown('S2')).toMatchObject([{ name: '陈强' }]);
});

test('a search finds what was typed: %, _ and \\ are characters like others', async () => {
  await add('number,name,department\nW1,100%% sure,a_b\nW2,Wilma,axb\nW3,back\\slash,\n');
  const numbers = async (search: string) => (await shown(search)).map(({ number }) => number);
  expect([await numbers('%'), await numbers('a_b'), await numbers('\\'), await numbers('0%%')]).toEqual([
    ['W1'],
    ['W1'],
    ['W3'],
    ['W1'],
  ]);
  expect(await numbers('W_')).toEqual([]);
});
