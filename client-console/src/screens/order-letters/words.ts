import type { OrderLetter } from '../../state/responses.ts';
import { countText } from '../../words/figures.ts';
import { bilingual, type Language } from '../../words/language.ts';

export const WORDS = bilingual(
  {
    told: 'Reservations that cannot become orders, and payments that came too late. They wait for an operator; no money moves here.',
    bySale: 'Search for a sale',
    byUser: 'Search for a user',
    byOrder: 'Search for an order or its number',
    noneTold: 'Every reservation has become an order or is on its way. One that cannot appears here with the reason.',
    noMatch: 'No such dead letter',
    noMatchTold: 'Enter a complete id of a sale, a user or an order.',
    sale: 'Sale',
    detail: 'Detail',
    order: 'Order',
    noOrder: 'No order',
    discarded: (who: string) => `Discarded by ${who}; discard it again to remove it.`,
    entry: 'Entry of the log',
    unreadable: 'An entry that cannot be read',
    requeue: 'Requeue',
    discard: 'Discard',
    final: 'Its order has ended or is paid, so sending it again changes nothing.',
    requeueTitle: 'Requeue this dead letter?',
    requeueTold: (what: string) =>
      `The reservation ${what} is sent to the workers again. Its order is written once, however often you requeue it; what still cannot become an order is listed here again.`,
    requeueAll: (sale: string) => `Requeue all of ${sale} …`,
    requeueAllAct: 'Requeue all',
    requeueAllTitle: (sale: string) => `Requeue the dead letters of ${sale}?`,
    requeueAllTold:
      'Do this when the cause is fixed, for example when the service of the shop answers again. At most 1,000 are sent at a time. Letters whose orders have ended or are paid stay.',
    sent: (n: number) => `${countText(n)} sent again.`,
    stay: (n: number) =>
      n === 1
        ? '1 stays: sending it again changes nothing. It says what to do.'
        : `${countText(n)} stay: sending them again changes nothing. Each says what to do.`,
    more: 'There are more: do it again.',
    discardTitle: 'Discard this dead letter?',
    discardTold: 'It does not come back. No units and no money move, and the buyer is told nothing.',
    unsigned: 'not signed',
    payBack:
      'The buyer has paid, and the units were sold again. Pay the buyer back at the shop first: nobody is reminded of it afterwards.',
    whyHint: 'It is recorded in the audit log.',
  },
  {
    told: '无法成为订单的预占，以及来得太晚的付款。它们等待人工处理；这里不动钱。',
    bySale: '搜索秒杀',
    byUser: '搜索用户',
    byOrder: '搜索订单编号或序号',
    noneTold: '所有预占都已成为订单或正在下单。若有无法下单的，会带着原因留在这里。',
    noMatch: '没有这样的异常记录',
    noMatchTold: '请输入完整的秒杀、用户或订单编号。',
    sale: '秒杀',
    detail: '详情',
    order: '订单',
    noOrder: '没有订单',
    discarded: (who) => `已由 ${who} 作废；再作废一次即可移除。`,
    entry: '日志条目',
    unreadable: '无法读取的条目',
    requeue: '重新处理',
    discard: '作废',
    final: '该订单已终结或已付款，重新发送不会有任何变化。',
    requeueTitle: '把这条异常记录重新处理？',
    requeueTold: (what) =>
      `预占 ${what} 会再次发给工作进程。无论重新处理多少次，订单只写入一次；仍然无法下单的会再次出现在这里。`,
    requeueAll: (sale) => `把 ${sale} 的全部重新处理…`,
    requeueAllAct: '全部重新处理',
    requeueAllTitle: (sale) => `把 ${sale} 的异常记录重新处理？`,
    requeueAllTold: '请在原因排除后再做，例如商家系统恢复应答之后。每次最多 1,000 条；订单已终结或已付款的会留下。',
    sent: (n) => `已重新发送 ${countText(n)} 条。`,
    stay: (n) => `${countText(n)} 条予以保留：重新发送不会有任何变化，请按各自的说明处理。`,
    more: '还有更多：请再执行一次。',
    discardTitle: '作废这条异常记录？',
    discardTold: '作废后不会再出现。不动库存，不动钱，也不会通知买家。',
    unsigned: '未签名',
    payBack: '买家已付款，而这些商品已再次出售。请先在商家系统退款：之后不会再有人提醒。',
    whyHint: '会写入操作日志。',
  },
);

/** The meaning of each reason, which the server gives in English. */
const REASONS_ZH: Record<OrderLetter['reason'], string> = {
  malformed: '预占日志中的这一条不是预占。',
  wrong_sale: '这个预占属于另一场秒杀，不属于这份日志。',
  not_signed:
    '这个预占没有用 SIGNING_SECRET 签名：不是任何网关写的。什么都没有写入。请查明是谁写进了 Redis，然后作废。',
  not_reserved: 'Redis 中没有该买家的这个预占（见详情）。什么都没有写入。请查明是谁写进了日志，然后作废。',
  not_in_sale:
    '本场没有这个价格、这个件数的商品，或已没有库存给它（见详情）。什么都没有写入。请查明是谁写进了 Redis，然后作废。',
  differs: '账本中已有另一个同编号的订单，或该买家另有一个同 ref 的订单（见详情）。',
  failed: '商家系统拒绝了这个订单（见详情）。订单已失败，商品会再次出售：请作废。',
  refused_after_payment:
    '商家已报告付款，之后却拒绝了这个订单（见详情）。订单仍为已支付。请与商家核对：要么发货，要么退款，然后作废。',
  unavailable: '商家系统没有及时确认这个订单（见详情）。它可能已收到，只是应答丢失：请重新处理。',
  paid_after_release: '商家报告了一笔付款，而该订单的商品已再次出售（见详情）。请先在商家系统退款，然后作废。',
};

const UNSIGNED_ZH =
  '这条异常记录没有用 SIGNING_SECRET 签名：可能是旧版本写的，也可能是能写入 Redis 的其他人。在账本与商家（或钱包）都证实之前，不要照它说的做；然后重新处理或作废。';

/** The advice of a letter about a win or an order, as far as it is not for orders only. */
export const adviceOf = ({ text, unsigned }: Pick<OrderLetter, 'text' | 'unsigned'>, language: Language): string =>
  unsigned && language === 'zh' ? UNSIGNED_ZH : text;

export function meaningOf(letter: OrderLetter, language: Language): string {
  const { reason, text, unsigned } = letter;
  if (unsigned) return adviceOf(letter, language);
  // A newer server may have a reason that this page does not know.
  const known = language === 'zh' ? (REASONS_ZH as Partial<Record<string, string>>)[reason] : undefined;
  // In a terminal the backticks name a line.
  return known ?? text.replaceAll('`', '');
}
