import { setTimeout as sleep } from 'node:timers/promises';
import { dial, type Client } from '../../support/client.ts';

/** The answers that one user received about one rain, in order. */
interface Received {
  userId: string;
  /** `won` as well as `already claimed`. */
  wins: { redPacketId: string; amount: string }[];
  busy: number;
}

export interface UserGroup {
  /** All users, started or not. */
  readonly size: number;
  received: ReadonlyMap<string, Received>;
  /** The number of users with a win. */
  wins(): number;
  /** Starts the next users, until `count` have started. */
  admit(count: number): void;
  /** Starts all who have not started; resolves when every user has received one more answer that is not "busy". */
  settle(): Promise<void>;
  stop(): Promise<void>;
}

interface UserGroupOptions {
  /** Called for each connection of a user. */
  gatewayUrl: (user: number) => string;
  rainId: string;
  users: number;
  /** The users that are admitted together start one after the other, at this interval. */
  everyMs: number;
}

const PAUSE_MS = 40;

/** Users who grab again and again, whatever the answer, until the group is settled; nobody starts before `admit`. */
export function startUserGroup({ gatewayUrl, rainId, users, everyMs }: UserGroupOptions): UserGroup {
  const received = new Map<string, Received>();
  const ending = new AbortController();
  let settling = false;

  async function ask(client: Client, mine: Received): Promise<string> {
    client.say({ type: 'grab', rainId });
    const { code, redPacketId, amount } = await client.next('result');
    if (code === '0' || code === '1') mine.wins.push({ redPacketId: redPacketId!, amount: amount! });
    if (code === '-7') mine.busy++;
    return code;
  }

  async function play(user: number, startInMs: number): Promise<void> {
    await sleep(startInMs);
    const mine: Received = { userId: `user-${user}`, wins: [], busy: 0 };
    received.set(mine.userId, mine);
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
        // The gateway or Redis is down: the user reconnects.
        await sleep(PAUSE_MS);
      }
    }
  }

  const playing: Promise<void>[] = [];
  function admit(count: number): void {
    const first = playing.length;
    for (let user = first; user < count; user++) playing.push(play(user, (user - first) * everyMs));
  }

  return {
    size: users,
    admit,
    received,
    wins: () => [...received.values()].filter(({ wins }) => wins.length > 0).length,
    async settle() {
      settling = true;
      admit(users);
      await Promise.all(playing);
    },
    async stop() {
      ending.abort();
      await Promise.all(playing);
    },
  };
}
