import { useEffect } from 'preact/hooks';
import { formatMoney, parseMoney } from '../../../../src/rain/money.ts';
import type { OrderTotals } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Table } from '../../components/table.tsx';
import { countText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './order-words.ts';
import { SALE_WORDS } from './words.ts';

const REFRESH_MS = 5_000;
/** Columns of units, and the statuses that they count. */
const COLUMNS = ['paid', 'created', 'refunded'] as const;

type Total = OrderTotals['totals'][number];

interface OrderTotalsProps {
  path: string;
  reloads: number;
  /** All items are free: no money is told of. */
  isGift: boolean;
}

/** The revenue of a sale: by item, and in all. Nothing before there are orders. */
export function OrderTotalsTable({ path, reloads, isGift }: OrderTotalsProps) {
  const { words } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const request = useRequest<OrderTotals>(path, REFRESH_MS);
  useEffect(() => {
    if (reloads > 0) request.again();
  }, [reloads]);
  const totals = request.value?.totals ?? [];
  if (totals.length === 0) return null;
  const items = [...new Map(totals.map(({ sku, name }) => [sku, name])).entries()];
  const row = (of: readonly Total[]) => (
    <>
      {COLUMNS.map((status) => (
        <td key={status} class="number">
          {countText(unitsOf(of, status))}
        </td>
      ))}
      {!isGift && (
        <td class="number">
          <b>{moneyText(revenueOf(of))}</b>
        </td>
      )}
    </>
  );
  return (
    <details class="order-totals" open data-testid="order-totals">
      <summary>
        {isGift ? words.given : words.totals}{' '}
        <b data-testid="revenue">{isGift ? countText(unitsOf(totals, 'paid')) : moneyText(revenueOf(totals))}</b>
      </summary>
      <Table label={isGift ? words.given : words.totals} stacks wraps>
        <thead>
          <tr>
            <th>{names.item}</th>
            {COLUMNS.map((status) => (
              <th key={status} class="number">
                {(isGift ? names.freeStatuses : names.statuses)[status]}
              </th>
            ))}
            {!isGift && <th class="number">{words.revenue}</th>}
          </tr>
        </thead>
        <tbody>
          {items.map(([sku, name]) => (
            <tr key={sku} data-testid="item-total">
              <th scope="row">
                {name ?? sku} {name !== undefined && <code>{sku}</code>}
              </th>
              {row(totals.filter((total) => total.sku === sku))}
            </tr>
          ))}
          {items.length > 1 && (
            <tr>
              <th scope="row">{words.allItems}</th>
              {row(totals)}
            </tr>
          )}
        </tbody>
      </Table>
      {!isGift && <p class="hint">{words.revenueHint}</p>}
    </details>
  );
}

function unitsOf(totals: readonly Total[], status: Total['status']): number {
  return totals.reduce((sum, total) => sum + (total.status === status ? total.units : 0), 0);
}

function revenueOf(totals: readonly Total[]): string {
  const paid = totals.filter(({ status }) => status === 'paid');
  return formatMoney(paid.reduce((sum, { amount }) => sum + (parseMoney(amount) ?? 0n), 0n));
}
