import { Client } from 'pg';
import { shardKeys } from '../../src/store/keys.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import { formatMoney } from '../../src/rain/money.ts';
import { allocationOf } from '../../src/ledger/allocation.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import type { Claim } from '../../src/rain/claim.ts';
import type { DeadQueue } from '../../src/credit/queue.ts';
import type { Deployment } from '../faults/deployment.ts';
import { HonestUsers } from '../faults/users/honestUsers.ts';

/** The user in whose favour everything is falsified. */
const THIEF = 'mallory';

/** The outcome of an act that a server refused: it changed nothing. */
export class ActRefused extends Error {
  override name = 'ActRefused';
}

/**
 * One rain that somebody tampers with, and what the act may use: every command of Redis and every statement of
 * PostgreSQL.
 */
export interface Scene extends Pick<OperatorContext, 'redis' | 'ledger'> {
  rainId: string;
  /** The queue of dead letters. */
  dead: DeadQueue;
  keys: ReturnType<typeof shardKeys>;
  thief: string;
  users: HonestUsers;
  /** The amount of each planned packet, by its id. */
  planned: ReadonlyMap<string, string>;
  /** A planned packet that nobody has won. */
  freePacket(): Promise<string>;
  /** A claim as the claim log holds it. */
  claim(redPacketId: string, amount: string, userId?: string): Claim;
  /** Runs SQL as the role of the application. @throws ActRefused when the database refuses */
  sql(text: string): Promise<void>;
  /** The same, with all triggers switched off, as only a superuser can. */
  sqlWithoutTriggers(text: string): Promise<void>;
  /** Runs `rain` with these arguments. @returns its output; also when its exit code is not 0 */
  rain(...args: string[]): Promise<string>;
}

export async function openScene(
  { context, databaseUrl, gatewayUrls, rain }: Deployment,
  rainId: string,
  dead: DeadQueue,
): Promise<Scene> {
  const { redis, ledger } = context;
  const booked = (await ledger.rain(rainId))!;
  const planned = new Map(
    Array.from(allocationOf(booked), (cents, index) => [redPacketId(rainId, index), formatMoney(cents)]),
  );
  const keys = shardKeys(rainId, 0);
  return {
    redis,
    ledger,
    rainId,
    dead,
    keys,
    planned,
    thief: `${THIEF}-${rainId}`,
    users: new HonestUsers(gatewayUrls[0]!, rainId),
    async freePacket() {
      const element = JSON.parse((await redis.lindex(keys.packets, 0))!) as { redPacketId: string };
      return element.redPacketId;
    },
    claim: (packet, amount, userId = `${THIEF}-${rainId}`) => ({
      rainId,
      redPacketId: packet,
      amount,
      userId,
      at: String(Date.now()),
    }),
    sql: (text) => query(databaseUrl, text),
    sqlWithoutTriggers: (text) => query(databaseUrl, `SET session_replication_role = replica; ${text}`),
    rain: (...args) =>
      rain(...args).catch(
        (error: { stdout?: string; stderr?: string }) => `${error.stdout ?? ''}${error.stderr ?? ''}`,
      ),
  };
}

export async function query(url: string, text: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(text).catch((error: Error) => {
      throw new ActRefused(error.message);
    });
  } finally {
    await client.end();
  }
}
