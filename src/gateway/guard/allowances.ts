import { TokenBucket } from 'limiter';

/** What one user, or one address, may still send, on all its sockets together. A session holds it, so that no message looks it up. */
export interface Allowance {
  readonly name: string;
  /** Full: a second's worth; and it fills in a second. */
  readonly bucket: TokenBucket;
  sockets: number;
  /** Messages refused since `refusedFrom`, ms of the monotonic clock. */
  refused: number;
  refusedFrom: number;
}

interface AllowanceRules {
  perSecond: number;
  /** How long the allowance of who has left is remembered, ms: above a second, or leaving would refill it. */
  rememberMs: number;
  /** How many of those are at most [R10]; the oldest goes first, and comes back with a full bucket. */
  rememberedMax: number;
  /** ms of the monotonic clock */
  now?: () => number;
}

/** The allowances of all who are here, and of those who were until a moment ago. */
export class Allowances {
  readonly #here = new Map<string, Allowance>();
  /** In the order in which they left. */
  readonly #left = new Map<string, { allowance: Allowance; at: number }>();
  readonly #rules: Required<AllowanceRules>;

  constructor(rules: AllowanceRules) {
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
  enter(name: string): Allowance {
    const allowance = this.#here.get(name) ?? this.#left.get(name)?.allowance ?? this.#create(name);
    this.#left.delete(name);
    this.#here.set(name, allowance);
    allowance.sockets++;
    return allowance;
  }

  leave(allowance: Allowance): void {
    if (--allowance.sockets > 0) return;
    this.#here.delete(allowance.name);
    this.#remember(allowance);
  }

  /** For what is counted without a socket: takes one, if there is one. */
  take(name: string): boolean {
    const allowance = this.#here.get(name) ?? this.#left.get(name)?.allowance ?? this.#create(name);
    if (allowance.sockets === 0) this.#remember(allowance);
    return allowance.bucket.tryRemoveTokens(1);
  }

  /** Lets go who has been away for long enough. To be called now and then. */
  forget(): void {
    const before = this.#rules.now() - this.#rules.rememberMs;
    for (const [name, { at }] of this.#left) {
      if (at > before) return;
      this.#left.delete(name);
    }
  }

  #create(name: string): Allowance {
    const { perSecond } = this.#rules;
    const bucket = new TokenBucket({ bucketSize: perSecond, tokensPerInterval: perSecond, interval: 'second' });
    // The library's buckets begin empty; who comes is to be heard at once.
    bucket.content = perSecond;
    return { name, bucket, sockets: 0, refused: 0, refusedFrom: 0 };
  }

  #remember(allowance: Allowance): void {
    this.#left.delete(allowance.name);
    this.#left.set(allowance.name, { allowance, at: this.#rules.now() });
    if (this.#left.size <= this.#rules.rememberedMax) return;
    const [oldest] = this.#left.keys();
    this.#left.delete(oldest!);
  }
}
