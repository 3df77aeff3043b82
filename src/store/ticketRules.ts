import { ticketRulesText, type TicketRules } from '../rain/ticketRules.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import { saleKeys } from './saleKeys.ts';
import { STATE_LIMITS } from './rains.ts';
import { readHash } from './readHash.ts';
import { announceSale } from './saleTransitions.ts';
import { run } from './scripts.ts';
import { announceChange } from './transitions.ts';

/** `over`: it has ended, and nothing is granted any more; `gone`: Redis does not have it. */
type RulesSet = 'set' | 'over' | 'gone';

async function setOn(redis: RedisClient, stateKeys: readonly string[], rules: TicketRules): Promise<RulesSet> {
  for (const key of stateKeys) {
    const done = await run(redis, 'tickets', [key], [ticketRulesText(rules)]);
    if (done !== 1) return done === null ? 'gone' : 'over';
  }
  return 'set';
}

/** The texts of the rules that stand there; nothing of what is over, is not there or is not ours. */
async function readFrom(redis: RedisClient, stateKeys: readonly string[]): Promise<string[]> {
  const states = await Promise.all(stateKeys.map((key) => readHash(redis, key, STATE_LIMITS)));
  return states.flatMap((one) =>
    one?.['state'] === undefined || one['state'] === 'closed' || one['state'] === 'settled'
      ? []
      : [one['ticketRules'] ?? ''],
  );
}

const rainStates = (rainId: string, shards: number) =>
  Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard).state);

export const readRainTickets = (redis: RedisClient, rainId: string, shards: number) =>
  readFrom(redis, rainStates(rainId, shards));
export const readSaleTickets = (redis: RedisClient, saleId: string) => readFrom(redis, [saleKeys(saleId).state]);

/**
 * Safe to repeat. Until all shards have the new rules, a gateway is granted nothing in those whose rules it has not
 * read.
 */
export async function setRainTickets(
  redis: RedisClient,
  rainId: string,
  shards: number,
  rules: TicketRules,
): Promise<RulesSet> {
  const done = await setOn(redis, rainStates(rainId, shards), rules);
  await announceChange(redis, rainId);
  return done;
}

/** Safe to repeat. */
export async function setSaleTickets(redis: RedisClient, saleId: string, rules: TicketRules): Promise<RulesSet> {
  const done = await setOn(redis, [saleKeys(saleId).state], rules);
  await announceSale(redis, saleId);
  return done;
}
