import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rain } from '../support/call.ts';
import { startCli } from '../support/cli.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { startDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';

const REFUSAL =
  /database_times: the database \S+ changes times, .*DateStyle SQL, DMY.*nothing was done\. Run ALTER ROLE/;

describe.skipIf(!postgresInstalled)('a database that changes times', () => {
  let context: TestContext;
  let env: Record<string, string>;
  beforeAll(async () => {
    context = await openTestContext(startDatabase);
    const { redisUrl: REDIS_URL, databaseUrl: DATABASE_URL } = context;
    await execute(DATABASE_URL, `ALTER DATABASE ${new URL(DATABASE_URL).pathname.slice(1)} SET datestyle = 'SQL, DMY'`);
    env = { REDIS_URL, DATABASE_URL };
  });
  afterAll(() => context.stop());

  test.each(['worker', 'console'])('the %s refuses to start, and says what to set', async (server) => {
    const { exit, stderr } = await startCli([server], { ...env, CONSOLE_PORT: '0', JWT_SECRET: 's'.repeat(32) }).done;
    expect({ exit, stderr }).toEqual({ exit: 1, stderr: expect.stringMatching(REFUSAL) as string });
  });

  test('a command refuses, and the doctor tells it among everything else', async () => {
    expect(await rain(['list'], env)).toMatchObject({ exit: 1, stderr: expect.stringMatching(REFUSAL) as string });
    const { exit, stdout } = await rain(['doctor'], env);
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^wrong {4}database times: the database .*\n.*\n {9}to do: Run ALTER ROLE/m);
    for (const well of [/^ok {7}redis version/m, /^ok {7}database migrations/m]) expect(stdout).toMatch(well);
  });
});
