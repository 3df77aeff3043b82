import { shardKeys } from '../store/keys.ts';
import { setForeignAside } from '../store/endMoves.ts';
import { announce } from '../store/moves.ts';
import { run } from '../store/scripts.ts';
import { announceChange, pause } from '../store/transitions.ts';
import type { Audit } from '../operator/audit.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { createTamperingResponse, type OnTampering } from './tamperingResponse.ts';

/** Pauses a rain that was tampered with, and puts users back whom the dedupe hash has lost. */
export function createRainResponse({
  context,
  log,
  onTampering,
}: {
  context: OperatorContext;
  log: Logger;
  onTampering: OnTampering;
}) {
  const { redis, ledger } = context;
  const response = createTamperingResponse({ ledger, log, onTampering, what: 'rain' });

  /** A shard whose state is gone grants nothing; the others are paused all the same. */
  async function pauseTheRest(rainId: string, shards: number): Promise<boolean> {
    const states = await Promise.allSettled(
      Array.from({ length: shards }, (_, shard) => run(redis, 'pause', [shardKeys(rainId, shard).state], [])),
    );
    await announceChange(redis, rainId);
    return states.some((state) => state.status === 'fulfilled' && state.value === 'paused');
  }

  /** @returns how many users have their entry of the dedupe hash again */
  async function putBack(rainId: string, missing: Audit['missing']): Promise<number> {
    let users = 0;
    for (const { shard, index, entry, claim } of missing) {
      const { state, claimed, claims } = shardKeys(rainId, shard);
      if ((await run(redis, 'remember', [state, claimed, claims], [claim.userId, entry, index])) === 1) users++;
    }
    if (users > 0)
      log.warn({ rainId, users }, 'users were missing in the dedupe hash and were put back from the claim log');
    return users;
  }

  /**
   * Puts right the flags by which the shards know of each other, and takes away entries that are no move [R13].
   * @returns how often
   */
  async function tellShards(
    rainId: string,
    shards: number,
    { tampering, untold }: Pick<Audit, 'tampering' | 'untold'>,
  ): Promise<number> {
    const hasForeign = tampering.some(({ kind }) => kind === 'false_move');
    if (hasForeign) await setForeignAside(redis, rainId, shards);
    if (untold > 0) await announce(redis, rainId, shards, untold, true);
    if (untold > 0) log.warn({ rainId }, 'a shard did not know that others have packets; it was told again');
    return Number(untold > 0) + Number(hasForeign);
  }

  return {
    /** @returns how many findings it has healed */
    async respond(rainId: string, shards: number, { tampering, missing, untold }: Audit): Promise<number> {
      if (tampering.length === 0 && untold === 0) return 0;
      const stop = async () =>
        tampering.some(({ kind }) => kind === 'state_gone')
          ? pauseTheRest(rainId, shards)
          : (await pause(redis, rainId, shards)) === 'paused';
      // Both are tried: a state that was tampered with may not let itself be paused.
      const [stopping, putting, telling] = await Promise.allSettled([
        response.respond(rainId, tampering, stop),
        putBack(rainId, missing),
        tellShards(rainId, shards, { tampering, untold }),
      ]);
      if (stopping.status === 'rejected') throw stopping.reason;
      if (putting.status === 'rejected') throw putting.reason;
      if (telling.status === 'rejected') throw telling.reason;
      return putting.value + telling.value;
    },
    forget: response.forget,
  };
}
