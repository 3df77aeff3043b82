import { TokenBucket } from 'limiter';

/**
 * The remaining messages of one user or address, on all its sockets. The session holds it, so that no message needs a
 * lookup.
 */
export interface CallerBucket {
  readonly name: string;
  readonly bucket: TokenBucket;
  sockets: number;
  /** Messages refused since `refusedFrom`, ms of the monotonic clock. */
  refused: number;
  refusedFrom: number;
}

interface CallerBucketRules {
  perSecond: number;
  /** How long the bucket of a disconnected caller is kept, ms: more than a second, or reconnecting would refill it. */
  rememberMs: number;
  /** How many of those are kept at most [R10]. The oldest is dropped first and starts again with a full bucket. */
  rememberedMax: number;
  /** ms of the monotonic clock */
  now?: () => number;
}

/** The token buckets of all connected callers and of recently disconnected ones. */
export class CallerBuckets {
  readonly #connected = new Map<string, CallerBucket>();
  /** In the order of their disconnection. */
  readonly #disconnected = new Map<string, { callerBucket: CallerBucket; at: number }>();
  readonly #rules: Required<CallerBucketRules>;

  constructor(rules: CallerBucketRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  get size(): number {
    return this.#connected.size + this.#disconnected.size;
  }

  socketsOf(name: string): number {
    return this.#connected.get(name)?.sockets ?? 0;
  }

  /** Adds one socket; call `leave` when it closes. */
  enter(name: string): CallerBucket {
    const callerBucket = this.#known(name);
    this.#disconnected.delete(name);
    this.#connected.set(name, callerBucket);
    callerBucket.sockets++;
    return callerBucket;
  }

  leave(callerBucket: CallerBucket): void {
    if (--callerBucket.sockets > 0) return;
    this.#connected.delete(callerBucket.name);
    this.#remember(callerBucket);
  }

  /** Takes one token for an event without a socket. @returns false when there is none */
  take(name: string): boolean {
    return this.of(name).bucket.tryRemoveTokens(1);
  }

  /** The bucket of a caller who may have no socket. */
  of(name: string): CallerBucket {
    const remembered = this.#disconnected.get(name);
    // Kept for at least half of the time: not every request needs another entry.
    if (remembered && this.#rules.now() - remembered.at < this.#rules.rememberMs / 2) return remembered.callerBucket;
    const callerBucket = this.#known(name);
    if (callerBucket.sockets === 0) this.#remember(callerBucket);
    return callerBucket;
  }

  /** Drops callers that disconnected long enough ago. To be called at intervals. */
  forget(): void {
    const before = this.#rules.now() - this.#rules.rememberMs;
    for (const [name, { at }] of this.#disconnected) {
      if (at > before) return;
      this.#disconnected.delete(name);
    }
  }

  #known(name: string): CallerBucket {
    return (
      this.#connected.get(name) ??
      this.#disconnected.get(name)?.callerBucket ?? {
        name,
        bucket: fullBucket(this.#rules.perSecond),
        sockets: 0,
        refused: 0,
        refusedFrom: 0,
      }
    );
  }

  #remember(callerBucket: CallerBucket): void {
    putLast(this.#disconnected, callerBucket.name, { callerBucket, at: this.#rules.now() }, this.#rules.rememberedMax);
  }
}

/**
 * Holds one second's worth of tokens and refills in a second. The library's buckets start empty; this one starts full.
 */
export function fullBucket(perSecond: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: perSecond, tokensPerInterval: perSecond, interval: 'second' });
  bucket.content = perSecond;
  return bucket;
}

/** Puts the entry at the end; beyond the limit the first one is dropped [R10]. */
export function putLast<V>(map: Map<string, V>, name: string, value: V, max: number): void {
  map.delete(name);
  map.set(name, value);
  if (map.size <= max) return;
  const [oldest] = map.keys();
  map.delete(oldest!);
}
