import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rain } from '../support/call.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

let context: TestContext;
let env: Record<string, string>;
let folder: string;
beforeAll(async () => {
  context = await openTestContext();
  env = { REDIS_URL: context.redisUrl, DATABASE_URL: context.databaseUrl };
  folder = mkdtempSync(join(tmpdir(), 'rain-test-participants-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await context.stop();
});

test('a list is imported, shown, given out as codes and links, and people are taken off it', async () => {
  const file = join(folder, 'staff.csv');
  writeFileSync(file, '\ufeff工号,姓名,部门\nE1042,Anna Li,Sales\nE1043,=SUM(1),\n');
  expect((await rain(['participants', 'import', file], env)).stdout).toBe('2 added, 0 changed, 0 unchanged\n');
  const listed = (await rain(['participants', 'list', '--search', 'sales'], env)).stdout;
  expect(listed).toContain('participant-E1042/Anna Li');
  expect(listed).toContain('2 on the list, 0 have come in');
  const codes = (await rain(['participants', 'codes', '--page', 'http://10.0.0.5:8686/'], env)).stdout;
  expect(codes).toMatch(
    /^\ufeffnumber,name,department,code,link\r\nE1042,Anna Li,Sales,([0-9A-Z]{5})-([0-9A-Z]{5}),http:\/\/10\.0\.0\.5:8686\/#code=\1\2\r\nE1043,'=SUM\(1\),,/,
  );
  const renewed = (await rain(['participants', 'renew', 'E1042', '--json'], env)).stdout;
  expect(JSON.parse(renewed)).toEqual({ number: 'E1042', code: expect.stringMatching(/^[0-9A-Z]{10}$/) as string });
  expect((await rain(['participants', 'remove', 'E1042', 'E9'], env)).stdout).toBe('1 removed\n');
  expect(JSON.parse((await rain(['participants', 'list', '--json'], env)).stdout)).toMatchObject({
    total: 1,
    participants: [{ number: 'E1043' }],
  });
  expect((await rain(['participants', 'remove', '--all'], env)).stdout).toBe('1 removed\n');
});

test('a list of an office says how it was read before it is imported, and a dry run imports nothing', async () => {
  const file = join(folder, 'gbk.csv');
  writeFileSync(file, Buffer.from('b9a4bac52cd0d5c3fb2cb1b8d7a20a47312ccdf5d0a1c3f72c780a', 'hex'));
  const read = 'read as GB18030: 工号 = number, 姓名 = name; 1 rows\n  not read: 备注\n  G1 · 王小明\n';
  expect(await rain(['participants', 'import', file, '--dry-run'], env)).toMatchObject({
    stderr: read,
    stdout: '1 added, 0 changed, 0 unchanged\ndry run: nothing was changed\n',
  });
  expect(await rain(['participants', 'import', file], env)).toMatchObject({
    stderr: read,
    stdout: '1 added, 0 changed, 0 unchanged\n',
  });
  expect((await rain(['participants', 'import', file, '--dry-run'], env)).stdout).toBe(
    '0 added, 0 changed, 1 unchanged\ndry run: nothing was changed\n',
  );
  await rain(['participants', 'remove', 'G1'], env);
});

test('[R12] what is refused names the line, the participant or the option', async () => {
  const file = join(folder, 'broken.csv');
  writeFileSync(file, 'number,name\nE1,\n');
  expect(await rain(['participants', 'import', file], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('line 2, column name: expected a name') as string,
  });
  expect(await rain(['participants', 'import', join(folder, 'none.csv')], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('file: ') as string,
  });
  expect(await rain(['participants', 'renew', 'E9'], env)).toMatchObject({
    exit: 1,
    stderr: expect.stringContaining('number: there is no participant E9') as string,
  });
  expect(await rain(['participants', 'remove', '--all', 'E1'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('either numbers or --all') as string,
  });
  expect(await rain(['participants', 'codes', '--page', 'somewhere'], env)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--page: expected an address') as string,
  });
});
