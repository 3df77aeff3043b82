import type { FastifyReply } from 'fastify';
import { liveApi, type LiveSample } from '../contract/live.ts';
import type { Pace } from '../live/sampler.ts';
import type { LiveFeeds } from '../live/liveFeeds.ts';
import { declined, rainRoute, type Route } from './route.ts';

/** A slow browser misses samples above this backlog. The next sample is complete in itself [R10]. */
const UNREAD_BYTES_MAX = 64 * 1_024;

export function liveRoutes(liveFeeds: LiveFeeds, { recheckMs }: Pick<Pace, 'recheckMs'>): readonly Route[] {
  return [
    rainRoute(liveApi.watch, async ({ visitor, rain, reply }) => {
      const { raw } = reply;
      const show = (sample: LiveSample) => { if (raw.writableLength <= UNREAD_BYTES_MAX) raw.write(`event: sample\ndata: ${JSON.stringify(sample)}\n\n`); };
      const end = () => void raw.end();
      const watching = liveFeeds.watch(rain.id, { show, end });
      if (!watching) return declined('too_many');
      beginStream(reply);
      if (watching.last) show(watching.last);
      const rechecks = setInterval(() => void visitor.isStillValid().then((valid) => { if (!valid) end(); }, () => {}), recheckMs);
      const left = () => {
        clearInterval(rechecks);
        watching.leave();
      };
      // The browser may have left during the lookup; then `close` does not fire again.
      if (raw.destroyed) left();
      else raw.once('close', left);
      return 'streamed';
    }),
  ];
}

/** Begins a stream of server-sent events, with the headers that were set for the reply. */
function beginStream(reply: FastifyReply): void {
  const headers = reply.getHeaders();
  reply.hijack();
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) reply.raw.setHeader(name, value);
  // x-accel-buffering: a buffering proxy would deliver everything at the end.
  reply.raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'keep-alive' });
  reply.raw.write('retry: 2000\n\n');
}
