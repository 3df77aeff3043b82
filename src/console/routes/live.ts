import type { FastifyReply } from 'fastify';
import { liveApi, type LiveSample } from '../contract/live.ts';
import { salesApi, type SaleSample } from '../contract/sales.ts';
import type { LiveFeeds } from '../live/liveFeeds.ts';
import type { Pace } from '../live/sampling.ts';
import type { SignedIn } from '../session/authenticate.ts';
import { declinedForNow } from './atOnce.ts';
import { rainRoute, saleRoute, type Route } from './route.ts';

/** A slow browser misses samples above this backlog. The next sample is complete in itself [R10]. */
const UNREAD_BYTES_MAX = 64 * 1_024;

interface Feeds {
  rains: LiveFeeds<LiveSample>;
  sales: LiveFeeds<SaleSample>;
}

export function liveRoutes({ rains, sales }: Feeds, { recheckMs }: Pick<Pace, 'recheckMs'>): readonly Route[] {
  return [
    rainRoute(liveApi.watch, async ({ visitor, rain, reply }) => stream(rains, rain.id, visitor, reply, recheckMs)),
    saleRoute(salesApi.watch, async ({ visitor, sale, reply }) => stream(sales, sale.id, visitor, reply, recheckMs)),
  ];
}

/** Sends samples until the browser leaves, the login is no longer valid, or the console closes. */
function stream<Sample>(
  feeds: LiveFeeds<Sample>,
  id: string,
  visitor: SignedIn,
  reply: FastifyReply,
  recheckMs: number,
) {
  const { raw } = reply;
  const show = (sample: Sample) => {
    if (raw.writableLength <= UNREAD_BYTES_MAX) raw.write(`event: sample\ndata: ${JSON.stringify(sample)}\n\n`);
  };
  const end = () => void raw.end();
  const watching = feeds.watch(id, { name: visitor.name, role: visitor.role, show, end });
  if (!watching) return declinedForNow();
  beginStream(reply);
  if (watching.last) show(watching.last);
  const rechecks = setInterval(
    () =>
      void visitor.isStillValid().then(
        (valid) => {
          if (!valid) end();
        },
        () => {},
      ),
    recheckMs,
  );
  const left = () => {
    clearInterval(rechecks);
    watching.leave();
  };
  // The browser may have left during the lookup; then `close` does not fire again.
  if (raw.destroyed) left();
  else raw.once('close', left);
  return 'streamed' as const;
}

/** Begins a stream of server-sent events, with the headers that were set for the reply. */
function beginStream(reply: FastifyReply): void {
  const headers = reply.getHeaders();
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
  // x-accel-buffering: a buffering proxy would deliver everything at the end.
  reply.raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    connection: 'keep-alive',
  });
  reply.raw.write('retry: 2000\n\n');
}
