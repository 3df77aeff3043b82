import { TokenBucket } from 'limiter';

/** What one user, or one address, may still send, on all its sockets together. A session holds it, so that no message looks it up. */
export interface CallerBucket {
  readonly name: string;
  /** Full: a second's worth; and it fills in a second. */
  readonly bucket: TokenBucket;
  sockets: number;
  /** Messages refused since `refusedFrom`, ms of the monotonic clock. */
  refused: number;
  refusedFrom: number;
}

interface CallerBucketRules {
  perSecond: number;
  /** How long the allowance of who has left is remembered, ms: above a second, or leaving would refill it. */
  rememberMs: number;
  /** How many of those are at most [R10]; the oldest goes first, and comes back with a full bucket. */
  rememberedMax: number;
  /** ms of the monotonic clock */
  now?: () => number;
}

/** The allowances of all who are here, and of those who were until a moment ago. */
export class CallerBuckets {
  readonly #here = new Map<string, CallerBucket>();
  /** In the order in which they left. */
  readonly #left = new Map<string, { callerBucket: CallerBucket; at: number }>();
  readonly #rules: Required<CallerBucketRules>;

  constructor(rules: CallerBucketRules) {
    this.#rules = { now: () => performance.now(), ...rules };
  }

  /** Here and remembered. */
  get size(): number {
    return this.#here.size + this.#left.size;
  }

  socketsOf(name: string): number {
    return this.#here.get(name)?.sockets ?? 0;
  }

  /** One socket more; `leave` is to follow. */
  enter(name: string): CallerBucket {
    const callerBucket = this.#here.get(name) ?? this.#left.get(name)?.callerBucket ?? this.#create(name);
    this.#left.delete(name);
    this.#here.set(name, callerBucket);
    callerBucket.sockets++;
    return callerBucket;
  }

  leave(callerBucket: CallerBucket): void {
    if (--callerBucket.sockets > 0) return;
    this.#here.delete(callerBucket.name);
    this.#remember(callerBucket);
  }

  /** For what is counted without a socket: takes one, if there is one. */
  take(name: string): boolean {
    const callerBucket = this.#here.get(name) ?? this.#left.get(name)?.callerBucket ?? this.#create(name);
    if (callerBucket.sockets === 0) this.#remember(callerBucket);
    return callerBucket.bucket.tryRemoveTokens(1);
  }

  /** Lets go who has been away for long enough. To be called now and then. */
  forget(): void {
    const before = this.#rules.now() - this.#rules.rememberMs;
    for (const [name, { at }] of this.#left) {
      if (at > before) return;
      this.#left.delete(name);
    }
  }

  #create(name: string): CallerBucket {
    const { perSecond } = this.#rules;
    const bucket = new TokenBucket({ bucketSize: perSecond, tokensPerInterval: perSecond, interval: 'second' });
    // The library's buckets begin empty; who comes is to be heard at once.
    bucket.content = perSecond;
    return { name, bucket, sockets: 0, refused: 0, refusedFrom: 0 };
  }

  #remember(callerBucket: CallerBucket): void {
    this.#left.delete(callerBucket.name);
    this.#left.set(callerBucket.name, { callerBucket, at: this.#rules.now() });
    if (this.#left.size <= this.#rules.rememberedMax) return;
    const [oldest] = this.#left.keys();
    this.#left.delete(oldest!);
  }
}
