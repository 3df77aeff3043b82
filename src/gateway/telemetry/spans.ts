import type { AnsweredBatch } from '../../grab/batcher.ts';
import type { GrabAnswer } from '../../grab/engine.ts';
import { stepBefore, traceOf } from '../../rain/packet-trace.ts';
import { epochOf, type Traces } from '../../platform/telemetry/traces.ts';

/** Records the first span of every traced win. Losers are not traced: there would be a million spans. */
export function traceWins(
  traces: Traces,
  { id: rainId, shard, pending, answers, openedAt, answeredAt }: AnsweredBatch<unknown, GrabAnswer>,
): void {
  for (const answer of answers) {
    if (answer.code !== '0') continue;
    const of = traceOf({ rainId, redPacketId: answer.redPacketId });
    if (!traces.follows(of)) continue;
    traces.tell({
      of,
      name: 'grab',
      startMs: epochOf(openedAt),
      endMs: epochOf(answeredAt),
      attributes: {
        'rain.id': rainId,
        'rain.red_packet_id': answer.redPacketId,
        'rain.shard': shard,
        'rain.batch': pending.length,
      },
    });
  }
}

/** Records the last span: the user's sockets at this gateway have been sent `credited`. */
export function traceCredited(
  traces: Traces,
  rainId: string,
  redPacketId: string,
  sockets: number,
  startMs: number,
): void {
  const of = traceOf({ rainId, redPacketId });
  if (!traces.follows(of)) return;
  traces.tell({
    of,
    name: 'told',
    after: stepBefore('told'),
    startMs,
    endMs: epochOf(performance.now()),
    attributes: { 'rain.id': rainId, 'rain.red_packet_id': redPacketId, 'rain.sockets': sockets },
  });
}
