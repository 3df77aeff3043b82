import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';
import { dial, type Client } from '../support/client.ts';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { startRain } from '../../src/operator/schedule.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import type { TestContext } from '../support/operatorContext.ts';

/** One frame of a session: the user, the direction, and the message. */
export interface Frame {
  user: string;
  way: 'to server' | 'to client';
  message: Record<string, unknown> & { type: string };
}

/**
 * ms from the creation to the planned opening: never reached, since the rain is started once the first grab was
 * refused.
 */
const OPENS_IN_MS = 300_000;
const RAIN = 'spring';

/**
 * A whole session at a real gateway and a real worker. Ann joins before the start, is refused, grabs, wins, and grabs
 * once more. Bob comes too late and gets "nothing left". The rain ends and is settled, Ann gets the reveal, and the
 * gateway says goodbye.
 */
export async function recordSession(context: TestContext): Promise<Frame[]> {
  const frames: Frame[] = [];
  const now = await redisNow(context.redis);
  const created = await createRain(context, {
    id: RAIN,
    title: 'Spring',
    plan: { budget: '12.21', packets: 1, split: { method: 'even' } },
    opensAt: now + OPENS_IN_MS,
    closesAt: now + 600_000,
  });
  if (!created.ok) throw new Error(JSON.stringify(created.refusals));
  await loadRain(context, RAIN);
  // A gateway that runs already may still show the draft for a moment.
  const gateway = await openGateway(context.redisUrl);
  const worker = await openWorker(context, { settling: { tidyMs: 100 } });
  const clients: Client[] = [];

  async function enter(user: string): Promise<{ say(message: Frame['message']): void; hear: Client['next'] }> {
    const client = await dial(gateway.url, user);
    clients.push(client);
    return {
      say(message) {
        frames.push({ user, way: 'to server', message });
        client.say(message);
      },
      async hear(type) {
        const message = await client.next(type);
        frames.push({ user, way: 'to client', message: message as unknown as Frame['message'] });
        return message;
      },
    };
  }
  const untilState = async (player: Awaited<ReturnType<typeof enter>>, state: string) => {
    while ((await player.hear('rain')).state !== state);
  };

  try {
    const ann = await enter('ann');
    await ann.hear('welcome');
    ann.say({ type: 'ping', t: 1_000 });
    await ann.hear('pong');
    ann.say({ type: 'join', rainId: RAIN });
    await ann.hear('rain');
    ann.say({ type: 'grab', rainId: RAIN, ref: '1' });
    await ann.hear('result');
    await startRain(context, RAIN);
    await untilState(ann, 'open');
    ann.say({ type: 'grab', rainId: RAIN, ref: '2' });
    await ann.hear('result');
    await ann.hear('credited');
    ann.say({ type: 'grab', rainId: RAIN, ref: '3' });
    await ann.hear('result');
    const bob = await enter('bob');
    await bob.hear('welcome');
    bob.say({ type: 'join', rainId: RAIN });
    await bob.hear('rain');
    bob.say({ type: 'grab', rainId: RAIN, ref: '1' });
    await bob.hear('result');
    ann.say({ type: 'grab', rainId: RAIN, userId: 'bob' });
    await ann.hear('error');
    await ann.hear('winners');
    await closeRain(context, RAIN);
    await untilState(ann, 'settled');
    const closing = gateway.close();
    await ann.hear('goodbye');
    await closing;
    return frames;
  } finally {
    await gateway.close();
    await Promise.all(clients.map((client) => client.leave()));
    await worker.close();
  }
}

/**
 * Times count from a fixed moment, in the order in which they were sent. The seed and all values derived from it are
 * those of this run.
 */
export function normalize(frames: readonly Frame[]): string[] {
  const first = Math.min(...momentsIn(frames));
  const BEGIN = 1_795_000_000_000;
  return frames.map((frame) =>
    JSON.stringify(frame, (key, value: unknown) =>
      MOMENTS.has(key) && typeof value === 'number' ? BEGIN + Math.round(value - first) : value,
    ),
  );
}

const MOMENTS = new Set(['serverTime', 'opensAt', 'closesAt']);

function momentsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, held]) =>
    MOMENTS.has(key) && typeof held === 'number' ? [held] : momentsIn(held),
  );
}
