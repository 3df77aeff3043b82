import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { z } from 'zod';
import { compiledEntry, startChild } from '../../src/platform/process/childProcess.ts';
import { SECRET } from '../support/client.ts';
import { startDatabase } from '../support/servers/database.ts';
import { startRedis } from '../support/servers/redis.ts';
import { buildShippedPage } from './built-page.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

const RAIN = compiledEntry('bin/rain.js');
const address = z.object({ url: z.string() });

/** The system as deployed: Redis, PostgreSQL, and gateway, worker and console as separate processes. */
export interface Deployment {
  consoleUrl: string;
  /** `ws://…` */
  gatewayUrl: string;
  /** Runs `rain` with these arguments and this standard input, and returns its output. */
  rainTold(input: string, ...args: string[]): Promise<string>;
  /** The user's balance in the ledger, in cents; `undefined`: there is no such account. */
  balanceOf(userId: string): Promise<string | undefined>;
  end(): Promise<void>;
}

export async function deploy(): Promise<Deployment> {
  const ends: (() => Promise<void> | void)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  try {
    const home = mkdtempSync(join(tmpdir(), 'rain-test-deployment-'));
    ends.push(() => rmSync(home, { recursive: true, force: true }));
    const [redis, database] = [await startRedis(), await startDatabase()];
    ends.push(
      () => redis.stop(),
      () => database.stop(),
    );
    await buildShippedPage();
    const env: Record<string, string> = {
      REDIS_URL: redis.url,
      DATABASE_URL: database.url,
      JWT_SECRET: SECRET,
      SIGNING_SECRET,
      JWKS_URL: '',
      JWT_ISSUER: '',
      JWT_AUDIENCE: '',
      ALLOWED_ORIGINS: '',
      GATEWAY_HOST: '127.0.0.1',
      CONSOLE_HOST: '127.0.0.1',
      GATEWAY_PORT: '0',
      CONSOLE_PORT: '0',
      GATEWAY_PUBLIC_URL: '',
      RAIN_HOME: home,
      LOG_LEVEL: 'warn',
    };
    const start = async <Facts>(
      name: string,
      facts: z.ZodType<Facts>,
      args: string[] = [],
      extra: Record<string, string> = {},
    ): Promise<Facts> => {
      const started = await startChild({
        name,
        entry: RAIN,
        args: [name, ...args],
        env: { ...env, ...extra },
        logs: home,
        facts,
      });
      if (!started.ok) throw new Error(started.reason);
      ends.push(() => started.child.stop());
      return started.child.facts;
    };
    const gateway = await start('gateway', address);
    await start('worker', z.object({}));
    const page = await start('console', address, ['--guests'], { GATEWAY_PUBLIC_URL: gateway.url });
    const run = promisify(execFile);
    const rainTold = async (input: string, ...args: string[]) => {
      const told = run(process.execPath, [RAIN, ...args], { env: { ...process.env, ...env } });
      told.child.stdin?.end(input);
      return (await told).stdout;
    };
    return {
      consoleUrl: page.url,
      gatewayUrl: gateway.url,
      end,
      rainTold,
      balanceOf: (userId) => balanceOf(database.url, userId),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function balanceOf(databaseUrl: string, userId: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ balanceCents: string }>(
      'SELECT "balanceCents" FROM "Account" WHERE id = $1',
      [`user:${userId}`],
    );
    return rows[0]?.balanceCents;
  } finally {
    await client.end();
  }
}
