import { useState } from 'preact/hooks';
import { ownName } from '../../../../src/rain/names.ts';
import { isFree } from '../../../../src/sale/order.ts';
import type { FieldRefusal, Order, SaleView } from '../../state/responses.ts';
import { ApiClient } from '../../state/request.ts';
import { hashOf } from '../../state/route.ts';
import { useApp, useRequest } from '../../state/useApi.ts';
import { useSettled } from '../../state/useSettled.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { Pages } from '../../components/pages.tsx';
import { Table } from '../../components/table.tsx';
import { countText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { SaleHead } from './head.tsx';
import { OrderDialog, type Asking } from './order-dialog.tsx';
import { OrderTotalsTable } from './order-totals.tsx';
import { WORDS } from './order-words.ts';
import { SALE_WORDS, statusOf } from './words.ts';

const REFRESH_MS = 5_000;
const ALL = '';

/** The orders of a sale: search, download, cancel and refund. */
export function Orders({ saleId }: { saleId: string }) {
  const { words } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const path = `sales/${encodeURIComponent(saleId)}`;
  const request = useRequest<SaleView>(path, REFRESH_MS);
  const [typed, setTyped] = useState({ user: '', order: '', status: ALL });
  const query = queryOf(saleId, useSettled(typed));
  const [asking, setAsking] = useState<Asking>();
  const [reloads, setReloads] = useState(0);
  const [refusals, setRefusals] = useState<readonly FieldRefusal[]>([]);
  if (request.refusal?.status === 404)
    return (
      <Empty title={names.noSale} calm whole>
        <p>
          <code>{saleId}</code>
        </p>
      </Empty>
    );
  const search = new URLSearchParams(query).toString();
  const searched = search !== '';
  return (
    <Awaited request={request}>
      {(sale) => (
        <>
          <SaleHead sale={sale} tab="orders">
            <a class="button" href={hashOf({ screen: 'orders-sheet', saleId })} data-testid="to-sheet">
              {words.sheet}
            </a>
            <a
              class="button"
              href={ApiClient.address(`${path}/orders.csv${searched ? `?${search}` : ''}`)}
              download={`orders-${saleId}.csv`}
              data-testid="csv"
            >
              {searched ? words.csvFound : words.csv}
            </a>
          </SaleHead>
          <OrderTotalsTable path={`${path}/orders/totals`} reloads={reloads} isGift={sale.items.every(isFree)} />
          <div class="tools">
            <Field
              label={words.byUser}
              type="search"
              value={typed.user}
              onInput={(user) => setTyped({ ...typed, user })}
              refusals={refusalsFor(refusals, 'user')}
              testId="search-user"
            />
            <Field
              label={words.byOrder}
              type="search"
              value={typed.order}
              onInput={(order) => setTyped({ ...typed, order })}
              refusals={refusalsFor(refusals, 'order')}
              testId="search-order"
            />
            <Choice
              label={words.byStatus}
              hidden
              value={typed.status}
              options={[
                [ALL, words.all],
                ...Object.entries(sale.items.every(isFree) ? names.freeStatuses : names.statuses),
              ]}
              onChange={(status) => setTyped({ ...typed, status })}
            />
          </div>
          <Pages<Order>
            path={`${path}/orders`}
            query={query}
            field="orders"
            everyMs={REFRESH_MS}
            reloads={reloads}
            onRefusals={setRefusals}
            empty={
              searched ? (
                <Empty title={words.noMatch} calm>
                  <p>{words.noMatchTold}</p>
                </Empty>
              ) : (
                <Empty title={words.none} calm>
                  <p>{words.noneTold}</p>
                </Empty>
              )
            }
          >
            {(orders) => <OrderTable orders={orders} onAsk={setAsking} />}
          </Pages>
          {asking && (
            <OrderDialog
              {...asking}
              onClose={() => {
                setAsking(undefined);
                setReloads(reloads + 1);
              }}
            />
          )}
        </>
      )}
    </Awaited>
  );
}

/** The number of an order is enough: the rest of its id is the sale's. */
function queryOf(saleId: string, typed: { user: string; order: string; status: string }): Record<string, string> {
  const [user, order] = [typed.user.trim(), typed.order.trim()];
  return {
    ...(user !== '' && { user }),
    ...(order !== '' && { order: /^\d+$/.test(order) ? `${saleId}-${order}` : order }),
    ...(typed.status !== ALL && { status: typed.status }),
  };
}

function OrderTable({ orders, onAsk }: { orders: readonly Order[]; onAsk: (asking: Asking) => void }) {
  const { words, language } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const { mayAct } = useApp();
  const wordsOf = (order: Order) => (isFree(order) ? { ...words, ...words.whenFree } : words);
  return (
    <Table label={names.tabs.orders} stacks wraps>
      <thead>
        <tr>
          <th>{words.order}</th>
          <th>{words.user}</th>
          <th>{words.status}</th>
          <th>{names.item}</th>
          <th class="number">{words.quantity}</th>
          <th class="number">{words.amount}</th>
          <th>{words.since}</th>
          {mayAct && (
            <th>
              <span class="unseen">{words.act}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {orders.map((order) => {
          const { orderId, userId, sku, name, quantity, price, amount, status, changedAt, participant } = order;
          const verbs =
            status === 'created' ? (['pay', 'cancel'] as const) : status === 'paid' ? (['refund'] as const) : [];
          return (
            <tr key={orderId} data-testid="order" data-order={orderId}>
              <td class="order-id">
                <code>{orderId}</code>
              </td>
              <th scope="row">
                {participant?.name ?? ownName(userId)}
                {(participant?.name ?? ownName(userId)) !== userId && <small>{userId}</small>}
              </th>
              <td>
                <span class="chip" data-status={status}>
                  {statusOf(order, names)}
                </span>
              </td>
              <td>
                {name ?? sku} {name !== undefined && <code>{sku}</code>}
              </td>
              <td class="number">{countText(quantity)}</td>
              <td class="number" data-testid="amount">
                {moneyText(amount)}
                {quantity > 1 && <small>{words.each(moneyText(price))}</small>}
              </td>
              <td class="moment">{momentText(changedAt, language)}</td>
              {mayAct && (
                <td>
                  <span class="order-acts">
                    {verbs.map((verb) => (
                      <Button
                        key={verb}
                        variant="quiet"
                        testId={verb}
                        label={`${wordsOf(order)[verb]}: ${orderId}`}
                        onClick={() => onAsk({ verb, order })}
                      >
                        {wordsOf(order)[verb]}
                      </Button>
                    ))}
                  </span>
                </td>
              )}
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}
