import type { RainState, RainWindow } from '../../rain/rain.ts';
import { NO_TICKETS } from '../../rain/ticketRules.ts';
import { CHALLENGE_LIMITS } from '../challenge/limits.ts';
import type { OwnTicketRules } from '../challenge/rules.ts';
import { POLL_MS, READ_WHOLE_MS, SNAPSHOT_AGE_MS_MAX } from './limits.ts';

/** When a reading from Redis began. */
export interface Reading {
  /** Epoch ms by Redis's clock as estimated then. */
  readAt: number;
  /**
   * The same moment, ms of the monotonic clock. Redis's clock may be set or replaced; then a newer reading might seem
   * older.
   */
  readAtMonotonic: number;
}

export function isFresh({ readAtMonotonic }: Pick<Reading, 'readAtMonotonic'>): boolean {
  return performance.now() - readAtMonotonic <= SNAPSHOT_AGE_MS_MAX;
}

/**
 * `announcement`: also of use to users who do not watch it, since it is new, or its title or times are, or an operator
 * has paused, resumed or ended it; `change`: anything else; `left`: only what is left.
 */
export type SnapshotChange = 'announcement' | 'change' | 'left';

export interface SnapshotCacheRules<Stored, Snapshot> {
  /** Called with each snapshot that viewers have not received yet. */
  onChange: (snapshot: Snapshot, event: SnapshotChange) => void;
  /** Called once with each of which Redis has lost all or a part, although it is not settled, as it was last read. */
  onLost?: (stored: Stored & Reading) => void;
  /** Called with what is known no more, as it was last read. */
  onLeft?: (stored: Stored & Reading) => void;
  onFault: (error: unknown) => void;
  /** Minimum pause between two messages that only update what is left, ms; default 0. */
  restMs?: () => number;
  pollMs?: number;
  /** How often all are read although the version is the same, ms. */
  wholeMs?: number;
  /** This gateway's own requirements, on top of those of a rain or sale; default: none. */
  ticketRules?: OwnTicketRules;
}

/** The part of a snapshot that changes with each purchase. */
export interface Remainder {
  /** All but the time and what is left, as text. */
  event: string;
  left: string;
  /** Items of which nothing is left: a change of this is sent at once. */
  gone: string;
}

/** Rains or sales as last read from Redis. They only inform viewers; the script alone decides. */
export abstract class SnapshotCache<
  Live,
  Stored extends RainWindow,
  Snapshot extends Omit<RainWindow, 'state'> & { state: RainState; title: string; serverTime: number },
> {
  protected readonly rules: Required<SnapshotCacheRules<Stored, Snapshot>>;
  readonly #known = new Map<string, Stored & Reading>();
  /** Known ones that Redis has lost, in whole or in part. */
  readonly #lost = new Set<string>();
  /** The last sent remainder, and when, ms of the monotonic clock. */
  readonly #lastSent = new Map<string, Remainder & { at: number }>();
  /** The last announcement of those that are ready. */
  readonly #announced = new Map<string, string>();
  /** Lookups of unknown ids that are in flight. */
  readonly #finding = new Map<string, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  /**
   * When all are to be read again, ms of the monotonic clock. Readings of single ones, which may be many, do not delay
   * it.
   */
  #rereadAt = 0;
  /** The version when all were last read, and when they are to be read in any case, ms of the monotonic clock. */
  #version: string | undefined;
  #wholeAt = 0;
  /** Ids that somebody has asked for since the last two polls. */
  #asked = new Set<string>();
  #askedBefore = new Set<string>();
  #changes = 0;
  #closed = false;

  constructor(rules: SnapshotCacheRules<Stored, Snapshot>) {
    this.rules = {
      pollMs: POLL_MS,
      wholeMs: READ_WHOLE_MS,
      ticketRules: { ...NO_TICKETS, leadMs: CHALLENGE_LIMITS.ticketLeadMs },
      restMs: () => 0,
      onLost: () => {},
      onLeft: () => {},
      ...rules,
    };
  }

  /** Redis's clock as estimated here, epoch ms. */
  abstract now(): number;
  /**
   * A text that is another one after every change of any of them; `undefined`: there is none, and all are read at each
   * poll.
   */
  protected abstract readVersion(): Promise<string | undefined>;
  /** Whether it is read at each poll, since it changes without a change of the version. */
  protected abstract isBusy(stored: Stored, now: number): boolean;
  /** The index of all that are not settled. */
  protected abstract readIndex(): Promise<Map<string, Live>>;
  /** As the index had it. */
  protected abstract liveOf(stored: Stored): Live;
  protected abstract findLive(id: string): Promise<Live | undefined>;
  /** Whether the index has it as not settled. */
  protected abstract isListed(id: string): Promise<boolean>;
  /** Whether Redis has one that is not settled, or a part of it, although the index names none. */
  protected abstract isUnindexed(id: string): Promise<boolean>;
  /** `undefined`: Redis has nothing of it. */
  protected abstract readStored(id: string, live: Live): Promise<Stored | undefined>;
  /** Whether Redis has lost a part of it. */
  protected abstract lacks(stored: Stored): boolean;
  protected abstract show(stored: Stored, now: number): Snapshot;
  protected abstract remainderOf(snapshot: Snapshot): Remainder;

  /** @throws when Redis cannot be read: a gateway must not open without knowing what it serves */
  async start(): Promise<void> {
    await this.#readAll();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** The latest reading. */
  reading(id: string): (Stored & Reading) | undefined {
    const stored = this.#known.get(id);
    if (stored) this.#asked.add(id);
    return stored;
  }

  /**
   * Whether Redis lacks all or a part of one that is known here and not settled: what is not found there is no proof
   * that it never was.
   */
  isLost(id: string): boolean {
    return this.#lost.has(id);
  }

  /** Whether one is known here that is not settled: "no such one", said by Redis, is then untrue. */
  isUnsettled(id: string): boolean {
    return (this.#known.get(id)?.state ?? 'settled') !== 'settled';
  }

  readings(): IterableIterator<Stored & Reading> {
    return this.#known.values();
  }

  /** While this number is the same, so are the readings. */
  get changes(): number {
    return this.#changes;
  }

  /** The next opening or end after this moment: until then no state changes by itself. */
  nextMoment(now: number): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { opensAt, closesAt } of this.#known.values()) {
      for (const moment of [opensAt, closesAt]) if (moment > now) next = Math.min(next, moment);
    }
    return next;
  }

  /**
   * Looks up an id that is not known yet: it may have been created a moment ago.
   * @throws when Redis cannot be read then, or lists it and has nothing of it
   */
  async find(id: string): Promise<Snapshot | undefined> {
    if (!this.#known.has(id)) {
      // A thousand early messages share one lookup in Redis.
      const lookup = this.#finding.get(id) ?? this.#readOne(id).finally(() => this.#finding.delete(id));
      this.#finding.set(id, lookup);
      await lookup;
    }
    return this.snapshot(id);
  }

  snapshot(id: string): Snapshot | undefined {
    const stored = this.#known.get(id);
    return stored && this.show(stored, this.now());
  }

  /** Reads one again and informs viewers of changes. Never throws. */
  refresh(id: string): Promise<void> {
    return this.#readOne(id).catch(this.rules.onFault);
  }

  async #readOne(id: string): Promise<void> {
    const live = await this.findLive(id);
    await this.#read(id, live);
    this.#schedule();
    if (this.#known.has(id)) return;
    if (live && (await this.isListed(id))) throw new Error(`Redis has lost ${id}, which its index of live ones names`);
    if (!live && (await this.isUnindexed(id))) throw new Error(`the index of live ones in Redis has lost ${id}`);
  }

  async #readAll(): Promise<void> {
    this.#rereadAt = performance.now() + this.rules.pollMs;
    const version = await this.readVersion();
    const whole = version === undefined || version !== this.#version || performance.now() >= this.#wholeAt;
    if (whole) this.#version = undefined;
    const chosen = whole ? await this.#listed() : this.#busy();
    [this.#askedBefore, this.#asked] = [this.#asked, new Set()];
    const read = await Promise.allSettled(chosen.map(([id, live]) => this.#read(id, live)));
    // A key that somebody has spoiled must not keep the others from being read.
    const faults = read.filter((one) => one.status === 'rejected');
    for (const { reason } of faults) this.rules.onFault(reason);
    if (!whole || faults.length > 0) return;
    this.#version = version;
    this.#wholeAt = performance.now() + this.rules.wholeMs;
  }

  #busy(): [string, Live][] {
    const now = this.now();
    return [...this.#known]
      .filter(([id, stored]) => this.isBusy(stored, now) || this.#asked.has(id) || this.#askedBefore.has(id))
      .map(([id, stored]) => [id, this.liveOf(stored)]);
  }

  async #listed(): Promise<[string, Live | undefined][]> {
    const found = await this.readIndex();
    const known: [string, Live | undefined][] = [...found];
    for (const [id, stored] of this.#known) {
      if (found.has(id)) continue;
      // Not in the index: settled a moment ago (one more reading shows it), settled long ago, or lost.
      if (stored.state === 'settled') this.#forget(id);
      else known.push([id, this.liveOf(stored)]);
    }
    return known;
  }

  async #read(id: string, live: Live | undefined): Promise<void> {
    const [readAt, readAtMonotonic] = [this.now(), performance.now()];
    const stored = live && (await this.readStored(id, live));
    if (!stored) return this.#miss(id);
    // Two readings may be in flight, and the earlier one may end later.
    if (readAtMonotonic < (this.#known.get(id)?.readAtMonotonic ?? 0)) return;
    this.#known.set(id, { ...stored, readAt, readAtMonotonic });
    this.#changes++;
    if (this.lacks(stored)) this.#lose(id);
    else this.#lost.delete(id);
    this.#announceChange(id);
  }

  /** The last reading of one that is not over stays, so that nobody hears a final word that rests on the loss. */
  #miss(id: string): void {
    const stored = this.#known.get(id);
    if (stored && stored.state !== 'settled') {
      this.#lose(id);
      if (stored.state !== 'draft' && this.now() < stored.closesAt) return;
    }
    this.#forget(id);
  }

  #lose(id: string): void {
    if (this.#lost.has(id)) return;
    this.#lost.add(id);
    this.rules.onLost(this.#known.get(id)!);
  }

  #forget(id: string): void {
    const stored = this.#known.get(id);
    this.#known.delete(id);
    this.#lost.delete(id);
    this.#changes++;
    this.#lastSent.delete(id);
    this.#announced.delete(id);
    if (stored) this.rules.onLeft(stored);
  }

  #announceChange(id: string): void {
    const snapshot = this.snapshot(id)!;
    const remainder = this.remainderOf(snapshot);
    const { event, left, gone } = remainder;
    const before = this.#lastSent.get(id);
    const [same, sameGone] = [before?.event === event, before?.gone === gone];
    // That nothing is left is sent at once. Other numbers are sent at intervals; a later reading sends the current one.
    if (before && same && (before.left === left || (sameGone && performance.now() - before.at < this.rules.restMs())))
      return;
    this.#lastSent.set(id, { ...remainder, at: performance.now() });
    // Settled long ago and found again by a late viewer: only that viewer is answered.
    if (before === undefined && snapshot.state === 'settled') return;
    this.rules.onChange(
      snapshot,
      this.#isAnnouncement(id, snapshot) ? 'announcement' : same && sameGone ? 'left' : 'change',
    );
  }

  /** That the clock opens or closes it is no news: everybody knows its times. */
  #isAnnouncement(id: string, { state, title, opensAt, closesAt, serverTime }: Snapshot): boolean {
    if (state === 'draft') return false;
    const standing = state === 'loaded' || state === 'open' ? 'on' : state === 'paused' ? 'paused' : 'ended';
    const [before, announced] = [this.#announced.get(id), JSON.stringify([title, opensAt, closesAt, standing])];
    if (before === announced || (before !== undefined && serverTime >= closesAt)) return false;
    this.#announced.set(id, announced);
    return true;
  }

  /** Wakes at the next opening or end, or when Redis must be polled again. */
  #schedule(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const now = this.now();
    const wait = Math.min(this.#rereadAt - performance.now(), this.nextMoment(now) - now);
    this.#timer = setTimeout(() => void this.#wake(), Math.max(1, wait));
  }

  async #wake(): Promise<void> {
    for (const id of this.#known.keys()) this.#announceChange(id);
    await this.#readAll().catch(this.rules.onFault);
    this.#schedule();
  }
}
