import { createHash } from 'node:crypto';
import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import { announceChange, pause } from '../store/transitions.ts';
import type { Audit } from '../operator/audit.ts';
import { countKinds, tamperingKey, type Tampering } from '../operator/audit/tampering.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';

/** `pause`: a rain that was tampered with is paused at once; `report`: it goes on. */
export type OnTampering = 'pause' | 'report';

/** The actor of such a pause in the record of actions. */
const ACTOR = 'auditor';
/** Findings that one action records, of the findings of one audit [R10]. */
const RECORDED_MAX = 100;
const SENTENCES_MAX = 3;
/** Actions of a rain that are searched for earlier pauses [R10]. */
const ACTIONS_MAX = 500;

type Marked = Tampering & { mark: string };

/** Short, and without what a thief wrote. */
function markOf(finding: Tampering): string {
  return createHash('sha256').update(tamperingKey(finding)).digest('hex').slice(0, 16);
}

function sentencesOf(found: readonly Tampering[]): string[] {
  return found.slice(0, SENTENCES_MAX).map(({ sentence }) => sentence);
}

/** What is done at once when an audit finds that somebody changed a rain by hand. It remembers one rain until `forget`. */
export function createTamperingResponse({ context, log, onTampering }: { context: OperatorContext; log: Logger; onTampering: OnTampering }) {
  /** rainId → marks of the findings that were logged, and of those that the rain was paused for. */
  const logged = new Map<string, Set<string>>();
  const stopped = new Map<string, Set<string>>();

  /** Pauses the rain once for the same findings: the operator may have resumed it since, also before this process began. */
  async function stop(rainId: string, shards: number, found: readonly Marked[]): Promise<void> {
    const known = stopped.get(rainId) ?? await earlierMarks(rainId);
    stopped.set(rainId, known);
    const fresh = found.filter(({ mark }) => !known.has(mark));
    if (fresh.length === 0) return;
    // It has ended or is not loaded yet: nobody can win in it now.
    const paused = found.some(({ kind }) => kind === 'state_gone') ? await pauseTheRest(rainId, shards) : await pause(context.redis, rainId, shards) === 'paused';
    if (!paused) return;
    await context.ledger.record({ actor: ACTOR, verb: 'pause', rainId, details: { reason: sentencesOf(fresh).join('; '), findings: fresh.map(({ mark }) => mark) } });
    for (const { mark } of fresh) known.add(mark);
    log.error({ rainId }, 'the rain is paused, because it was tampered with; look at it with rain audit before you resume it');
  }

  /** A shard whose state is gone grants nothing; the others are paused all the same. */
  async function pauseTheRest(rainId: string, shards: number): Promise<boolean> {
    const states = await Promise.allSettled(Array.from({ length: shards }, (_, shard) => run(context.redis, 'pause', [shardKeys(rainId, shard).state], [])));
    await announceChange(context.redis, rainId);
    return states.some((state) => state.status === 'fulfilled' && state.value === 'paused');
  }

  async function earlierMarks(rainId: string): Promise<Set<string>> {
    const actions = await context.ledger.latestActions({ rainId, limit: ACTIONS_MAX });
    return new Set(actions.filter(({ verb, actor }) => verb === 'pause' && actor === ACTOR).flatMap(({ details }) => {
      const findings: unknown = details?.['findings'];
      return Array.isArray(findings) ? findings.map(String) : [];
    }));
  }

  /** @returns how many users have their entry of the dedupe hash again */
  async function putBack(rainId: string, missing: Audit['missing']): Promise<number> {
    let users = 0;
    for (const { shard, index, entry, claim } of missing) {
      const { state, claimed, claims } = shardKeys(rainId, shard);
      if (await run(context.redis, 'remember', [state, claimed, claims], [claim.userId, entry, index]) === 1) users++;
    }
    if (users > 0) log.warn({ rainId, users }, 'users were missing in the dedupe hash and were put back from the claim log');
    return users;
  }

  return {
    /** @returns how many findings it has healed */
    async respond(rainId: string, shards: number, { tampering, missing }: Audit): Promise<number> {
      if (tampering.length === 0) return 0;
      const found = tampering.slice(0, RECORDED_MAX).map((finding) => ({ ...finding, mark: markOf(finding) }));
      const known = logged.get(rainId);
      if (!known || found.some(({ mark }) => !known.has(mark))) {
        log.error({ rainId, kinds: countKinds(tampering), first: sentencesOf(found) }, 'A LIVE RAIN WAS TAMPERED WITH; check it with: rain audit');
        logged.set(rainId, new Set(found.map(({ mark }) => mark)));
      }
      // Both are tried: a state that was tampered with may not let itself be paused.
      const [stopping, putting] = await Promise.allSettled([onTampering === 'pause' ? stop(rainId, shards, found) : undefined, putBack(rainId, missing)]);
      if (stopping.status === 'rejected') throw stopping.reason;
      if (putting.status === 'rejected') throw putting.reason;
      return putting.value;
    },
    forget(rainId: string): void {
      logged.delete(rainId);
      stopped.delete(rainId);
    },
  };
}
