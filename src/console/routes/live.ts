import type { FastifyReply } from 'fastify';
import { liveApi } from '../contract/live.ts';
import type { Pace } from '../live/sampler.ts';
import type { LiveFeeds } from '../live/liveFeeds.ts';
import { declined, rainRoute, type Route } from './route.ts';

/** A slow browser misses samples above this backlog. The next sample is complete in itself [R10]. */
const UNREAD_BYTES_MAX = 64 * 1_024;

export function liveRoutes(liveFeeds: LiveFeeds, { recheckMs }: Pick<Pace, 'recheckMs'>): readonly Route[] {
  return [
    rainRoute(liveApi.watch, async ({ visitor, params: { rainId }, reply }) => {
      const stream = openStream(reply);
      const leave = liveFeeds.watch(rainId, { show: (sample) => stream.event('sample', sample), end: stream.end });
      if (!leave) return declined('too_many');
      stream.begin();
      const rechecks = setInterval(() => void visitor.isStillValid().then((valid) => { if (!valid) stream.end(); }, () => {}), recheckMs);
      const left = () => {
        clearInterval(rechecks);
        leave();
      };
      // The browser may have left during the lookup; then `close` does not fire again.
      if (reply.raw.destroyed) left();
      else reply.raw.once('close', left);
      return 'streamed';
    }),
  ];
}

/** A stream of server-sent events. Of the events before `begin` only the last is sent, at the beginning. */
function openStream(reply: FastifyReply) {
  const { raw } = reply;
  let first: string | undefined;
  let begun = false;
  return {
    begin(): void {
      const headers = reply.getHeaders();
      reply.hijack();
      for (const [name, value] of Object.entries(headers)) if (value !== undefined) raw.setHeader(name, value);
      // x-accel-buffering: a buffering proxy would deliver everything at the end.
      raw.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', connection: 'keep-alive' });
      raw.write(`retry: 2000\n\n${first ?? ''}`);
      begun = true;
    },
    event(name: string, data: unknown): void {
      const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
      if (!begun) first = text;
      else if (raw.writableLength <= UNREAD_BYTES_MAX) raw.write(text);
    },
    end: () => void raw.end(),
  };
}
