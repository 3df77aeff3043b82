import { describe, expect, test, type TestContext } from 'vitest';
import { Client as PgClient } from 'pg';
import { createCreditQueue } from '../../src/credit/queue.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { QUEUE_PREFIX, shardKeys } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { createRain } from '../../src/operator/create.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { loadRain } from '../../src/operator/load.ts';
import type { GoodbyeMessage, ResultMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { connectRedis } from '../../src/platform/redis/connect.ts';
import { SERVER_DEADLINE_MS } from '../../src/platform/process/shutdown.ts';
import { startCli, type CliProcess } from '../support/cli.ts';
import { dial, SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { startDatabase } from '../support/servers/database.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { connect, stockRain } from '../support/rain.ts';
import { startRedis } from '../support/servers/redis.ts';
import { openWorker } from '../support/servers/worker.ts';
import { signer } from '../support/signer.ts';

type Finish = Pick<TestContext, 'onTestFinished'>;

/**
 * A Redis of one test: tests run side by side, since most of it is waiting for a process that works in its own time.
 */
async function ownRedis({ onTestFinished }: Finish) {
  const server = await startRedis();
  const redis = await connect(server.url);
  onTestFinished(async () => {
    redis.disconnect();
    await server.stop();
  });
  return { server, redis };
}

/** Ends with its test, also with one that fails. */
function start({ onTestFinished }: Finish, command: 'gateway' | 'worker', env: Record<string, string>): CliProcess {
  const started = startCli([command], env);
  onTestFinished(() => void started.child.kill('SIGKILL'));
  return started;
}

/**
 * Ends it as a parent does. Exit code 0 says, by the process's own clock, that the deadline, after which it is cut off
 * with another one and two seconds before a parent of ours kills, was kept.
 * @returns how long after SIGTERM it came, ms
 */
async function terminate({ child, done }: CliProcess): Promise<number> {
  const since = performance.now();
  child.kill('SIGTERM');
  const { exit, stderr } = await done;
  expect(stderr).not.toMatch(/not everything was closed/);
  expect(exit).toBe(0);
  return performance.now() - since;
}

describe.concurrent('SIGTERM of a gateway', () => {
  const USERS = 500;

  /** Grabs again with every answer, so that the signal meets grabs in every state. */
  async function impatient(url: string, userId: string, onAnswer: () => void) {
    const client = await dial(url, userId);
    const heard: ServerMessage[] = [];
    client.socket.on('message', (data) => {
      const message = JSON.parse(String(data)) as ServerMessage;
      heard.push(message);
      if (message.type !== 'result') return;
      onAnswer();
      client.say({ type: 'grab', rainId: 'storm' });
    });
    client.say({ type: 'grab', rainId: 'storm' });
    return { userId, heard, closed: client.closed };
  }

  test('[R4][R6] amid 2,000 grabs: every answer was true, every win was sent, every player is asked to reconnect, exit 0', async (context) => {
    const { server, redis } = await ownRedis(context);
    await stockRain(redis, { rainId: 'storm', amounts: Array.from({ length: 300 }, () => '1.00') });
    const gateway = start(context, 'gateway', {
      REDIS_URL: server.url,
      JWT_SECRET: SECRET,
      GATEWAY_PORT: '0',
      LOG_LEVEL: 'info',
    });
    const port = await eventually(() => /"port":(\d+),"msg":"gateway open"/.exec(gateway.stderr())![1]!, {
      timeoutMs: 20_000,
    });
    let answers = 0;
    let amid = () => {};
    const inFullSwing = new Promise<void>((resolve) => {
      amid = resolve;
    });
    const players = await Promise.all(
      Array.from({ length: USERS }, (_, i) =>
        impatient(`ws://127.0.0.1:${port}/v1`, `user-${i}`, () => {
          if (++answers === 2_000) amid();
        }),
      ),
    );
    await inFullSwing;
    await terminate(gateway);
    expect(new Set(await Promise.all(players.map(({ closed }) => closed)))).toEqual(new Set([1012]));

    const claimed = await redis.hgetall(shardKeys('storm', 0).claimed);
    expect(Object.keys(claimed)).toHaveLength(300);
    for (const { userId, heard } of players) {
      const entry = claimed[userId] === undefined ? undefined : parseClaim(claimed[userId]);
      const results = heard.filter((message): message is ResultMessage => message.type === 'result');
      for (const { code, redPacketId } of results.filter((result) => result.code !== '-7')) {
        if (code === '0' || code === '1') expect(entry).toMatchObject({ claim: { redPacketId } });
        else expect([code, entry]).toEqual(['-1', undefined]);
      }
      expect(
        results.filter(({ code }) => code === '0'),
        `${userId} was told of his win once`,
      ).toHaveLength(entry ? 1 : 0);
      expect(heard.filter(({ type }) => type === 'goodbye')).toEqual([heard.at(-1)]);
    }
    const moments = players.map(({ heard }) => (heard.at(-1) as GoodbyeMessage).reconnectInMs);
    expect(Math.min(...moments)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...moments)).toBeLessThan(1_500);
    // Each quarter of the window gets about a quarter of them: 125, and chance alone strays by 10.
    for (const from of [500, 750, 1_000, 1_250])
      expect(Math.abs(moments.filter((at) => at >= from && at < from + 250).length - USERS / 4)).toBeLessThan(50);
  });
});

describe.skipIf(!postgresInstalled).concurrent('SIGTERM of a worker in the middle of a batch', () => {
  /** A worker, of a Redis and a book of its own, whose only job waits in the database until `letGo`. */
  async function stuck(rainId: string, context: Finish) {
    const { onTestFinished } = context;
    const { server, redis } = await ownRedis(context);
    const book = await startDatabase();
    onTestFinished(() => book.stop());
    const database = connectDatabase(book.url);
    onTestFinished(() => database.$disconnect());
    const operatorContext: OperatorContext = { redis, ledger: openLedger(database), signer, actor: 'test' };
    const queueing = connectRedis(server.url, { purpose: 'queue', onError: () => {} });
    onTestFinished(() => queueing.disconnect());
    const queue = createCreditQueue({ connection: queueing, prefix: QUEUE_PREFIX, onError: () => {} });
    onTestFinished(() => queue.close());
    const grab = (from: number, to: number) =>
      createGrabEngine(redis, (fault) => {
        throw fault;
      }).grab(
        rainId,
        0,
        Array.from({ length: to - from }, (_, i) => `user-${from + i}`),
      );

    const now = await redisNow(redis);
    expect(
      await createRain(operatorContext, {
        id: rainId,
        plan: { budget: '40.00', packets: 40 },
        opensAt: now - 1_000,
        closesAt: now + 600_000,
      }),
    ).toMatchObject({ ok: true });
    await loadRain(operatorContext, rainId);
    await grab(0, 20);
    const blocker = new PgClient({ connectionString: book.url });
    blocker.on('error', () => {});
    await blocker.connect();
    onTestFinished(() => blocker.end());
    // Reads go on, no transfer can be written.
    await blocker.query('BEGIN; LOCK TABLE "Transfer" IN SHARE ROW EXCLUSIVE MODE');
    const busy = start(context, 'worker', { REDIS_URL: server.url, DATABASE_URL: book.url });
    await eventually(
      async () => {
        const { rows } = await blocker.query(
          'SELECT 1 FROM pg_locks WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())',
        );
        expect(rows).toHaveLength(1);
      },
      { timeoutMs: 40_000 },
    );
    expect(await queue.getJobCountByTypes('active')).toBe(1);
    return {
      busy,
      operatorContext,
      queue,
      grab,
      letGo: () => blocker.end(),
      urls: { redisUrl: server.url, databaseUrl: book.url },
      credited: async () => (await operatorContext.ledger.book(rainId))!.credited.count,
    };
  }

  test('the batch is finished and its job completed, nothing new is begun, exit 0', async (context) => {
    const { busy, operatorContext, queue, grab, letGo, credited } = await stuck('slow', context);
    const ended = terminate(busy);
    // Its relay is done: what is won from now on is for another worker.
    await eventually(async () => expect(await operatorContext.redis.exists(shardKeys('slow', 0).lease)).toBe(0));
    await grab(20, 40);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(busy.child.exitCode).toBeNull();
    expect(await queue.getJobCountByTypes('active')).toBe(1);
    await letGo();
    await ended;
    expect(await credited()).toBe(20);
    expect(await queue.getJobCounts('completed', 'active', 'waiting', 'delayed', 'failed')).toEqual({
      completed: 1,
      active: 0,
      waiting: 0,
      delayed: 0,
      failed: 0,
    });
  });

  test('[R5][R10] a database that never answers is left at the one deadline, and another worker takes the job up at once', async (context) => {
    const { busy, operatorContext, queue, letGo, credited, urls } = await stuck('dead', context);
    expect(await terminate(busy)).toBeGreaterThan(SERVER_DEADLINE_MS / 2);
    expect(await credited()).toBe(0);
    // Handed back, not left to the end of its lock.
    expect(await queue.getJobCounts('active', 'waiting')).toEqual({ active: 0, waiting: 1 });
    await letGo();
    const other = await openWorker(urls);
    await eventually(async () => expect(await credited()).toBe(20), { timeoutMs: 30_000 });
    await other.close();
    expect(await operatorContext.ledger.sumOfBalances()).toBe(0n);
  });
});
