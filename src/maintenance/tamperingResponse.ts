import { createHash } from 'node:crypto';
import { countKinds, tamperingKey, type Tampering } from '../operator/audit/tampering.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';

/** `pause`: a rain or sale that was tampered with is paused at once; `report`: it goes on. */
export type OnTampering = 'pause' | 'report';

/** The actor of such a pause in the record of actions. */
const AUDITOR = 'auditor';
/** Findings that one action records, of the findings of one audit [R10]. */
const RECORDED_MAX = 100;
const SENTENCES_MAX = 3;
/** Actions of a rain or sale that are searched for earlier pauses [R10]. */
const ACTIONS_MAX = 500;

type Found = Tampering<string>;
type Marked = Found & { mark: string };

/** Short, and without what a thief wrote. */
function markOf(finding: Found): string {
  return createHash('sha256').update(tamperingKey(finding)).digest('hex').slice(0, 16);
}

function sentencesOf(found: readonly Found[]): string[] {
  return found.slice(0, SENTENCES_MAX).map(({ sentence }) => sentence);
}

interface TamperingResponseOptions {
  ledger: Pick<OperatorContext['ledger'], 'latestActions' | 'record'>;
  log: Logger;
  onTampering: OnTampering;
  what: 'rain' | 'sale';
}

/**
 * The response at once when an audit finds that somebody changed a rain or a sale by hand. It remembers one until
 * `forget`.
 */
export function createTamperingResponse({ ledger, log, onTampering, what }: TamperingResponseOptions) {
  /** Id → marks of the findings that were logged, and of those that it was paused for. */
  const logged = new Map<string, Set<string>>();
  const stopped = new Map<string, Set<string>>();
  const label = (id: string) => (what === 'rain' ? { rainId: id } : { saleId: id });
  const command = what === 'rain' ? 'rain audit' : 'rain sale audit';

  /** Pauses it once for the same findings: the operator may have resumed it since, also before this process began. */
  async function stop(id: string, found: readonly Marked[], pause: () => Promise<boolean>): Promise<void> {
    const known = stopped.get(id) ?? (await earlierMarks(id));
    stopped.set(id, known);
    const fresh = found.filter(({ mark }) => !known.has(mark));
    if (fresh.length === 0) return;
    // It has ended or is not loaded yet: nobody can win or buy in it now.
    if (!(await pause())) return;
    await ledger.record({
      actor: AUDITOR,
      verb: 'pause',
      rainId: id,
      details: { reason: sentencesOf(fresh).join('; '), findings: fresh.map(({ mark }) => mark) },
    });
    for (const { mark } of fresh) known.add(mark);
    log.error(
      label(id),
      `the ${what} is paused, because it was tampered with; look at it with ${command} before you resume it`,
    );
  }

  async function earlierMarks(id: string): Promise<Set<string>> {
    const actions = await ledger.latestActions({ rainId: id, limit: ACTIONS_MAX });
    return new Set(
      actions
        .filter(({ verb, actor }) => verb === 'pause' && actor === AUDITOR)
        .flatMap(({ details }) => {
          const findings: unknown = details?.['findings'];
          return Array.isArray(findings) ? findings.map(String) : [];
        }),
    );
  }

  return {
    /** @param pause returns whether it is paused now */
    async respond(id: string, tampering: readonly Found[], pause: () => Promise<boolean>): Promise<void> {
      if (tampering.length === 0) return;
      const found = tampering.slice(0, RECORDED_MAX).map((finding) => ({ ...finding, mark: markOf(finding) }));
      const known = logged.get(id);
      if (!known || found.some(({ mark }) => !known.has(mark))) {
        log.error(
          { ...label(id), kinds: countKinds(tampering), first: sentencesOf(found) },
          `A LIVE ${what.toUpperCase()} WAS TAMPERED WITH; check it with: ${command}`,
        );
        logged.set(id, new Set(found.map(({ mark }) => mark)));
      }
      if (onTampering === 'pause') await stop(id, found, pause);
    },
    forget(id: string): void {
      logged.delete(id);
      stopped.delete(id);
    },
  };
}
