import { welcomeEnd, welcomeStart } from '../../protocol/codec.ts';
import type { Audience } from '../../rain/audience.ts';
import type { Limits } from '../limits.ts';
import type { RainCache } from '../rains/rainCache.ts';
import type { SaleCache } from '../sales/saleCache.ts';
import { frameEndingWith, type Frame } from './frame.ts';
import type { Identity } from './token.ts';

/**
 * The common welcome of all users without an audience: these readings, from the first time to before the second, epoch
 * ms.
 */
interface Shared {
  end: Buffer;
  rainChanges: number;
  saleChanges: number;
  from: number;
  until: number;
}

type Rains = Pick<RainCache, 'now' | 'current' | 'changes' | 'nextMoment'>;
type Sales = Pick<SaleCache, 'current' | 'changes' | 'nextMoment'>;
type ToldLimits = Pick<Limits, 'messageBytesMax' | 'heartbeatMs'>;

/**
 * The first message of every connection. Nearly all users are told the same but their own id and the time, so the rest
 * is written once.
 */
export class Welcome {
  readonly #rains: Rains;
  readonly #sales: Sales;
  readonly #limits: ToldLimits;
  #shared: Shared | undefined;

  constructor(rains: Rains, sales: Sales, { messageBytesMax, heartbeatMs }: ToldLimits) {
    this.#rains = rains;
    this.#sales = sales;
    this.#limits = { messageBytesMax, heartbeatMs };
  }

  frameFor({ userId, audience }: Pick<Identity, 'userId' | 'audience'>): Frame {
    const now = this.#rains.now();
    return frameEndingWith(welcomeStart(userId, now), audience ? this.#endFor(audience, now) : this.#sharedEnd(now));
  }

  #sharedEnd(now: number): Buffer {
    const [shared, rains, sales] = [this.#shared, this.#rains, this.#sales];
    // Redis's clock may be set back.
    if (
      shared &&
      shared.rainChanges === rains.changes &&
      shared.saleChanges === sales.changes &&
      shared.from <= now &&
      now < shared.until
    )
      return shared.end;
    const end = this.#endFor(undefined, now);
    this.#shared = {
      end,
      rainChanges: rains.changes,
      saleChanges: sales.changes,
      from: now,
      until: Math.min(rains.nextMoment(now), sales.nextMoment(now)),
    };
    return end;
  }

  #endFor(audience: Audience | undefined, now: number): Buffer {
    const sales = this.#sales.current(audience, now);
    return Buffer.from(
      welcomeEnd({ rains: this.#rains.current(audience, now), ...(sales && { sales }), limits: this.#limits }),
    );
  }
}
