import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { createRain } from '../../src/operator/create.ts';
import { findTemplate, listTemplates, removeTemplate, saveTemplate } from '../../src/operator/templates.ts';
import { removeTheme, setTheme } from '../../src/operator/themes.ts';
import { TEMPLATES_MAX } from '../../src/rain/template.ts';
import { redisNow } from '../../src/store/rains.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { execute } from '../support/servers/postgres.ts';

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context.stop());

const PLAN = {
  budget: '8888.00',
  packets: 300,
  split: { method: 'tiers', tiers: [{ count: 1, amount: '888.00' }] },
  min: '1.00',
};
const RAIN = { plan: PLAN, durationMs: 120_000 };
const refusals = async (done: Promise<{ ok: boolean }>) => ((await done) as { refusals?: unknown }).refusals;
const records = async () =>
  (await context.ledger.latestActions({ limit: 500 }))
    .filter(({ verb }) => verb.startsWith('template'))
    .map(({ verb, details }) => ({ verb, details }))
    .reverse();

test('a template is saved, renamed, replaced and removed, with a record each time', async () => {
  await setTheme(context, { id: 'spring', title: 'Spring' });
  const full = {
    ...RAIN,
    title: 'Annual party',
    shards: 4,
    terms: { invitedOnly: true, unlisted: false },
    ticketRules: { tickets: 'always' },
    greeting: { sender: 'Ann Li', blessing: '恭喜发财', theme: 'spring' },
  };
  const kept = { ...full, terms: { invitedOnly: true }, ticketRules: { tickets: 'always', proofOfWork: 'off' } };
  expect(await saveTemplate(context, { id: 'party', title: ' Party ', rain: full })).toEqual({
    ok: true,
    template: { id: 'party', title: 'Party', rain: kept, refusals: [], changedAt: expect.any(String) },
  });
  expect(
    await saveTemplate(context, { id: 'party', title: 'Party of the year' }),
    'without a rain it keeps its own',
  ).toMatchObject({ ok: true, template: { title: 'Party of the year', rain: kept } });
  expect(
    await saveTemplate(context, { id: 'party', title: 'Party', rain: RAIN }),
    'nothing of the old one stays',
  ).toMatchObject({ ok: true, template: { rain: { ...RAIN, terms: {} } } });
  expect(Object.keys((await listTemplates(context)).templates[0]!.rain).sort()).toEqual([
    'durationMs',
    'plan',
    'terms',
  ]);
  expect(await removeTemplate(context, 'party')).toEqual({ ok: true, removed: true });
  expect(await listTemplates(context)).toEqual({ templates: [] });
  expect(await records()).toEqual([
    {
      verb: 'template_save',
      details: {
        template: 'party',
        title: 'Party',
        budget: '8888.00',
        packets: 300,
        invitedOnly: true,
        tickets: 'always',
        proofOfWork: 'off',
        sender: 'Ann Li',
        blessing: '恭喜发财',
        theme: 'spring',
      },
    },
    { verb: 'template_save', details: { template: 'party', title: 'Party of the year' } },
    { verb: 'template_save', details: { template: 'party', title: 'Party', budget: '8888.00', packets: 300 } },
    { verb: 'template_remove', details: { template: 'party' } },
  ]);
});

test('[R12] the rule is that of a new rain: what no rain can be is refused by its name, and nothing is kept', async () => {
  const save = (rain: unknown) => refusals(saveTemplate(context, { id: 'wrong', title: 'Wrong', rain }));
  expect(await save({ ...RAIN, plan: { budget: '1.00', packets: 200 } })).toEqual([
    { field: 'rain.packets', reason: expect.stringContaining('more than the budget') as string },
  ]);
  expect(await save({ ...RAIN, durationMs: 0 })).toEqual([
    { field: 'rain.durationMs', reason: 'expected milliseconds, above zero' },
  ]);
  expect(await save({ ...RAIN, durationMs: 8 * 86_400_000 })).toEqual([
    { field: 'rain.durationMs', reason: 'a rain lasts a week at most' },
  ]);
  expect(await save({ ...RAIN, terms: { excludeEarlierWinners: true } })).toMatchObject([
    { field: 'rain.terms.excludeEarlierWinners' },
  ]);
  expect(await save({ ...RAIN, greeting: { theme: 'none' } })).toEqual([
    { field: 'rain.greeting.theme', reason: 'there is no theme none' },
  ]);
  expect(await save({ ...RAIN, opensAt: 0 })).toEqual([
    { field: 'rain', reason: expect.stringContaining('opensAt') as string },
  ]);
  for (const none of ['text', 7, [], null])
    expect(await save(none), String(none)).toEqual(
      expect.arrayContaining([{ field: 'rain', reason: 'expected an object with plan and durationMs' }]),
    );
  expect(await refusals(saveTemplate(context, { id: 'a b', title: '…', rain: RAIN }))).toMatchObject([
    { field: 'id' },
    { field: 'title', reason: expect.stringContaining('1 to 60 characters') as string },
  ]);
  expect(await refusals(saveTemplate(context, { id: 'wrong', title: 'Wrong' }))).toEqual([
    { field: 'template', reason: 'there is no template wrong' },
  ]);
  expect(await refusals(saveTemplate(context, { id: 'wrong', title: 'Wrong', rain: RAIN, from: 'r1' }))).toMatchObject([
    { field: 'from' },
  ]);
  expect(await refusals(saveTemplate(context, { id: 'wrong', title: 'Wrong', from: 'nowhere' }))).toMatchObject([
    { field: 'from' },
  ]);
  expect(await refusals(removeTemplate(context, 'wrong'))).toEqual([
    { field: 'template', reason: 'there is no template wrong' },
  ]);
  expect(await listTemplates(context)).toEqual({ templates: [] });
});

test('it is taken from a rain, or from a round without what only rounds have', async () => {
  const now = await redisNow(context.redis);
  const times = { opensAt: now + 60_000, closesAt: now + 180_000 };
  await createRain(context, {
    id: 'r1',
    title: 'New year',
    plan: PLAN,
    ...times,
    shards: 2,
    terms: { unlisted: true },
    ticketRules: { tickets: 'pressure' },
    greeting: { blessing: 'Cheers!' },
  });
  expect(await saveTemplate(context, { id: 'like', title: 'Like r1', from: 'r1' })).toMatchObject({
    ok: true,
    template: {
      rain: {
        title: 'New year',
        plan: PLAN,
        durationMs: 120_000,
        shards: 2,
        terms: { unlisted: true },
        ticketRules: { tickets: 'pressure', proofOfWork: 'off' },
        greeting: { blessing: 'Cheers!' },
      },
    },
  });
  await createCampaign(context, { id: 'autumn', winsPerUserMax: 1 });
  expect(
    await createRain(context, {
      plan: { budget: '5.00', packets: 5 },
      ...times,
      campaign: { id: 'autumn', round: 1 },
      terms: { excludeEarlierWinners: true },
    }),
  ).toMatchObject({ ok: true });
  const saved = await saveTemplate(context, { id: 'round', title: 'Like a round', from: 'autumn.1' });
  expect(saved.ok && saved.template.rain).toEqual({
    plan: { budget: '5.00', packets: 5 },
    durationMs: 120_000,
    terms: {},
  });
  for (const id of ['like', 'round']) await removeTemplate(context, id);
});

test('[R12] one that is no longer valid is listed with the reason; it can be removed, renamed or saved anew', async () => {
  await saveTemplate(context, { id: 'fine', title: 'Fine', rain: RAIN });
  await saveTemplate(context, { id: 'themed', title: 'Themed', rain: { ...RAIN, greeting: { theme: 'spring' } } });
  await removeTheme(context, 'spring');
  for (const [id, rain] of [
    ['older', { ...RAIN, plan: { ...PLAN, split: { method: 'dice' } } }],
    ['strange', 'text'],
    ['empty', null],
  ] as const) {
    await execute(
      context.databaseUrl,
      `INSERT INTO "Template" ("id", "title", "rain") VALUES ('${id}', '${id}', '${JSON.stringify(rain)}')`,
    );
  }
  const { templates } = await listTemplates(context);
  expect(
    Object.fromEntries(templates.map(({ id, refusals: reasons }) => [id, reasons.map(({ field }) => field)])),
  ).toEqual({
    fine: [],
    themed: ['greeting.theme'],
    older: ['split.method'],
    strange: expect.arrayContaining(['rain']) as string[],
    empty: expect.arrayContaining(['rain']) as string[],
  });
  expect(await saveTemplate(context, { id: 'older', title: 'Renamed' })).toMatchObject({
    ok: true,
    template: { title: 'Renamed', refusals: [{ field: 'split.method' }] },
  });
  expect(await saveTemplate(context, { id: 'older', title: 'Anew', rain: RAIN })).toMatchObject({
    ok: true,
    template: { refusals: [] },
  });
  expect(await removeTemplate(context, 'strange')).toMatchObject({ ok: true });
  expect(await findTemplate(context, 'strange')).toMatchObject({ ok: false });
  for (const id of ['fine', 'themed', 'older', 'empty']) await removeTemplate(context, id);
});

test('[R10] there are a hundred templates at most, however many are saved at once', async () => {
  const save = (n: number) => saveTemplate(context, { id: `t${n}`, title: `Template ${n}`, rain: RAIN });
  for (let n = 3; n < TEMPLATES_MAX; n++) expect(await save(n)).toMatchObject({ ok: true });
  const saved = await Promise.all([0, 1, 2, 100, 101].map(save));
  expect(saved.filter(({ ok }) => !ok)).toEqual(
    Array.from({ length: 2 }, () => ({
      ok: false,
      refusals: [{ field: 'id', reason: 'there are 100 templates, which is the most; remove one first' }],
    })),
  );
  expect((await listTemplates(context)).templates).toHaveLength(TEMPLATES_MAX);
  expect(await save(50), 'one that is there may change').toMatchObject({ ok: true });
});
