import type { CreditJob } from '../credit/job.ts';
import { parseClaim } from '../rain/claim.ts';
import { stepBefore, traceOf } from '../rain/packet-trace.ts';
import type { Traces } from '../platform/telemetry/traces.ts';

/** Reports the span `relay` of each traced claim. It parses every entry: call it only when tracing is on. */
export function traceCarried(
  traces: Traces,
  { rainId, shard, from, entries }: CreditJob,
  startMs: number,
  endMs = Date.now(),
): void {
  entries.forEach((entry, i) => {
    const parsed = parseClaim(entry);
    if (!parsed.ok) return;
    const of = traceOf(parsed.claim);
    if (!traces.follows(of)) return;
    traces.tell({
      of,
      name: 'relay',
      after: stepBefore('relay'),
      startMs,
      endMs,
      attributes: {
        'rain.id': rainId,
        'rain.red_packet_id': parsed.claim.redPacketId,
        'rain.shard': shard,
        'rain.entry': from + i,
      },
    });
  });
}
