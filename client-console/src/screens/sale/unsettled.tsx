import type { SaleAudit, SaleView } from '../../state/responses.ts';
import { useApp, useRequest } from '../../state/useApi.ts';
import { hashOf } from '../../state/route.ts';
import { counted, countText, momentText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';

const REFRESH_MS = 15_000;

const WORDS = bilingual(
  {
    over: 'Over, and not settled yet',
    lost: 'Redis has lost this sale',
    early: 'It has not started, so nobody has reserved in it. Load it again.',
    lostTold:
      'Nothing can be sold in it any more. Write it off below: its orders stay, and the rest goes back to the shop.',
    givenUp: 'It was written off. It is settled when no order waits for its payment.',
    payments: (n: number, until: string) =>
      `${counted(n, 'unit waits', 'units wait')} for payment, until ${until} at the latest.`,
    bySelf: 'Then the sale is settled by itself.',
    toOrders: 'Cancel or follow them in the orders',
    reservations: (n: number) =>
      `${counted(n, 'reservation has', 'reservations have')} no order yet. While a worker runs, that takes a moment; if it does not end, repair the sale below.`,
    differs:
      'It does not add up, so nothing goes back to the shop. The audit below says in what: repair it, or write it off.',
    soon: 'Nothing stands in the way: a worker settles it within seconds. If it stays so, see whether a worker runs.',
    toSystem: 'System',
    letters: (n: number, more: boolean) => `${more ? 'More than ' : ''}${counted(n, 'dead letter')} of this sale`,
  },
  {
    over: '已结束，尚未结算',
    lost: 'Redis 已丢失这场秒杀',
    early: '还没到开始时间，没有人预占过。请重新上架。',
    lostTold: '无法再出售。请在下方核销：订单保留，其余退回商家。',
    givenUp: '已核销。所有待支付的订单有结果后，本场结算。',
    payments: (n, until) => `还有 ${countText(n)} 件待支付，最晚到 ${until}。`,
    bySelf: '之后自动结算。',
    toOrders: '到订单页查看或取消',
    reservations: (n) => `还有 ${countText(n)} 个预占没有订单。有工作进程时稍等即可；若一直如此，请在下方修复。`,
    differs: '件数对不上，所以不会退回商家。请看下方核对结果：修复或核销。',
    soon: '没有障碍：工作进程会在数秒内结算。若一直如此，请检查工作进程是否在运行。',
    toSystem: '系统',
    letters: (n, more) => `本场的异常记录：${more ? '超过 ' : ''}${countText(n)} 条`,
  },
);

/** As many are counted. */
const LETTERS_MAX = 100;

interface UnsettledSale {
  sale: SaleView;
  audit: SaleAudit | undefined;
  isGivenUp: boolean;
}

/** Why a sale that is over or lost is not settled, what leads out of it, and its dead letters. */
export function Unsettled({ sale, audit, isGivenUp }: UnsettledSale) {
  const { words } = useWords(WORDS);
  const { saleId, state } = sale;
  const dead = useRequest<{ letters: unknown[]; next?: string }>(
    `dead/orders?saleId=${encodeURIComponent(saleId)}&limit=${LETTERS_MAX}`,
    REFRESH_MS,
  ).value;
  const letters = dead?.letters.length ?? 0;
  const isUnsettled = state === 'closed' || state === 'lost';
  if (!isUnsettled && letters === 0) return null;
  return (
    <div class="findings" role="status" data-testid="unsettled">
      {isUnsettled && <h2>{state === 'lost' ? words.lost : words.over}</h2>}
      <ul>
        {isUnsettled && <Hindrances sale={sale} audit={audit} isGivenUp={isGivenUp} />}
        {letters > 0 && (
          <li>
            <a href={hashOf({ screen: 'order-letters', saleId })} data-testid="to-letters">
              {words.letters(letters, dead?.next !== undefined)}
            </a>
          </li>
        )}
      </ul>
    </div>
  );
}

function Hindrances({ sale, audit, isGivenUp }: UnsettledSale) {
  const { words, language } = useWords(WORDS);
  const { api } = useApp();
  const { saleId, state, items, opensAt, closesAt, holdMs } = sale;
  const reserved = items.reduce((sum, item) => sum + item.reserved, 0);
  return (
    <>
      {state === 'lost' && (
        <li>{isGivenUp ? words.givenUp : Date.parse(opensAt) > api.now() ? words.early : words.lostTold}</li>
      )}
      {state === 'closed' && isGivenUp && <li>{words.givenUp}</li>}
      {reserved > 0 && (
        <li>
          {words.payments(reserved, momentText(Date.parse(closesAt) + holdMs, language))}{' '}
          {state === 'closed' && words.bySelf} <a href={hashOf({ screen: 'orders', saleId })}>{words.toOrders}</a>
        </li>
      )}
      {audit !== undefined && audit.waiting > 0 && <li>{words.reservations(audit.waiting)}</li>}
      {state === 'closed' && !isGivenUp && audit?.balanced === false && <li>{words.differs}</li>}
      {state === 'closed' && audit?.balanced === true && audit.waiting === 0 && reserved === 0 && (
        <li>
          {words.soon} <a href={hashOf({ screen: 'system' })}>{words.toSystem}</a>
        </li>
      )}
    </>
  );
}
