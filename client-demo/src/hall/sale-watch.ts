import type { RainClient, SaleSnapshot } from '../../../src/client/client.ts';
import { stateAt, type RainState } from '../../../src/rain/rain.ts';
import { isFree } from '../sale/order-view.ts';
import type { Current } from './program.ts';

export type SaleStage = 'connecting' | 'sale_before' | 'selling' | 'sale_paused' | 'sold_out' | 'sale_over' | 'unknown';

const STAGES: Readonly<Record<RainState, SaleStage>> = {
  draft: 'sale_before',
  loaded: 'sale_before',
  open: 'selling',
  paused: 'sale_paused',
  closed: 'sale_over',
  settled: 'sale_over',
};
const PHASES: Readonly<Record<SaleStage, Current['phase']>> = {
  connecting: 'ahead',
  sale_before: 'ahead',
  selling: 'on',
  sale_paused: 'on',
  sold_out: 'over',
  sale_over: 'over',
  unknown: 'over',
};

export interface HallItem {
  sku: string;
  name: string;
  /** A decimal string. */
  price: string;
  units: number;
  /** Absent: not known. */
  left?: number;
}

type Client = Pick<RainClient, 'visit' | 'leaveSale' | 'serverNow'>;

/** One sale on the screen of a hall. It is visited, and nothing is bought. */
export class SaleWatch {
  readonly kind = 'sale';
  readonly id: string;
  readonly #client: Client;
  #sale: SaleSnapshot | undefined;
  #unknown = false;
  /** By SKU. */
  readonly #left = new Map<string, number>();

  constructor(client: Client, id: string) {
    this.#client = client;
    this.id = id;
    void client.visit(id).then(({ kind }) => {
      this.#unknown = kind === 'refused';
    });
  }

  get phase(): Current['phase'] {
    return PHASES[this.stage];
  }

  get stage(): SaleStage {
    const sale = this.#sale;
    if (!sale) return this.#unknown ? 'unknown' : 'connecting';
    const stage =
      STAGES[stateAt({ ...sale, state: sale.state === 'open' ? 'loaded' : sale.state }, this.#client.serverNow())];
    return stage === 'selling' && sale.items.every(({ left }) => left === 0) ? 'sold_out' : stage;
  }

  view() {
    const [sale, stage] = [this.#sale, this.stage];
    const until = stage === 'sale_before' ? sale?.opensAt : stage === 'selling' ? sale?.closesAt : undefined;
    return {
      stage,
      names: [],
      // Until it is known, the id may be wrong, or that of a rain.
      ...(sale && {
        saleId: this.id,
        title: sale.title,
        items: sale.items.map((item) => this.#item(item)),
        ...(sale.items.every(({ price }) => isFree(price)) && { free: true as const }),
        ...(sale.rehearsal && { rehearsal: true as const }),
      }),
      ...(until !== undefined && { until }),
    };
  }

  onSale(sale: SaleSnapshot): void {
    this.#sale = sale;
    // Settlement takes back what was left: from then on 0 does not mean that all was given.
    if (sale.state !== 'settled') for (const { sku, left } of sale.items) this.#left.set(sku, left);
  }

  leave(): void {
    this.#client.leaveSale(this.id);
  }

  #item({ sku, name = sku, price, units }: SaleSnapshot['items'][number]): HallItem {
    const left = this.#left.get(sku);
    return { sku, name, price, units, ...(left !== undefined && { left }) };
  }
}
