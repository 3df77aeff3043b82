import type { RainClient, SaleSnapshot, WelcomeMessage } from '../../../src/client/client.ts';
import { stateAt } from '../../../src/rain/rain.ts';
import { minutesText } from '../countdown.ts';
import { element, setChildren, textElement } from '../page.ts';
import type { Words } from '../words/en.ts';
import { addressWith } from './address.ts';

/** Sales that are remembered, and shown beside the rain. */
const SALES_MAX = 32;
const SHOWN_MAX = 2;

type Announced = Pick<SaleSnapshot, 'saleId' | 'title' | 'state' | 'opensAt' | 'closesAt' | 'free'>;

/** The announced sales that are not over, as links beside the rain. */
export class SaleList {
  readonly #sales = new Map<string, Announced>();
  readonly #client: RainClient;
  readonly #words: Words['sales'];
  readonly #root = element('.sales');
  readonly #ringing = new Set<string>();
  /** The sale that was opened last: the buyer may wish to return to it. */
  #opened: string | undefined;
  #shown = '';

  constructor(client: RainClient, words: Words['sales'], onOpen: (saleId: string) => void) {
    this.#client = client;
    this.#words = words;
    this.#root.setAttribute('aria-label', words.label);
    client.on('welcome', ({ sales = [] }: WelcomeMessage) => {
      for (const sale of sales) this.#update(sale);
    });
    client.on('sale', (sale) => this.#update(sale));
    this.#root.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest<HTMLElement>('a') : null;
      // With a key held the browser opens another tab.
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      onOpen(link.dataset['sale']!);
    });
  }

  /** Marks a sale in which units have come back, until it is opened. */
  ring(saleId: string): void {
    this.#ringing.add(saleId);
  }

  opened(saleId: string): void {
    this.#opened = saleId;
    this.#ringing.delete(saleId);
  }

  /** May be called every frame: it does nothing if nothing has changed. */
  draw(): void {
    const now = this.#client.serverNow();
    const next = [...this.#sales.values()]
      .filter(({ closesAt }) => closesAt > now)
      .sort((a, b) => this.#rank(a) - this.#rank(b) || a.opensAt - b.opensAt)
      .slice(0, SHOWN_MAX)
      .map((sale) => ({
        saleId: sale.saleId,
        title: sale.title || this.#wordsOf(sale).untitled,
        tag: this.#wordsOf(sale).tag,
        state: this.#stateOf(sale, now),
        rings: this.#ringing.has(sale.saleId),
      }));
    const key = JSON.stringify(next);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = (document.activeElement as HTMLElement | null)?.dataset['sale'];
    this.#root.hidden = next.length === 0;
    setChildren(
      this.#root,
      ...next.map(({ saleId, title, tag, state, rings }) => {
        const link = document.createElement('a');
        link.className = 'sale-link';
        link.href = addressWith('sale', saleId);
        link.dataset['sale'] = saleId;
        link.dataset['testid'] = 'sale-link';
        link.toggleAttribute('data-rings', rings);
        link.append(
          textElement('sale-link-tag', tag),
          textElement('sale-link-title', title),
          textElement('sale-link-state', rings ? this.#words.rang : state),
        );
        return link;
      }),
    );
    if (focused !== undefined)
      this.#root.querySelector<HTMLElement>(`[data-sale="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  #wordsOf({ free }: Announced): Omit<Words['sales'], 'whenFree'> {
    return free ? { ...this.#words, ...this.#words.whenFree } : this.#words;
  }

  #update({ saleId, title, state, opensAt, closesAt, free }: Announced): void {
    this.#sales.delete(saleId);
    if (state === 'closed' || state === 'settled') return;
    this.#sales.set(saleId, { saleId, title, state, opensAt, closesAt, ...(free && { free }) });
    if (this.#sales.size > SALES_MAX) this.#sales.delete(this.#sales.keys().next().value!);
  }

  /** The sale that the buyer waits for comes first. */
  #rank({ saleId }: Announced): number {
    return this.#ringing.has(saleId) ? 0 : saleId === this.#opened ? 1 : 2;
  }

  #stateOf(sale: Announced, now: number): string {
    const state = stateAt({ ...sale, state: sale.state === 'open' ? 'loaded' : sale.state }, now);
    const { open, paused, opensIn } = this.#wordsOf(sale);
    if (state === 'open') return open;
    return state === 'paused' ? paused : opensIn(minutesText(Math.max(0, Math.ceil((sale.opensAt - now) / 1000))));
  }
}
