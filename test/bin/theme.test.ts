import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { pngOf } from '../support/png.ts';

let context: TestContext;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  folder = mkdtempSync(join(tmpdir(), 'rain-test-theme-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await context.stop();
});

const CREATE = ['create', '--budget', '5.00', '--packets', '5', '--start', '+60s', '--duration', '60s'];

test('a theme is made, filled and shown; a rain gets it with its greeting, at its creation and later', async () => {
  const logo = join(folder, 'logo.png');
  writeFileSync(logo, pngOf(64, 64, [200, 30, 40]));
  expect((await rain(['theme', 'list'], env)).stdout).toBe('no theme yet; make one with: rain theme set --help\n');
  expect(
    (await rain(['theme', 'set', 'spring', '--title', 'Spring', '--background', '#123456', '--default'], env)).stdout,
  ).toBe('spring: Spring, the default theme\nbackground #123456\n');
  expect((await rain(['theme', 'file', 'spring', 'logo', logo], env)).stdout).toMatch(/logo: image\/webp, \d+ bytes/);
  expect((await rain(['theme', 'list'], env)).stdout).toMatch(/spring +Spring +yes +background #123456 +logo/);

  expect(
    (await rain([...CREATE, '--id', 'r1', '--sender', 'Ann Li', '--blessing', '恭喜发财', '--theme', 'spring'], env))
      .stdout,
  ).toBe('r1\n');
  expect((await rain(['show', 'r1'], env)).stdout).toMatch(/greeting +from Ann Li, "恭喜发财", theme spring/);
  expect((await rain(['greeting', 'r1', '--blessing', 'Cheers!'], env)).stdout).toBe('r1: "Cheers!"\n');
  expect(JSON.parse((await rain(['greeting', 'r1', '--json'], env)).stdout)).toEqual({
    rainId: 'r1',
    blessing: 'Cheers!',
  });
  expect((await rain(['greeting', 'r1', '--prize', '9=Well done', '--prize', '88.00=Grand = prize'], env)).stdout).toBe(
    'r1: from 88.00 "Grand = prize", from 9.00 "Well done"\n',
  );
  expect(await rain(['greeting', 'r1', '--prize', 'much'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--prize') as string,
  });
  expect(await rain(['greeting', 'r1', '--prize', '9=Well', '--prize', '9.00=done'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('--prize') as string,
  });
  expect((await rain(['greeting', 'r1', '--none'], env)).stdout).toBe(
    'r1: no sender, no blessing, the default theme\n',
  );

  expect((await rain(['theme', 'file', 'spring', 'logo', '--remove'], env)).stdout).not.toContain('logo');
  expect((await rain(['theme', 'set', 'spring', '--title', 'Spring', '--no-default', '--json'], env)).stdout).toContain(
    '"isDefault":false',
  );
  expect((await rain(['theme', 'remove', 'spring'], env)).stdout).toBe('spring: removed\n');
});

test('[R12] what is refused names the option, the kind or the theme', async () => {
  const file = join(folder, 'page.png');
  writeFileSync(file, '<script>alert(1)</script>');
  expect(await rain(['theme', 'set', 'light', '--title', 'Light', '--background', '#ffffff'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining("--background: the page's text #ffe9bd on it has a contrast of 1.1") as string,
  });
  expect(await rain(['theme', 'set', 'a b', '--title', 'x'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('id: expected 1 to 64 letters') as string,
  });
  expect(await rain(['theme', 'file', 'spring', 'logo', file], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('logo: expected a whole picture') as string,
  });
  expect(await rain(['theme', 'file', 'spring', 'icon', file], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Allowed choices are logo') as string,
  });
  expect(await rain(['theme', 'file', 'spring', 'logo'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('expected either a file or --remove') as string,
  });
  expect(await rain(['theme', 'remove', 'none'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('theme: there is no theme none') as string,
  });
  expect(await rain([...CREATE, '--theme', 'none'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('--theme: there is no theme none') as string,
  });
  expect(await rain([...CREATE, '--blessing', 'x'.repeat(121)], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('--blessing: expected a blessing of 1 to 120 characters') as string,
  });
  expect(await rain(['greeting', 'r1', '--none', '--sender', 'Ann'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--none') as string,
  });
  expect(await rain(['greeting', 'nowhere', '--sender', 'Ann'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('id: ') as string,
  });
});
