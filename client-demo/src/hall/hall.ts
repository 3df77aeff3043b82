import type { Link, RainClient, RainSnapshot, SaleSnapshot, WelcomeMessage } from '../../../src/client/client.ts';
import { Program, type Announced, type Current } from './program.ts';
import { RainWatch, type RainStage } from './rain-watch.ts';
import { SaleWatch, type HallItem, type SaleStage } from './sale-watch.ts';

const RENEW_MS = 20_000;

/** `quiet`: neither a rain nor a sale is known. */
export type Stage = RainStage | SaleStage | 'quiet' | 'no_token' | 'refused';

/** The content of a hall's screen. All figures are those of this one rain or sale. */
export interface HallView {
  stage: Stage;
  lost: boolean;
  rainId?: string;
  saleId?: string;
  title?: string;
  rehearsal?: true;
  invitedOnly?: true;
  /** Until the opening, or the end. */
  seconds?: number;
  packets?: number;
  /** As the gateway tells it: rounded up, and 0 only when none is left. */
  left?: number;
  /** A sample of those who have won, masked, the last one first. */
  names: readonly { user: string; amount: string }[];
  /** The items of a sale, in its order. */
  items?: readonly HallItem[];
  /** All of them are free. */
  free?: true;
  next?: { title: string; seconds?: number };
}

interface HallOptions {
  client: Pick<RainClient, 'on' | 'join' | 'leave' | 'visit' | 'leaveSale' | 'renew' | 'serverNow'>;
  /** The only rain that is shown. There may be a sale of this id instead. */
  rainId?: string | undefined;
  /** The only sale that is shown. Without both: what is on, else what comes next. */
  saleId?: string | undefined;
  random: () => number;
}

/**
 * The screen of a hall as a state machine: events of the client go in, views come out. It watches and takes part in
 * nothing.
 */
export class Hall {
  readonly #options: HallOptions;
  readonly #isFixed: boolean;
  readonly #program = new Program();
  #link: Link = 'connecting';
  #welcomed = false;
  #watch: RainWatch | SaleWatch | undefined;
  /** When the end was first seen, by the server's clock. */
  #endedAt: number | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: HallOptions) {
    this.#options = options;
    const { client, rainId, saleId } = options;
    this.#isFixed = rainId !== undefined || saleId !== undefined;
    if (saleId !== undefined) this.#show({ kind: 'sale', id: saleId });
    else if (rainId !== undefined) this.#show({ kind: 'rain', id: rainId });
    client.on('link', ({ link }) => {
      this.#link = link;
      clearTimeout(this.#again);
    });
    client.on('welcome', (welcome) => this.#onWelcome(welcome));
    client.on('rain', (rain) => this.#onRain(rain));
    client.on('sale', (sale) => this.#onSale(sale));
    client.on('result', ({ rainId: id, code }) => {
      if (code === '-8') this.#rain(id)?.onUnknown();
    });
    client.on('winners', (message) => this.#rain(message.rainId)?.onWinners(message));
  }

  /** To be called regularly: what comes next is on the screen shortly before it starts, and at once when it is open. */
  tick(): void {
    const current = this.#current();
    if (current?.phase !== 'over') this.#endedAt = undefined;
    if (this.#watch?.stage === 'unknown') return this.#onUnknown(this.#watch);
    if (this.#isFixed || !this.#welcomed) return;
    const next = this.#program.takesOver(current, this.#options.client.serverNow());
    if (!next) return;
    if (current?.phase === 'over') this.#program.finish(current);
    this.#show(next);
  }

  view(): HallView {
    const { until, ...shown } = this.#watch?.view() ?? {
      stage: this.#welcomed ? ('quiet' as const) : ('connecting' as const),
      names: [],
    };
    const now = this.#options.client.serverNow();
    const secondsTo = (moment: number) => Math.max(0, Math.ceil((moment - now) / 1_000));
    const next = this.#next(now);
    return {
      ...shown,
      lost: this.#link === 'lost',
      ...((this.#link === 'no_token' || this.#link === 'refused') && { stage: this.#link }),
      ...(until !== undefined && { seconds: secondsTo(until) }),
      ...(next && { next: { title: next.title, ...(next.opensAt > now && { seconds: secondsTo(next.opensAt) }) } }),
    };
  }

  /** The next one to tell of besides the current one. While a rain is ahead or on, nothing else is told of. */
  #next(now: number): Announced | undefined {
    const current = this.#current();
    if (this.#isFixed || !current || current.phase === 'ahead' || (current.phase === 'on' && current.kind === 'rain'))
      return undefined;
    return this.#program.next(current, now);
  }

  #current(): Current | undefined {
    const watch = this.#watch;
    if (!watch) return undefined;
    const { kind, id, phase } = watch;
    if (phase !== 'over') return { kind, id, phase };
    return {
      kind,
      id,
      phase,
      endedAt: (this.#endedAt ??= this.#options.client.serverNow()),
      ...(watch.kind === 'rain' && watch.isRehearsal && { rehearsal: true as const }),
    };
  }

  #rain(id: string): RainWatch | undefined {
    return this.#watch?.kind === 'rain' && this.#watch.id === id ? this.#watch : undefined;
  }

  #onWelcome({ rains, sales = [] }: WelcomeMessage): void {
    this.#welcomed = true;
    this.#program.list(
      'rain',
      rains.map((rain) => ({ kind: 'rain', id: rain.rainId, ...rain })),
    );
    this.#program.list(
      'sale',
      sales.map((sale) => ({ kind: 'sale', id: sale.saleId, ...sale })),
    );
    this.tick();
    if (!this.#watch) this.#renewLater();
  }

  /** The announcement of a new rain may be missed; a new welcome lists it. */
  #renewLater(): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#options.client.renew(), RENEW_MS * (0.5 + this.#options.random()));
  }

  #onRain(rain: RainSnapshot): void {
    this.#program.update({ kind: 'rain', id: rain.rainId, ...rain });
    // Its announcement may come later than this screen.
    if (this.#watch?.stage === 'unknown' && this.#options.rainId === rain.rainId)
      this.#show({ kind: 'rain', id: rain.rainId });
    this.#rain(rain.rainId)?.onRain(rain);
    if (!this.#watch) this.tick();
  }

  #onSale(sale: SaleSnapshot): void {
    this.#program.update({ kind: 'sale', id: sale.saleId, ...sale });
    if (this.#watch?.kind === 'sale' && this.#watch.id === sale.saleId) this.#watch.onSale(sale);
    if (!this.#watch) this.tick();
  }

  /** The id in the address may be that of a sale. An announced one that is gone makes room. */
  #onUnknown({ kind, id }: RainWatch | SaleWatch): void {
    if (kind === 'rain' && this.#isFixed) return this.#show({ kind: 'sale', id });
    if (this.#isFixed) return;
    this.#program.finish({ kind, id });
    this.#watch?.leave();
    this.#watch = undefined;
    this.#renewLater();
  }

  #show({ kind, id }: Pick<Announced, 'kind' | 'id'>): void {
    clearTimeout(this.#again);
    this.#watch?.leave();
    const { client } = this.#options;
    this.#watch = kind === 'rain' ? new RainWatch(client, id) : new SaleWatch(client, id);
    this.#endedAt = undefined;
  }
}
