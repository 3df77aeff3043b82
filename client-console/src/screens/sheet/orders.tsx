import { isFree } from '../../../../src/sale/order.ts';
import type { Order, SaleView } from '../../state/responses.ts';
import { useRequest } from '../../state/useApi.ts';
import { Awaited } from '../../components/awaited.tsx';
import { counted, countText, momentText, moneyText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { StateChip } from '../rains.tsx';
import { SALE_WORDS, statusOf } from '../sale/words.ts';
import { orderRows } from './rows.ts';
import { Sheet, SignedRow } from './sheet.tsx';
import { useAll } from './useAll.ts';

const REFRESH_MS = 5_000;

const WORDS = bilingual(
  {
    at: 'Reserved at',
    none: 'Nobody has got anything yet.',
    total: (orders: number, units: string) => `${counted(orders, 'order')}, ${units} in all`,
  },
  {
    at: '时间',
    none: '还没有人得到商品。',
    total: (orders, units) => `共 ${countText(orders)} 个订单，合计 ${units}`,
  },
);

/** The buyers of a sale, to sign for their goods: a raffle hands them out on the spot. */
export function OrdersSheet({ saleId }: { saleId: string }) {
  const { words, language } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const path = `sales/${encodeURIComponent(saleId)}`;
  const request = useRequest<SaleView>(path, REFRESH_MS);
  const { list, again } = useAll<Order>({
    path: `${path}/orders`,
    field: 'orders',
    idOf: ({ orderId }) => orderId,
    state: request.value?.state,
  });
  const { rows, units } = orderRows(list && 'all' in list ? list.all : []);
  return (
    <Awaited request={request}>
      {(sale) => (
        <Sheet
          of={sale}
          chips={<StateChip state={sale.state} rehearsal={sale.rehearsal} names={names.states} />}
          back={{ route: { screen: 'orders', saleId }, text: names.tabs.orders }}
          list={list}
          again={again}
          rows={rows}
          total={words.total(rows.length, names.units(units))}
          none={words.none}
          heads={
            <>
              <th>{names.item}</th>
              <th>{words.at}</th>
            </>
          }
        >
          {(order, number) => (
            <SignedRow key={order.orderId} number={number} who={order}>
              <td>
                {countText(order.quantity)} × {order.name ?? order.sku}
                <small>{remarksOn(order, statusOf(order, names))}</small>
              </td>
              <td class="moment">{momentText(order.reservedAt, language)}</td>
            </SignedRow>
          )}
        </Sheet>
      )}
    </Awaited>
  );
}

/** The remarks to see before the goods are handed over: their worth, and that they are not paid. */
function remarksOn(order: Order, status: string): string {
  return [...(isFree(order) ? [] : [moneyText(order.amount)]), ...(order.status === 'paid' ? [] : [status])].join(
    ' · ',
  );
}
