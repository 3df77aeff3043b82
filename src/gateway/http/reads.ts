import { orderFrame } from '../../protocol/codec.ts';
import { httpStatusOf } from '../../protocol/http.ts';
import type { HandlerContext } from '../handlers/context.ts';
import type { LimitName } from '../telemetry/counters.ts';
import type { HttpAsk } from './ask.ts';
import { respond } from './respond.ts';

/**
 * Does what an ask needs of Redis besides a purchase. As many as the limit are under way at a time, none while visits
 * are switched off; the others are answered "busy", and so is one that fails.
 */
export class Reads {
  readonly #context: HandlerContext;
  #pending = 0;

  constructor(context: HandlerContext) {
    this.#context = context;
  }

  async run(ask: HttpAsk, work: () => Promise<void>): Promise<void> {
    const {
      limits,
      overload: { killSwitches },
      onFault,
    } = this.#context;
    if (killSwitches.off.joins) return this.refuse(ask, 'switch_joins');
    if (this.#pending >= limits.httpReadsPendingMax) return this.refuse(ask, 'http_reads');
    this.#pending++;
    try {
      await work();
    } catch (error) {
      onFault(error);
      this.busy(ask);
    } finally {
      this.#pending--;
    }
  }

  refuse(ask: HttpAsk, limit: LimitName): void {
    this.#context.counters.refused[limit]++;
    this.busy(ask);
  }

  busy({ saleId, response }: HttpAsk): void {
    const retryInMs = this.#context.overload.admission.retryInMs();
    respond(response, httpStatusOf('-7'), orderFrame(saleId, undefined, '-7', { retryInMs }), retryInMs);
  }
}
