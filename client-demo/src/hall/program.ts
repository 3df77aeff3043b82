import type { RainSnapshot } from '../../../src/client/client.ts';

type Kind = 'rain' | 'sale';
export type Announced = Pick<RainSnapshot, 'title' | 'state' | 'opensAt' | 'closesAt'> & { kind: Kind; id: string };

/** The content of the screen. `over`: nothing more happens in it, since `endedAt` (epoch ms by the server's clock). */
export type Current = Pick<Announced, 'kind' | 'id'> &
  ({ phase: 'ahead' | 'on' } | { phase: 'over'; endedAt: number; rehearsal?: true });

/** Remembered of each kind. An evening never has more ahead. */
const ANNOUNCED_MAX = 32;
/** So long before its start it comes onto the screen; of a sale people have to scan the address first. */
const LEAD_MS: Record<Kind, number> = { rain: 15_000, sale: 60_000 };
/** So long the end of a rain or sale stays, unless a rain is open. */
const END_MS = 8_000;
/**
 * After this what comes next is counted down to, however far it is: people come, and look for the code. After a
 * rehearsal nobody keeps the luckiest.
 */
const [END_LONG_MS, REHEARSAL_END_MS] = [180_000, 30_000];
/** The same before a sale that was open already: the luckiest stand on the screen meanwhile. */
const END_BEFORE_OPEN_SALE_MS = 30_000;

/**
 * The rains and sales that are announced, and which of them belongs on the screen. A rain goes before a sale: it is
 * over soon.
 */
export class Program {
  readonly #announced = new Map<string, Announced>();
  readonly #finished = new Set<string>();

  /** All of a kind that are listed now: an end may have been missed. */
  list(kind: Kind, all: readonly Announced[]): void {
    for (const [key, one] of this.#announced) if (one.kind === kind) this.#announced.delete(key);
    for (const one of all) this.update(one);
  }

  update(one: Announced): void {
    this.#announced.delete(keyOf(one));
    if (one.state === 'draft' || one.state === 'closed' || one.state === 'settled') return;
    this.#announced.set(keyOf(one), one);
    const ofKind = [...this.#announced.keys()].filter((key) => key.startsWith(`${one.kind} `));
    if (ofKind.length > ANNOUNCED_MAX) this.#announced.delete(ofKind[0]!);
  }

  /** Its end has been on the screen, or there is no such thing. */
  finish(one: Pick<Announced, 'kind' | 'id'>): void {
    this.#finished.add(keyOf(one));
    if (this.#finished.size > ANNOUNCED_MAX) this.#finished.delete(this.#finished.keys().next().value!);
  }

  /** @returns the one that is on or comes next besides the current one. @param now epoch ms by the server's clock */
  next(current: Current | undefined, now: number): Announced | undefined {
    return this.#inOrder(now).find((one) => !current || keyOf(one) !== keyOf(current));
  }

  /** @returns the one that belongs on the screen in place of the current one; `undefined`: the current one stays */
  takesOver(current: Current | undefined, now: number): Announced | undefined {
    const next = this.next(current, now);
    if (!current || !next) return next;
    switch (current.phase) {
      case 'ahead':
        return keyOf(this.#inOrder(now)[0]!) === keyOf(current) ? undefined : next;
      case 'on':
        return current.kind === 'sale' && rankOf(next, now) === 0 ? next : undefined;
      case 'over':
        return isDue(next, current, now) ? next : undefined;
    }
  }

  #inOrder(now: number): Announced[] {
    return [...this.#announced.values()]
      .filter((one) => one.closesAt > now && !this.#finished.has(keyOf(one)))
      .sort((a, b) => rankOf(a, now) - rankOf(b, now) || a.opensAt - b.opensAt);
  }
}

const keyOf = ({ kind, id }: Pick<Announced, 'kind' | 'id'>): string => `${kind} ${id}`;

/** A rain that is on or about to start, then a sale that is on, then the earliest. */
function rankOf({ kind, state, opensAt }: Announced, now: number): number {
  if (state === 'paused') return 2;
  if (kind === 'rain') return opensAt - LEAD_MS.rain <= now ? 0 : 2;
  return opensAt <= now ? 1 : 2;
}

/** Whether it may replace this end. */
function isDue(
  { kind, opensAt }: Announced,
  { endedAt, rehearsal }: Extract<Current, { phase: 'over' }>,
  now: number,
): boolean {
  if (now - endedAt >= (rehearsal ? REHEARSAL_END_MS : END_LONG_MS)) return true;
  if (kind === 'rain' && opensAt <= now) return true;
  if (opensAt <= endedAt) return now - endedAt >= END_BEFORE_OPEN_SALE_MS;
  return opensAt - LEAD_MS[kind] <= now && now - endedAt >= END_MS;
}
