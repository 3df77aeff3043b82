import { counted, countText } from '../../words/figures.ts';
import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  big: 'Big screen', small: 'Exit the big screen', connecting: 'Connecting …', lost: 'Connection lost, reconnecting …',
  startsIn: 'Starts in', endsIn: 'On sale. It ends in', paused: 'Paused', over: 'The sale is over', soldOut: 'Sold out!', allReserved: 'All reserved. What is not paid comes back', ends: (time: string) => `it ends in ${time}`, draft: 'Being prepared',
  left: 'units left', of: (left: string, all: string) => `${left} of ${all}`, paid: 'units paid', waiting: 'wait for payment', timedOut: 'timed out', watching: 'watching', gateways: (n: number) => (n === 1 ? 'through 1 gateway' : `through ${n} gateways`),
  perSecond: (n: string) => `${n} per second`, reservations: (n: number) => counted(n, 'reservation'), pulse: 'Units per second', reservedLine: 'reserved', paidLine: 'paid', board: 'Items', item: 'Item', units: 'Units', itemLeft: 'Left', reserved: 'Reserved', itemPaid: 'Paid', returned: 'Returned',
  itemTimedOut: 'Timed out', equation: 'Does it add up?', auditPending: 'The units are being audited …', audited: (time: string, orders: number) => `Audited at ${time}: ${counted(orders, 'order')}.`,
}, {
  big: '全屏', small: '退出全屏', connecting: '连接中…', lost: '连接已断开，正在重连…',
  startsIn: '距离开始', endsIn: '销售中，距离结束', paused: '暂停中', over: '秒杀已结束', soldOut: '已售罄！', allReserved: '已全部预占，未支付的会再次出售', ends: (time) => `${time} 后结束`, draft: '准备中',
  left: '剩余件数', of: (left, all) => `${left} / ${all}`, paid: '已支付件数', waiting: '待支付', timedOut: '已超时', watching: '在线人数', gateways: (n) => `${n} 个网关`,
  perSecond: (n) => `每秒 ${n}`, reservations: (n) => `${countText(n)} 个预占`, pulse: '每秒件数', reservedLine: '预占', paidLine: '支付', board: '商品', item: '商品', units: '总件数', itemLeft: '剩余', reserved: '待支付', itemPaid: '已支付', returned: '已退回',
  itemTimedOut: '已超时', equation: '账目是否相符', auditPending: '正在核算件数…', audited: (time, orders) => `${time} 核算：${countText(orders)} 个订单。`,
});
