import { createForgeries } from '../../grab/forgeries.ts';
import { throttled, type Logger } from '../../platform/telemetry/log.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import type { Signer } from '../../store/signer.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { FORGED_LOG_MS, OTHER_KEY_LOG_MS } from './limits.ts';

interface ForgedPacketsOptions {
  /** The connection grabs go through. */
  redis: RedisClient;
  signer: Signer;
  counters: Pick<GatewayCounters, 'spoiled'>;
  log: Logger;
  onFault: (error: unknown) => void;
}

/** Packets that nobody has signed are set aside, counted and reported. */
export function openForgedPackets({ redis, signer, counters, log, onFault }: ForgedPacketsOptions) {
  const reportForged = throttled(
    (facts: object) =>
      log.error(
        facts,
        'Redis held packets that were not signed with SIGNING_SECRET: they were set aside and nobody was told of them; somebody else writes to this Redis',
      ),
    FORGED_LOG_MS,
  );
  const reportOtherKey = throttled(
    (rainId: string) =>
      log.error(
        { rainId, keyId: signer.keyId },
        'the packets of this rain are signed with another SIGNING_SECRET than this gateway has, or not at all: its players get "busy"; give all processes the same secret, or close the rain and create it again',
      ),
    OTHER_KEY_LOG_MS,
  );
  const forgeries = createForgeries({
    redis,
    signer,
    onFault,
    onOtherKey: reportOtherKey,
    onSpoiled(rainId, forged) {
      counters.spoiled += forged.length;
      reportForged({ rainId, forged: forged.length, redPacketId: forged[0]!.redPacketId });
    },
  });
  return {
    ...forgeries,
    /** To be called once for each new rain. */
    warnOfOtherKey(rainId: string, signedBy: string | undefined): void {
      if (!signer.under(signedBy)) reportOtherKey(rainId);
    },
  };
}
