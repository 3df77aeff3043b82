import type { RainState } from '../../state/responses.ts';
import type { Order, SaleEquation } from '../../state/responses.ts';
import { counted, countText } from '../../words/figures.ts';
import { bilingual } from '../../words/language.ts';

type Part = Exclude<keyof SaleEquation, 'sku' | 'units'>;

/** What several screens of sales need. */
export const SALE_WORDS = bilingual({
  states: { draft: 'Draft', loaded: 'Scheduled', open: 'On sale', paused: 'Paused', closed: 'Over', settled: 'Settled', lost: 'Lost in Redis' } as Record<RainState, string>,
  parts: { sold: 'Paid', reserved: 'Waiting', pending: 'On its way', left: 'Left', returned: 'Returned' } as Record<Part, string>,
  statuses: { created: 'Waiting for payment', paid: 'Paid', cancelled: 'Cancelled', timed_out: 'Timed out', failed: 'Failed', refunded: 'Refunded' } as Record<Order['status'], string>,
  tabs: { overview: 'Overview', live: 'Live', orders: 'Orders' }, back: 'All sales', noSale: 'There is no such sale', held: 'Held: nothing is sold', heldTold: (reason: string) => `Somebody has written a hold into this sale in Redis: “${reason}”. The workers end it when their audit finds nothing else; a repair ends it now.`, damaged: 'Counts of Redis that cannot be read',
  units: (n: number) => counted(n, 'unit'), addsUp: 'It adds up, to the unit.', not: 'It does NOT add up.', item: 'Item', price: 'Price', listPrice: 'List price',
}, {
  states: { draft: '草稿', loaded: '已就绪', open: '销售中', paused: '已暂停', closed: '已结束', settled: '已结算', lost: 'Redis 数据丢失' },
  parts: { sold: '已支付', reserved: '待支付', pending: '下单中', left: '剩余', returned: '已退回' },
  statuses: { created: '待支付', paid: '已支付', cancelled: '已取消', timed_out: '已超时', failed: '失败', refunded: '已退款' },
  tabs: { overview: '概览', live: '实况', orders: '订单' }, back: '全部秒杀', noSale: '没有这场秒杀', held: '已冻结：暂停销售', heldTold: (reason) => `有人在 Redis 中为这场秒杀写入了冻结标记：“${reason}”。若核算没有其他问题，工作进程会解除；修复会立即解除。`, damaged: 'Redis 中无法读取的计数',
  units: (n) => `${countText(n)} 件`, addsUp: '件数分毫不差。', not: '件数对不上！', item: '商品', price: '价格', listPrice: '原价',
});

/** The page of one sale. */
export const WORDS = bilingual({
  stock: 'The units', audit: 'Run audit again', counts: (orders: number, buyers: number) => `${counted(orders, 'order')} of ${counted(buyers, 'buyer')}.`, problems: 'Needs action', notices: 'To be repeated',
  waiting: (n: number) => `${counted(n, 'reservation has', 'reservations have')} no order yet. While a worker runs, that takes a moment.`, repair: 'Repair …', writeOff: 'Write off …', acknowledge: 'Mark as seen …', repairTitle: 'Repair this sale?', repairAct: 'Repair',
  repairSends: (n: number) => `${counted(n, 'reservation without an order is', 'reservations without an order are')} sent to the workers again. An order is written once, however often it is sent.`,
  repairSets: (field: string, found: string, right: string) => `${field} in Redis is set from ${found} to ${right}.`, repairReleases: 'The hold is ended, and the sale sells again.', repairNothing: 'There is nothing that a repair can put right.', repairMore: 'There are more: run it again afterwards.',
  items: 'Items', perOrder: 'Per order', perUser: 'Per user', total: 'Units', paid: 'Paid', reserved: 'Waiting', left: 'Left', returned: 'Returned', reservations: 'Reservations', orders: 'Orders', queued: 'In the queue', undelivered: 'Timed out before the shop had them',
  window: 'Opens and closes', endedEarly: (planned: string) => `ended before its time, ${planned}`, freeHold: 'Nothing: free items are the buyer\'s at once', hold: 'To be paid within', perUserSale: 'Per user in this sale', perUserCampaign: 'Per user in all sales of the campaign', noLimit: 'no limit', service: 'Orders are kept by', services: { builtin: 'this product', webhook: 'the shop\'s own service' }, campaign: 'Campaign', round: (n: number) => `round ${n}`, id: 'Id',
  verbs: { load: 'Load', start: 'Start', pause: 'Pause', resume: 'Resume', topUp: 'Top up', tickets: 'Tickets', end: 'End now' },
  ask: {
    load: (title: string) => `Put “${title}” on sale?`, start: (title: string) => `Start “${title}” now?`, pause: (title: string) => `Pause “${title}”?`, resume: (title: string) => `Resume “${title}”?`, topUp: (title: string) => `Add units to “${title}”`, end: (title: string) => `End “${title}” now?`,
  },
  told: {
    load: 'From its start on, it can be bought from. Its units were booked at creation.', start: 'It opens for everybody now. Its duration does not change.',
    pause: 'Purchases are answered “paused” until you resume. The end does not move, and reservations are paid as before.', resume: 'It sells again at once, until its end.',
  },
  end: (left: number, waiting: number) => `It cannot be reopened. ${counted(left, 'unit that is left goes', 'units that are left go')} back to the shop, and ${counted(waiting, 'reserved one', 'reserved ones')} can still be paid.`,
  endTold: 'It cannot be reopened. What is left goes back to the shop; reservations can still be paid.', more: 'Units to add', moreTold: 'They are booked in the stock first, and are on sale at once if the sale is.',
  invite: 'Buyers', players: 'Buyers open this page', openPage: 'Open it here as a buyer', hall: 'Screen for the hall', bots: 'Simulated buyers, in a terminal', botsHint: 'Run it on the machine on which the system was started. At the end it reports whether what they were told agrees with the audit.', botsReal: 'They take real stock of this sale: their orders stand beside those of your customers. To practise, make a sale with “Rehearsal”.',
}, {
  stock: '库存核算', audit: '重新核算', counts: (orders, buyers) => `${countText(buyers)} 位买家，${countText(orders)} 个订单。`, problems: '需要处理', notices: '需要重做',
  waiting: (n) => `${countText(n)} 个预占还没有订单。有工作进程时稍等即可。`, repair: '修复…', writeOff: '核销…', acknowledge: '标记为已阅…', repairTitle: '修复这场秒杀？', repairAct: '修复',
  repairSends: (n) => `${countText(n)} 个没有订单的预占会再次发给工作进程。无论发送多少次，订单只写入一次。`,
  repairSets: (field, found, right) => `Redis 中的 ${field} 将从 ${found} 改为 ${right}。`, repairReleases: '解除冻结，恢复销售。', repairNothing: '没有可以修复的内容。', repairMore: '还有更多：请之后再执行一次。',
  items: '商品', perOrder: '每单限购', perUser: '每人限购', total: '总件数', paid: '已支付', reserved: '待支付', left: '剩余', returned: '已退回', reservations: '预占', orders: '订单', queued: '排队中', undelivered: '商家未确认即超时',
  window: '开始与结束', endedEarly: (planned) => `提前结束，原定 ${planned}`, freeHold: '无需支付：免费商品抢到即归买家', hold: '支付时限', perUserSale: '本场每人限购', perUserCampaign: '系列活动中每人合计限购', noLimit: '不限', service: '订单保存在', services: { builtin: '本系统', webhook: '商家自己的系统' }, campaign: '系列活动', round: (n) => `第 ${n} 场`, id: '编号',
  verbs: { load: '上架', start: '开始', pause: '暂停', resume: '继续', topUp: '补货', tickets: '门票', end: '提前结束' },
  ask: {
    load: (title) => `上架“${title}”？`, start: (title) => `现在开始“${title}”？`, pause: (title) => `暂停“${title}”？`, resume: (title) => `继续“${title}”？`, topUp: (title) => `为“${title}”补货`, end: (title) => `现在就结束“${title}”？`,
  },
  told: {
    load: '从开始时间起即可购买。库存在创建时已入账。', start: '立即对所有人开放，持续时间不变。',
    pause: '暂停期间购买会得到“已暂停”。结束时间不变，已预占的照常支付。', resume: '立即恢复销售，直到结束时间。',
  },
  end: (left, waiting) => `结束后不能再开。剩余 ${countText(left)} 件退回商家；已预占的 ${countText(waiting)} 件仍可支付。`,
  endTold: '结束后不能再开。剩余的退回商家，已预占的仍可支付。', more: '增加件数', moreTold: '先记入库存账；若正在销售，立即可买。',
  invite: '买家', players: '买家打开此页面', openPage: '在此以买家身份打开', hall: '现场大屏', bots: '在终端里加入模拟买家', botsHint: '在启动系统的机器上运行，结束时会显示他们得到的告知是否与账目一致。', botsReal: '模拟买家会占用这场秒杀的真实库存，其订单与顾客的订单并列。若要演练，请新建一场勾选“彩排”的秒杀。',
});
