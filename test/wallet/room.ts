import { openPlayerBackend } from '../../src/bin/servers/player.ts';
import { createGrabEngine } from '../../src/grab/engine.ts';
import { shardKeys, shardOf } from '../../src/store/keys.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { parseClaim, type Claim } from '../../src/rain/claim.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { createLifecycle } from '../../src/platform/process/lifecycle.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import type { WalletStatement } from '../../src/wallet/walletStatement.ts';
import { SECRET } from '../support/client.ts';
import type { TestContext } from '../support/operatorContext.ts';
import { SIGNING_SECRET } from '../support/signer.ts';

export interface Players {
  /** A user's statement, as `GET /api/me` without its HTTP. */
  statementOf(userId: string): Promise<WalletStatement>;
  context: ReturnType<typeof openPlayerBackend>;
  close(): Promise<void>;
}

/** The player's part of `rain console`, at this Redis and this database. */
export function openPlayers(
  { redisUrl, databaseUrl }: { redisUrl: string; databaseUrl: string },
  settings: Record<string, string> = {},
): Players {
  const config = loadConfig(['REDIS_URL', 'DATABASE_URL', 'SIGNING_SECRET'], {
    JWT_SECRET: SECRET,
    SIGNING_SECRET,
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    ...settings,
  });
  const lifecycle = createLifecycle();
  const context = openPlayerBackend(config, createLog('console', 'silent'), lifecycle);
  return {
    context,
    statementOf: (userId) => context.openWalletStatement(userId, undefined, 20),
    close: () => lifecycle.close(),
  };
}

/** A rain of packets of 1.00, open, and these users have won one each; their claims, in order. */
export async function wonRain(
  context: Pick<TestContext, 'redis' | 'ledger' | 'signer' | 'actor'>,
  id: string,
  winners: readonly string[],
  { packets = 10, shards = 1, rehearsal = false } = {},
): Promise<Claim[]> {
  const now = await redisNow(context.redis);
  const created = await createRain(context, {
    id,
    title: `The rain ${id}`,
    plan: { budget: `${packets}.00`, packets, split: { method: 'even' } },
    shards,
    terms: { rehearsal },
    opensAt: now - 1_000,
    closesAt: now + 600_000,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  await loadRain(context, id);
  const engine = createGrabEngine(context.redis, (fault) => {
    throw fault;
  });
  for (const user of winners) await engine.grab(id, shardOf(user, shards), [user]);
  return Promise.all(
    winners.map(async (user) => {
      const parsed = parseClaim((await context.redis.hget(shardKeys(id, shardOf(user, shards)).claimed, user)) ?? '');
      if (!parsed.ok) throw new Error(`${user} has not won: ${parsed.reason}`);
      return parsed.claim;
    }),
  );
}
