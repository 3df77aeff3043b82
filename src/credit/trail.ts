import type { Claim } from '../rain/claim.ts';
import { stepBefore, traceOf } from '../rain/packet-trace.ts';
import type { Traces } from '../platform/telemetry/traces.ts';

/** Claims that are credited and whose users have been told; times in epoch ms. */
export interface Announced {
  rainId: string;
  job: string;
  claims: readonly Claim[];
  takenUpAt: number;
  committedAt: number;
  announcedAt: number;
}

/** Reports the spans `credit` and `announce` of each traced claim. */
export function traceAnnounced(
  traces: Traces,
  { rainId, job, claims, takenUpAt, committedAt, announcedAt }: Announced,
): void {
  for (const { redPacketId } of claims) {
    const of = traceOf({ rainId, redPacketId });
    if (!traces.follows(of)) continue;
    const attributes = {
      'rain.id': rainId,
      'rain.red_packet_id': redPacketId,
      'rain.job': job,
      'rain.claims': claims.length,
    };
    traces.tell({
      of,
      name: 'credit',
      after: stepBefore('credit'),
      startMs: takenUpAt,
      endMs: committedAt,
      attributes,
    });
    traces.tell({
      of,
      name: 'announce',
      after: stepBefore('announce'),
      startMs: committedAt,
      endMs: announcedAt,
      attributes,
    });
  }
}
