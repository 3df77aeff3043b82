import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import { learnMasters, mastersOf } from '../../../src/platform/redis/owner.ts';
import { eventually } from '../../support/eventually.ts';

/**
 * Resolves when the client knows no other masters than these, and has a connection to each: it opens one with the first
 * command for it, and refuses the next ones meanwhile.
 * @param names `host:port`
 */
export async function untilKnown(redis: RedisClient, names: ReadonlySet<string>): Promise<void> {
  learnMasters(redis);
  await eventually(() => mastersOf(redis).every(({ name }) => names.has(name)));
  await eventually(() => Promise.all(mastersOf(redis).map(({ connection }) => connection.ping())));
}
