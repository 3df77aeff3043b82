import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  byUser: 'Search for a user', byOrder: 'Search for an order or its number', byStatus: 'Status', all: 'All statuses', csv: 'Download CSV', csvFound: 'Download these as CSV', sheet: 'List to sign',
  order: 'Order', user: 'User', quantity: 'Quantity', amount: 'Amount', status: 'Status', since: 'Since', act: 'Action', none: 'No orders yet', noneTold: 'A reservation becomes an order within a moment.', noMatch: 'No such order in this sale', noMatchTold: 'Enter a complete user id, or an order\'s id or number.',
  cancel: 'Cancel', refund: 'Refund', cancelTitle: (order: string) => `Cancel the order ${order}?`, refundTitle: (order: string) => `Refund the order ${order}?`, cancelAct: 'Cancel order', refundAct: 'Refund order',
  what: (quantity: string, sku: string, user: string) => `${quantity} × ${sku}, ${user}.`, cancelTold: 'It waits for its payment. Its units are sold again while the sale is open, and the buyer is told.',
  refundTold: 'Its units are sold again while the sale is open, and go back to the shop afterwards. No money moves here: the shop pays back itself.', whyHint: 'It is recorded in the audit log.',
}, {
  byUser: '搜索用户', byOrder: '搜索订单编号或序号', byStatus: '状态', all: '全部状态', csv: '下载 CSV', csvFound: '下载筛选结果 CSV', sheet: '签收表',
  order: '订单', user: '用户', quantity: '件数', amount: '金额', status: '状态', since: '更新时间', act: '操作', none: '还没有订单', noneTold: '预占后片刻即成为订单。', noMatch: '本场没有这样的订单', noMatchTold: '请输入完整的用户编号，或订单编号、序号。',
  cancel: '取消', refund: '退款', cancelTitle: (order) => `取消订单 ${order}？`, refundTitle: (order) => `为订单 ${order} 退款？`, cancelAct: '取消订单', refundAct: '确认退款',
  what: (quantity, sku, user) => `${quantity} × ${sku}，${user}。`, cancelTold: '该订单待支付。取消后，销售期间会再次出售，并通知买家。',
  refundTold: '销售期间会再次出售，结束后退回商家。这里不动钱：款项由商家自行退还。', whyHint: '会写入操作日志。',
});
