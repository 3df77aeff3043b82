import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import { announceChange, pause } from '../store/transitions.ts';
import type { Audit } from '../operator/audit.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { createTamperingResponse, type OnTampering } from './tamperingResponse.ts';

/** Pauses a rain that was tampered with, and puts users back whom the dedupe hash has lost. */
export function createRainResponse({ context, log, onTampering }: { context: OperatorContext; log: Logger; onTampering: OnTampering }) {
  const { redis, ledger } = context;
  const response = createTamperingResponse({ ledger, log, onTampering, what: 'rain' });

  /** A shard whose state is gone grants nothing; the others are paused all the same. */
  async function pauseTheRest(rainId: string, shards: number): Promise<boolean> {
    const states = await Promise.allSettled(Array.from({ length: shards }, (_, shard) => run(redis, 'pause', [shardKeys(rainId, shard).state], [])));
    await announceChange(redis, rainId);
    return states.some((state) => state.status === 'fulfilled' && state.value === 'paused');
  }

  /** @returns how many users have their entry of the dedupe hash again */
  async function putBack(rainId: string, missing: Audit['missing']): Promise<number> {
    let users = 0;
    for (const { shard, index, entry, claim } of missing) {
      const { state, claimed, claims } = shardKeys(rainId, shard);
      if (await run(redis, 'remember', [state, claimed, claims], [claim.userId, entry, index]) === 1) users++;
    }
    if (users > 0) log.warn({ rainId, users }, 'users were missing in the dedupe hash and were put back from the claim log');
    return users;
  }

  return {
    /** @returns how many findings it has healed */
    async respond(rainId: string, shards: number, { tampering, missing }: Audit): Promise<number> {
      if (tampering.length === 0) return 0;
      const stop = async () => (tampering.some(({ kind }) => kind === 'state_gone') ? pauseTheRest(rainId, shards) : await pause(redis, rainId, shards) === 'paused');
      // Both are tried: a state that was tampered with may not let itself be paused.
      const [stopping, putting] = await Promise.allSettled([response.respond(rainId, tampering, stop), putBack(rainId, missing)]);
      if (stopping.status === 'rejected') throw stopping.reason;
      if (putting.status === 'rejected') throw putting.reason;
      return putting.value;
    },
    forget: response.forget,
  };
}
