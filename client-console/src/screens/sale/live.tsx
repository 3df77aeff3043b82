import type { SaleSample, SaleView } from '../../state/responses.ts';
import { useBigScreen } from '../../state/bigScreen.ts';
import { useLive } from '../../state/live.ts';
import { useRequest } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Empty, Refused } from '../../components/awaited.tsx';
import { useWords } from '../../words/language.ts';
import { Hero } from '../live/hero.tsx';
import { SaleHead } from './head.tsx';
import { WORDS } from './live-words.ts';
import { AddsUp, Board, Gauges, RatesTile } from './tiles.tsx';
import { SALE_WORDS } from './words.ts';

const REFRESH_MS = 5_000;

/** A sale while it is sold, updated every second. In full screen it can be shown to everybody: it has no names. */
export function SaleLive({ saleId }: { saleId: string }) {
  const { words, shared } = useWords(WORDS);
  const missing = useWords(SALE_WORDS).words.noSale;
  const path = `sales/${encodeURIComponent(saleId)}`;
  const request = useRequest<SaleView>(path, REFRESH_MS);
  const { samples, link } = useLive<SaleSample>(path);
  const { stage, big, toggle } = useBigScreen();
  if (request.refusal?.status === 404) return <Empty title={missing} calm whole />;
  const sale = request.value;
  if (!sale)
    return (
      <>
        <Refused refusal={request.refusal} again={request.again} />
        <p class="awaited">{shared.loading}</p>
      </>
    );
  const sample = (link !== 'behind' && samples.at(-1)) || sampleOf(sale);
  const sum = (of: (item: SaleSample['items'][number]) => number) =>
    sample.items.reduce((total, item) => total + of(item), 0);
  const [left, packets, wins, reserved] = [
    sum((item) => item.left),
    sum((item) => item.units),
    sum((item) => item.paid),
    sum((item) => item.reserved),
  ];
  return (
    <>
      <SaleHead sale={{ ...sale, state: sample.state }} tab="sale-live">
        <Button variant="main" onClick={toggle} testId="big">
          {words.big}
        </Button>
      </SaleHead>
      <div class="stage sale" ref={stage} data-state={sample.state} data-big={big} data-testid="live">
        <header>
          <h2>
            {sale.title}
            {sale.rehearsal && <small> · {shared.rehearsal}</small>}
          </h2>
          <p class="link" data-link={link} role="status">
            {link === 'lost' ? big && words.lost : link !== 'up' && words[link]}
          </p>
          {big && (
            <Button variant="quiet" onClick={toggle}>
              {words.small}
            </Button>
          )}
        </header>
        <Hero
          sample={{ ...sample, left, packets, wins }}
          words={{ ...words, wins: words.paid, gone: reserved > 0 ? words.allReserved : words.soldOut }}
        />
        <Gauges sample={sample} />
        <Board sample={sample} />
        <RatesTile samples={samples} />
        <AddsUp sample={sample} />
      </div>
    </>
  );
}

/** A sample from the sale's own figures, shown while the stream sends none. */
function sampleOf({ state, opensAt, closesAt, reservations, orders, items }: SaleView): SaleSample {
  return {
    at: new Date().toISOString(),
    state,
    opensAt,
    closesAt,
    reservations,
    orders,
    sockets: 0,
    gateways: 0,
    audit: null,
    items: items.map(({ sku, name, units, left, booked, sold, returned }) => ({
      sku,
      name,
      units,
      left,
      reserved: Math.max(0, booked - sold),
      paid: sold,
      timedOut: 0,
      returned,
      reservedPerSecond: 0,
      paidPerSecond: 0,
      timedOutPerSecond: 0,
    })),
  };
}
