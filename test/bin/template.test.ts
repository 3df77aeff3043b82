import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '../support/servers/postgres.ts';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  expect(
    (
      await rain(
        [
          'create',
          '--id',
          'first',
          '--title',
          'Gala',
          '--budget',
          '100.00',
          '--packets',
          '10',
          '--tier',
          '1x50',
          '--min',
          '1',
          '--start',
          '+60s',
          '--duration',
          '90s',
          '--unlisted',
          '--tickets',
          'always',
          '--sender',
          'Ann Li',
          '--blessing',
          'Cheers!',
        ],
        env,
      )
    ).stdout,
  ).toBe('first\n');
});
afterAll(() => context.stop());

async function shown(id: string) {
  const { title, plan, terms, ticketRules, greeting, opensAt, closesAt } = JSON.parse(
    (await rain(['show', id, '--json'], env)).stdout,
  ) as Record<string, unknown>;
  return {
    title,
    plan,
    terms,
    ticketRules,
    greeting,
    durationMs: Date.parse(closesAt as string) - Date.parse(opensAt as string),
  };
}

test('a rain is saved as a template, and a rain from the template is like it, but for what is typed', async () => {
  expect((await rain(['template', 'list'], env)).stdout).toBe(
    'no template yet; save one with: rain template save --help\n',
  );
  expect((await rain(['template', 'save', 'party', '--from', 'first', '--title', 'Party'], env)).stdout).toMatch(
    /^party: Party\ntitle +Gala\n/,
  );
  expect((await rain(['template', 'save', 'party', '--title', 'Annual party'], env)).stdout).toMatch(
    /^party: Annual party\n/,
  );
  expect((await rain(['template', 'list'], env)).stdout).toMatch(/party +Annual party +100\.00 +10/);
  const text = (await rain(['template', 'show', 'party'], env)).stdout;
  for (const line of [
    /budget +100\.00/,
    /duration +90 s/,
    /unlisted +/,
    /tickets +tickets always, proof of work off/,
    /greeting +from Ann Li, "Cheers!"/,
  ])
    expect(text).toMatch(line);

  expect(await rain(['create', '--template', 'party', '--id', 'second', '--start', '+5m'], env)).toMatchObject({
    exit: 0,
    stdout: 'second\n',
  });
  expect(await shown('second')).toEqual(await shown('first'));
  expect(
    await rain(
      [
        'create',
        '--template',
        'party',
        '--id',
        'third',
        '--start',
        '+5m',
        '--title',
        'Small',
        '--budget',
        '50',
        '--split',
        'even',
        '--duration',
        '30s',
        '--blessing',
        'Hello',
        '--pow',
        'pressure',
      ],
      env,
    ),
  ).toMatchObject({ exit: 0 });
  expect(await shown('third')).toMatchObject({
    title: 'Small',
    plan: { budget: '50.00', packets: 10, split: { method: 'even' }, min: '1.00' },
    durationMs: 30_000,
    terms: { unlisted: true },
    greeting: { sender: 'Ann Li', blessing: 'Hello' },
    ticketRules: { tickets: 'always', proofOfWork: 'pressure' },
  });
  expect((await rain(['create', '--template', 'party', '--start', '+5m', '--dry-run'], env)).stdout).toContain(
    '100.00 would leave',
  );
  expect((await rain(['template', 'remove', 'party'], env)).stdout).toBe('party: removed\n');
});

test('[R12] what is refused names the option as it was typed, or the template that says it', async () => {
  await rain(['template', 'save', 'party', '--from', 'first', '--title', 'Party'], env);
  await execute(
    context.databaseUrl,
    `INSERT INTO "Template" ("id", "title", "rain") VALUES ('older', 'Older', '{"plan":{"budget":"5.00","packets":5,"split":{"method":"dice"}},"durationMs":60000,"luck":7}')`,
  );
  const refused = async (words: string[], exit: number, told: string) =>
    expect(await rain(words, env), words.join(' ')).toMatchObject({
      exit,
      stderr: expect.stringContaining(told) as string,
    });
  const from = (template: string, ...words: string[]) => ['create', '--template', template, '--start', '+5m', ...words];
  await refused(from('none'), 1, '--template: there is no template none');
  await refused(from('party', '--packets', '0'), 1, '--packets: 0 packets: a rain has at least 1');
  await refused(from('party', '--tier', '20x50.00'), 1, '--tier');
  await refused(
    from('party', '--max', '0.50'),
    1,
    '--template party: min: the smallest packet, 1.00, is above the largest, 0.50',
  );
  await refused(from('party', '--duration', '8d'), 1, '--duration: a rain lasts a week at most');
  await refused(from('party', '--theme', 'none'), 1, '--theme: there is no theme none');
  await refused(from('older'), 1, '--template older: split.method: expected the method');
  await refused(from('older', '--split', 'even'), 1, '--template older: rain: Unrecognized key: "luck"');
  await refused(['create', '--template', 'party'], 2, "required option '--start <moment>' not specified");
  await refused(['create', '--start', '+5m'], 2, "required option '--budget <amount>' not specified");
  expect((await rain(['template', 'list'], env)).stdout).toMatch(
    /older +Older +5\.00 +5 +.*split\.method: expected the method/,
  );
  expect((await rain(['template', 'show', 'older'], env)).stdout).toContain(
    'no longer valid: split.method: expected the method',
  );

  await refused(
    ['template', 'save', 'a b', '--from', 'first', '--title', 'x'],
    1,
    'template: expected 1 to 64 letters',
  );
  await refused(
    ['template', 'save', 'new', '--title', '…', '--from', 'first'],
    1,
    '--title: expected a title of 1 to 60 characters',
  );
  await refused(['template', 'save', 'new', '--title', 'x', '--from', 'nowhere'], 1, '--from: ');
  await refused(['template', 'save', 'new', '--title', 'x'], 1, 'template: there is no template new');
  await refused(['template', 'show', 'new'], 1, 'template: there is no template new');
  await refused(['template', 'remove', 'new'], 1, 'template: there is no template new');
});
