import { readPresence } from '../../grab/presence.ts';
import { version } from '../../runtime/version.ts';
import { systemApi } from '../contract/system.ts';
import { openApi } from '../openapi.ts';
import { route, type Backend, type Route } from './route.ts';

const iso = (at: number): string => new Date(at).toISOString();
/** A question to a server that is away fails sooner than the page's patience. */
const ASK_MS_MAX = 3_000;

export const systemRoutes: readonly Route[] = [
  route(systemApi.actions, async ({ desk, query: { cursor, rainId, limit } }) => {
    const found = await desk.ledger.latestActions({ limit, ...(rainId !== undefined && { rainId }), ...(cursor !== undefined && { before: BigInt(cursor) }) });
    const last = found.length === limit ? found.at(-1) : undefined;
    return { answer: { actions: found.map(({ at, details = {}, ...plain }) => ({ ...plain, details: { ...details }, at: iso(at) })), ...(last && { next: last.id }) } };
  }),

  route(systemApi.gateways, async ({ desk }) => ({
    answer: { gateways: (await readPresence(desk.redis)).map(({ startedAt, at, ...plain }) => ({ ...plain, startedAt: iso(startedAt), at: iso(at) })) },
  })),

  // One that cannot be asked is what this page is looked at for: it is told, and the others all the same.
  route(systemApi.system, async ({ desk }) => {
    const [redis, database, queues, workers] = await Promise.all([askRedis(desk), inTime(desk.ledger.countRains()), askQueues(desk), inTime(desk.queues.credit.getWorkersCount())]);
    return { answer: { version, redis, database: { up: database !== undefined }, queues: queues ?? null, workers: workers ?? null } };
  }),

  route(systemApi.openapi, async () => ({ answer: openApi() })),
];

async function askRedis({ redis }: Pick<Backend, 'redis'>): Promise<{ up: boolean; version?: string; usedMemoryBytes?: number }> {
  if (await inTime(redis.ping()) === undefined) return { up: false };
  // One that may be asked to serve may still keep its INFO to itself.
  const info = await inTime(redis.info()) ?? '';
  const of = (name: string): string | undefined => new RegExp(`^${name}:(.+?)\\r?$`, 'm').exec(info)?.[1];
  const [server, memory] = [of('redis_version'), of('used_memory')];
  return { up: true, ...(server !== undefined && { version: server }), ...(memory !== undefined && { usedMemoryBytes: Number(memory) }) };
}

function askQueues({ queues: { credit, later, dead } }: Pick<Backend, 'queues'>) {
  const lane = async (queue: typeof credit) => {
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'delayed', 'failed');
    return { waiting, active, delayed, failed };
  };
  return inTime(Promise.all([lane(credit), lane(later), dead.getJobCountByTypes('waiting')]).then(([one, other, letters]) => ({ credit: one, later: other, dead: letters })));
}

/** `undefined`: it failed, or takes too long. */
async function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => { timer = setTimeout(resolve, ASK_MS_MAX, undefined); });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
