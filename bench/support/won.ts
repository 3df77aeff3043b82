import { Client } from 'pg';
import { createGrabEngine, BATCH_USERS_MAX } from '../../src/grab/engine.ts';
import { packetElement } from '../../src/store/loadPackets.ts';
import { shardKeys } from '../../src/store/keys.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';

const PAGE = 1_000;
const CENTS = 10;
const userOf = (n: number): string => `before-${n}`;

/** All these users win, in calls as large as a call may be. */
export async function grabMany(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  winners: number,
): Promise<void> {
  const engine = createGrabEngine(redis, (error) => {
    throw error;
  });
  for (let from = 0; from < winners; from += BATCH_USERS_MAX) {
    await engine.grab(
      rainId,
      0,
      Array.from({ length: Math.min(BATCH_USERS_MAX, winners - from) }, (_, i) => `user-${from + i}`),
    );
  }
}

/** Winners of the first packets, of 0.10 each, as grab.lua would leave them. */
export async function winMany(
  { redis, signer }: Pick<OperatorContext, 'redis' | 'signer'>,
  rainId: string,
  winners: number,
): Promise<void> {
  const { claimed, claims } = shardKeys(rainId, 0);
  for (let from = 0; from < winners; from += PAGE) {
    const won = Array.from({ length: PAGE }, (_, i) => {
      const userId = userOf(from + i);
      return [
        userId,
        `{"rainId":"${rainId}","at":"${Date.now()}","userId":"${userId}",${packetElement(signer, rainId, redPacketId(rainId, from + i), '0.10').slice(1)}`,
      ] as const;
    });
    await redis.hset(claimed, ...won.flat());
    await redis.lpush(claims, ...won.map(([, claim]) => claim));
  }
}

/** Credits them all, as the ledger would have them; checks and triggers are not what is measured. */
export async function creditMany(databaseUrl: string, rainId: string, winners: number): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('SET session_replication_role = replica; SET synchronous_commit = off');
    const [prefix, last] = [userOf(0).slice(0, -1), winners - 1];
    await client.query(
      `INSERT INTO "Transfer" ("id", "kind", "debitAccountId", "creditAccountId", "amountCents", "rainId", "redPacketId", "userId")
      SELECT 'credit:' || packet, 'credit', 'rain:' || $1, 'user:' || who, ${CENTS}, $1, packet, who
      FROM (SELECT $1 || '-' || n AS packet, $2 || n AS who FROM generate_series(0, $3::int) AS n) AS won`,
      [rainId, prefix, last],
    );
    await client.query(
      `INSERT INTO "Account" ("id", "kind", "balanceCents") SELECT 'user:' || $1 || n, 'user', ${CENTS} FROM generate_series(0, $2::int) AS n`,
      [prefix, last],
    );
    await client.query(
      `UPDATE "Account" SET "balanceCents" = "balanceCents" - ${CENTS} * $2::bigint WHERE "id" = 'rain:' || $1`,
      [rainId, winners],
    );
    await client.query('ANALYZE "Transfer"; ANALYZE "Account"');
  } finally {
    await client.end();
  }
}
