import { connectDatabase } from '../../src/ledger/database.ts';
import { openLedger } from '../../src/ledger/ledger.ts';
import { shardKeys } from '../../src/store/keys.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { parseClaim, type Claim } from '../../src/rain/claim.ts';
import { startDatabase, type TestDatabase } from './servers/database.ts';
import { connect } from './rain.ts';
import { signer } from './signer.ts';
import { sharedRedis } from './servers/sharedRedis.ts';

export interface TestContext extends OperatorContext {
  redisUrl: string;
  databaseUrl: string;
  redisPid: number;
  stop(): Promise<void>;
}

/** An operator context at a real Redis, this worker's, and a real database of this test's own; both empty. */
export async function openTestContext(openBook: () => Promise<TestDatabase> = startDatabase): Promise<TestContext> {
  const [server, book] = await Promise.all([sharedRedis(), openBook()]);
  const redis = await connect(server.url);
  const database = connectDatabase(book.url);
  return {
    redis,
    ledger: openLedger(database),
    signer,
    actor: 'test',
    redisUrl: server.url,
    databaseUrl: book.url,
    redisPid: server.pid,
    async stop() {
      redis.disconnect();
      await database.$disconnect();
      await Promise.all([server.stop(), book.stop()]);
    },
  };
}

/** The claim log of a rain, oldest first. */
export async function claimLog({ redis }: Pick<OperatorContext, 'redis'>, rainId: string, shard = 0): Promise<Claim[]> {
  return (await redis.lrange(shardKeys(rainId, shard).claims, 0, -1)).reverse().map((entry) => {
    const parsed = parseClaim(entry);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.claim;
  });
}
