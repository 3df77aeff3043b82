import { putLast } from '../ratelimit/tokenBuckets.ts';
import type { Buyer } from '../sales/buyer.ts';
import type { Identity, VerifyToken } from '../sockets/token.ts';
import { TOKEN_CHARACTERS_MAX } from './limits.ts';

/** The bearer of a verified token. A caller keeps between requests the state that a socket keeps between messages. */
export interface HttpCaller extends Readonly<Identity>, Buyer {}

interface CallersRules {
  verify: VerifyToken;
  callersMax: number;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
}

/** The callers of the last requests by their tokens, so that a token is verified once and not with each request. */
export class Callers {
  readonly #rules: CallersRules;
  readonly #known = new Map<string, HttpCaller>();
  /** Verifications under way. */
  readonly #verifying = new Map<string, Promise<HttpCaller | 'unavailable' | undefined>>();

  constructor(rules: CallersRules) {
    this.#rules = rules;
  }

  /** The caller of a token that was verified before and has not expired. */
  known(token: string): HttpCaller | undefined {
    const caller = this.#known.get(token);
    if (!caller || caller.expiresAt > this.#rules.now()) return caller;
    this.#known.delete(token);
    return undefined;
  }

  isVerifying(token: string): boolean {
    return this.#verifying.has(token);
  }

  /** Requests with one token share one verification. @returns as VerifyToken does */
  verify(token: string): Promise<HttpCaller | 'unavailable' | undefined> {
    const underWay = this.#verifying.get(token);
    if (underWay) return underWay;
    const verifying = this.#verify(token).finally(() => this.#verifying.delete(token));
    this.#verifying.set(token, verifying);
    return verifying;
  }

  async #verify(token: string): Promise<HttpCaller | 'unavailable' | undefined> {
    const identity = await this.#rules.verify(token);
    if (!identity || identity === 'unavailable') return identity;
    const caller: HttpCaller = { ...identity, tickets: undefined, solving: false, openPurchase: undefined };
    if (token.length <= TOKEN_CHARACTERS_MAX) putLast(this.#known, token, caller, this.#rules.callersMax);
    return caller;
  }
}
