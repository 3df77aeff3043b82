import { setTimeout as sleep } from 'node:timers/promises';
import { connectDatabase, type Database } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import type { BookedRain } from '../../src/ledger/rains.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { readRunning, type RunningSystem } from '../../src/platform/process/runningSystem.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { connect } from '../support/rain.ts';
import { createSigner } from '../../src/store/signer.ts';

/** The whole system under one parent process, `rain up`, as started by `npm start`, with access to its data. */
interface UpSystem {
  cli: CliProcess;
  running: RunningSystem;
  context: OperatorContext;
  database: Database;
  tokenFor(userId: string): Promise<string>;
  /** Closes this process's connections. The system ends with its parent process. */
  leave(): Promise<void>;
}

/** Long, because the first start creates a database. */
const START_MS_MAX = 60_000;

/** Starts `rain up` in this home with a fixed gateway port. */
export async function startUp(home: string, gatewayPort: number, args: readonly string[]): Promise<UpSystem> {
  const cli = startCli(['up', ...args], {
    RAIN_HOME: home,
    GATEWAY_PORT: String(gatewayPort),
    CONSOLE_PORT: '0',
    LOG_LEVEL: 'warn',
  });
  const running = await Promise.race([
    eventually(
      () => {
        const found = readRunning(home);
        return found?.pid === cli.child.pid ? found! : false;
      },
      { timeoutMs: START_MS_MAX },
    ),
    cli.done.then(({ stderr }) => {
      throw new Error(`rain up ended: ${stderr}`);
    }),
  ]);
  const redis = await connect(running.redisUrl);
  const database = connectDatabase(running.databaseUrl);
  return {
    cli,
    running,
    database,
    context: { redis, ledger: openLedger(database), signer: createSigner(running.signingSecret), actor: 'test' },
    tokenFor: (sub) => signToken(running.jwtSecret, { sub, expiresInSeconds: 3_600 }),
    async leave() {
      redis.disconnect();
      await database.$disconnect();
    },
  };
}

/** The rain that the system plays next. It is in the ledger before it opens. */
export async function newestRain({ context }: UpSystem): Promise<BookedRain> {
  const rain = await eventually(
    async () => (await context.ledger.rains(1)).find(({ settledAt }) => settledAt === undefined) ?? false,
    { timeoutMs: 20_000 },
  );
  // Bots and viewers join when it is loaded.
  await eventually(async () => (await context.redis.hexists('rain:live', rain.id)) === 1);
  await sleep(50);
  return rain;
}
