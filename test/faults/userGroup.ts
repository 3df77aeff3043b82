import { setTimeout as sleep } from 'node:timers/promises';
import { dial, type Client } from '../support/client.ts';

/** What one user heard of one rain, in order. */
interface Heard {
  userId: string;
  /** `won` as well as `already claimed`. */
  wins: { redPacketId: string; amount: string }[];
  busy: number;
}

export interface UserGroup {
  heard: ReadonlyMap<string, Heard>;
  /** Wins heard so far, by whomever. */
  wins(): number;
  /** Whoever has not heard of a win asks on until he hears "nothing left" or "ended"; then all of them ask once more. */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

interface UserGroupOptions {
  /** Asked for each user, and again when his socket has closed. */
  gatewayUrl: (user: number) => string;
  rainId: string;
  users: number;
  /** One user after the other begins to ask, this far apart. */
  everyMs: number;
  prefix?: string;
}

const PAUSE_MS = 40;

/** Users who ask, and ask again whatever they hear, until the storm is settled. */
export function startUserGroup({ gatewayUrl, rainId, users, everyMs, prefix = 'user' }: UserGroupOptions): UserGroup {
  const heard = new Map<string, Heard>();
  const ending = new AbortController();
  let settling = false;

  async function ask(client: Client, mine: Heard): Promise<string> {
    client.say({ type: 'grab', rainId });
    const { code, redPacketId, amount } = await client.next('result');
    if (code === '0' || code === '1') mine.wins.push({ redPacketId: redPacketId!, amount: amount! });
    if (code === '-7') mine.busy++;
    return code;
  }

  async function play(user: number): Promise<void> {
    await sleep(user * everyMs);
    const mine: Heard = { userId: `${prefix}-${user}`, wins: [], busy: 0 };
    heard.set(mine.userId, mine);
    for (let done = false; !done && !ending.signal.aborted;) {
      try {
        const client = await dial(gatewayUrl(user), mine.userId);
        try {
          for (let last = ''; !done && !ending.signal.aborted; await sleep(PAUSE_MS)) {
            const wasSettling = settling;
            last = await ask(client, mine);
            done = wasSettling && last !== '-7';
          }
        } finally {
          await client.leave();
        }
      } catch {
        // The gateway is gone, or Redis is: he comes back.
        await sleep(PAUSE_MS);
      }
    }
  }

  const all = Promise.all(Array.from({ length: users }, (_, user) => play(user)));
  return {
    heard,
    wins: () => [...heard.values()].filter(({ wins }) => wins.length > 0).length,
    async settle() {
      settling = true;
      await all;
    },
    async stop() {
      ending.abort();
      await all;
    },
  };
}
