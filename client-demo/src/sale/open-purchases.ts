import type { OpenPurchase } from '../../../src/client/client.ts';
import { SALE_OUTCOMES } from '../../../src/protocol/saleOutcomes.ts';
import type { Progress } from './item-view.ts';

const PROGRESS_OF: Readonly<Partial<Record<OpenPurchase, Progress>>> = {
  sent: 'sent',
  preparing: 'preparing',
  [SALE_OUTCOMES['-7'].code]: 'busy',
  [SALE_OUTCOMES['-5'].code]: 'too_fast',
  [SALE_OUTCOMES['-2'].code]: 'waiting',
};

/** Items of which a purchase has no answer yet. */
export class OpenPurchases {
  readonly #progress = new Map<string, Progress>();

  begin(sku: string): void {
    this.#progress.set(sku, 'sent');
  }

  /** A purchase that is sent again keeps its note, so that the note does not flicker. */
  progress(sku: string, why: OpenPurchase): void {
    const before = this.#progress.get(sku);
    if (before === undefined || (why === 'sent' && before !== 'preparing')) return;
    this.#progress.set(sku, PROGRESS_OF[why] ?? before);
  }

  end(sku: string): void {
    this.#progress.delete(sku);
  }

  of(sku: string): Progress | undefined {
    return this.#progress.get(sku);
  }
}
