import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import { delayBeforeRetry } from '../../platform/network/backoff.ts';
import { createExpiringCache } from '../../wallet/cache.ts';

/** Whose password is to be checked. */
interface Asker {
  name: string;
  address: string;
  /**
   * Whether this name has signed in before from the device, or is signed in. Nobody can claim it without having been
   * let in.
   */
  isKnown: boolean;
}

/** Checks that wait or run [R10], of the known and as many of strangers, who never take a place of the known. */
const PLACES_MAX = 8;
/**
 * The places of one sender, who is a name if it is known and else an address. When half of the places are taken, each
 * has one only.
 */
const OF_SENDER_MAX = 2;
type Kind = 'known' | 'stranger';
/** A check takes a tenth of a second. */
const BUSY_MS = 1_000;
/**
 * An address that finds no place may ask again after this time, longer each time: never so long that a right operator
 * is locked out.
 */
const PAUSE = { firstDelayMs: BUSY_MS, delayMsMax: 10_000 } as const;
/**
 * An address that has failed so often gets none of the last places: it leaves them to others. A wrong typing or two is
 * free.
 */
const FREE_FAILURES = 3;
/** An address is forgotten after a minute without a failure and without a refusal. */
const ADDRESSES_REMEMBERED = { max: 5_000, forMs: 60_000 } as const;

const one = createSemaphore(1);
const ofKind = { known: createSemaphore(1), stranger: createSemaphore(1) };

/**
 * One password check at a time takes 32 MiB and one of the process's four threads: files and DNS keep the others [R10].
 * At most one of each kind waits for the thread, so that the known and the strangers take it by turns.
 */
export const inTurn = <T>(kind: Kind, work: () => Promise<T>): Promise<T> => ofKind[kind](() => one(work));

/**
 * The places of those who wait for a check or have one.
 * @param now monotonic ms
 * @param random from 0 up to 1
 * @returns takes a place until `leave` is called with whether the password was right; `waitMs`: there is none, and
 *   when to ask again
 */
export function createPlaces(
  now = () => performance.now(),
  random: () => number = Math.random,
): (asker: Asker) => { waitMs: number } | { kind: Kind; leave: (wasRight: boolean) => void } {
  const senders: Readonly<Record<Kind, Map<string, number>>> = { known: new Map(), stranger: new Map() };
  const addresses = createExpiringCache<{ failures: number; refusals: number; until: number }>(
    ADDRESSES_REMEMBERED.max,
    now,
  );
  const seen = (address: string) => addresses.get(address) ?? { failures: 0, refusals: 0, until: 0 };
  function failed(address: string): void {
    const { failures, ...others } = seen(address);
    addresses.set(address, { ...others, failures: failures + 1 }, ADDRESSES_REMEMBERED.forMs);
  }
  function refuse(address: string): number {
    const { failures, refusals } = seen(address);
    const waitMs = delayBeforeRetry(refusals + 1, PAUSE, random);
    addresses.set(address, { failures, refusals: refusals + 1, until: now() + waitMs }, ADDRESSES_REMEMBERED.forMs);
    return waitMs;
  }

  return ({ name, address, isKnown }) => {
    const kind = isKnown ? 'known' : 'stranger';
    const sender = isKnown ? name : address;
    const taken = senders[kind];
    const { failures, until } = isKnown ? { failures: 0, until: 0 } : seen(address);
    if (until > now()) return { waitMs: until - now() };
    const [own, all] = [taken.get(sender) ?? 0, sum(taken.values())];
    const isScarce = all >= PLACES_MAX / 2;
    if (own >= (isScarce ? 1 : OF_SENDER_MAX)) return { waitMs: BUSY_MS };
    if (all >= PLACES_MAX || (isScarce && failures >= FREE_FAILURES))
      return { waitMs: isKnown ? BUSY_MS : refuse(address) };
    taken.set(sender, own + 1);
    const leave = (wasRight: boolean) => {
      if (!wasRight && !isKnown) failed(address);
      const left = taken.get(sender)! - 1;
      if (left === 0) taken.delete(sender);
      else taken.set(sender, left);
    };
    return { kind, leave };
  };
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);
