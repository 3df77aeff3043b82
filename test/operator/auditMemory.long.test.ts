import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGrabEngine, BATCH_USERS_MAX } from '../../src/grab/engine.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { parseClaim } from '../../src/rain/claim.ts';
import { redisNow, readEntries } from '../../src/store/rains.ts';
import { startCli } from '../support/cli.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';

const WINNERS = 100_000;
const BATCH = 500;
/**
 * Old space of a process that audits, settles, verifies or exports, MB. With every winner in its heap it would need 70
 * more.
 */
const HEAP_MB_MAX = 80;

let context: TestContext;
beforeAll(async () => {
  context = await openTestContext();
});
afterAll(() => context?.stop());

/** In a process with little memory: it dies with the signal of an abort when that is not enough. */
const rain = (...words: string[]) =>
  startCli(words, {
    REDIS_URL: context.redisUrl,
    DATABASE_URL: context.databaseUrl,
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MB_MAX}`,
  }).done;

/** Credits the claims from the place `from` of the log, inclusive, to `to`, exclusive. */
async function credit(from: number, to: number): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      while (next < to) {
        const at = next;
        next += BATCH;
        const entries = await readEntries(context.redis, 'large', 0, at, Math.min(at + BATCH, to));
        await context.ledger.credit(
          entries.flatMap((entry) => {
            const parsed = parseClaim(entry);
            return parsed.ok ? [parsed.claim] : [];
          }),
        );
      }
    }),
  );
}

test(`[R10] a rain of ${WINNERS} winners is audited, exported, settled and verified by processes of ${HEAP_MB_MAX} MB of heap`, async () => {
  const now = await redisNow(context.redis);
  const plan = { budget: `${WINNERS / 100}.00`, packets: WINNERS, split: { method: 'even' } };
  expect(
    await createRain(context, { id: 'large', plan, opensAt: now - 1_000, closesAt: now + 3_600_000 }),
  ).toMatchObject({ ok: true });
  expect(await loadRain(context, 'large')).toMatchObject({ ok: true });
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (let from = 0; from < WINNERS; from += BATCH_USERS_MAX) {
    await engine.grab(
      'large',
      0,
      Array.from({ length: Math.min(BATCH_USERS_MAX, WINNERS - from) }, (_, i) => `user-${from + i}`),
    );
  }
  await credit(0, WINNERS / 2);
  const swing = await rain('audit', 'large', '--json');
  expect(swing.stderr).toBe('');
  expect(JSON.parse(swing.stdout)).toMatchObject({
    balanced: true,
    counts: { credited: WINNERS / 2, pending: WINNERS / 2 },
  });
  const sheet = await rain('winners', 'large', '--csv');
  expect([sheet.exit, sheet.stdout.split('\n').length]).toEqual([0, WINNERS + 2]);
  // The second half is on its way; none of these claims may be kept until the end.
  const replay = await rain('replay', 'large');
  expect([replay.exit, replay.stdout.split('\n').length]).toEqual([0, WINNERS + 2]);
  expect(replay.stderr).toContain(`agree: ${WINNERS} claims, ${WINNERS / 2} of them on their way`);
  await credit(WINNERS / 2, WINNERS);
  await closeRain(context, 'large');
  expect(await rain('recycle', 'large')).toMatchObject({ exit: 0, stderr: '' });
  expect(await context.ledger.book('large')).toMatchObject({
    credited: { count: WINNERS },
    settledAt: expect.any(Number) as number,
  });
  expect(JSON.parse((await rain('verify', 'large', '--json')).stdout)).toMatchObject({
    fair: true,
    checked: { left: 0, claims: WINNERS, credits: WINNERS },
  });
}, 600_000);
