import { createHash } from 'node:crypto';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { attemptsKey } from '../../store/keys.ts';

/** One attempt to sign in. */
interface Attempt {
  name: string;
  address: string;
  /** Id of a device from which this name has signed in before. */
  device: string | undefined;
}

/** Failures are forgotten after this time without another one, ms. */
const REMEMBERED_MS = 15 * 60_000;
const WAIT_MS_MIN = 10_000;
/**
 * Failures before each further one has to wait, longer each time. Failures from many addresses make strangers wait for
 * the name, but not the devices from which it has signed in before: they have a limit of their own.
 */
const FREE = { pair: 5, device: 5, address: 20, name: 40 } as const;
type Whose = keyof typeof FREE;

/**
 * Counts the attempt before it is made, so that neither parallel attempts nor several consoles allow more.
 * @returns `waitMs`: it must not be made before; else `succeeded`, to be called if it was right: only failures count
 */
export async function countAttempt(
  redis: RedisClient,
  attempt: Attempt,
): Promise<{ waitMs: number } | { succeeded: () => Promise<void> }> {
  const counted: string[] = [];
  const takeBack = async () => {
    await Promise.all(counted.map((key) => redis.decr(key)));
  };
  for (const [whose, hash] of limitsOf(attempt)) {
    const [count, wait] = [attemptsKey(whose, hash, 'count'), attemptsKey(whose, hash, 'wait')];
    const beyond = (await redis.incr(count)) - FREE[whose];
    counted.push(count);
    await redis.pexpire(count, REMEMBERED_MS);
    const waitMs = Math.min(REMEMBERED_MS, WAIT_MS_MIN * 2 ** (beyond - 1));
    if (beyond > 0 && (await redis.set(wait, '', 'PX', waitMs, 'NX')) !== 'OK') {
      await takeBack();
      return { waitMs: Math.max(1, await redis.pttl(wait)) };
    }
  }
  return { succeeded: takeBack };
}

function limitsOf({ name, address, device }: Attempt): [Whose, string][] {
  const hashOf = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  if (device !== undefined) return [['device', hashOf(name, device)]];
  return [
    ['pair', hashOf(name, address)],
    ['address', hashOf(address)],
    ['name', hashOf(name)],
  ];
}
