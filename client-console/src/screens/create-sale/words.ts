import { counted, countText } from '../../words/figures.ts';
import { bilingual } from '../../words/language.ts';
import type { SalePreset, TypedItem } from './draft.ts';

export const WORDS = bilingual({
  title: 'New sale', ofCampaign: (title: string) => `New sale of “${title}”`, household: (round: number, units: number) => `Round ${round} of the campaign. A user may hold ${counted(units, 'unit')} in all its sales together.`, presets: 'Start from', preset: { goods: 'Goods', tickets: 'Ticket drop' } as Record<SalePreset, string>,
  presetTold: { goods: 'Two items with a list price, two units each user', tickets: 'One item at price 0, one for each user' } as Record<SalePreset, string>,
  items: 'Items', itemNumber: (n: number) => `Item ${n}`, add: 'Add an item', remove: (n: number) => `Remove item ${n}`, more: 'Name, picture, limits',
  fields: { sku: 'SKU', name: 'Name', units: 'Units', price: 'Price', listPrice: 'List price', perOrderMax: 'Per order', perUserMax: 'Per user', picture: 'Picture' } as Record<keyof TypedItem, string>,
  hints: { listPrice: 'Shown crossed out.', perOrderMax: 'Empty: no limit.', picture: 'https://… or /…' } as Partial<Record<keyof TypedItem, string>>,
  terms: 'The sale', name: 'Title', nameHint: 'Every buyer sees it.', perUser: 'Units per user', perUserHint: 'In the whole sale.', hold: 'To be paid within', unit: 'Unit', lasts: 'It is open for',
  service: 'Orders are kept by', services: { builtin: 'this product', webhook: 'the shop\'s own service' }, rehearsal: 'Rehearsal', rehearsalHint: 'To practise: nothing is shipped, and no shop is called.', load: 'Put it on sale', loadHint: 'Otherwise it stays a draft until you load it.',
  review: 'Review …', preview: 'What buyers will see', empty: 'Fill in an item to see it here.', unitsOf: (n: number) => counted(n, 'unit'), free: 'free', total: (units: number, value: string) => `${counted(units, 'unit')}, worth ${value} in all.`,
  reviewTitle: 'Check before you create it', stock: (n: number) => `${counted(n, 'unit goes', 'units go')} into the stock.`, stockTold: 'They are booked now. Nothing else can be sold, and not one unit more.', known: 'This sale exists already.', knownTold: 'No units move.',
  at: (price: string) => `at ${price}`, limits: (user: string, hold: string) => `A user may buy ${user} in all and pays within ${hold}.`, limitsTold: 'What is not paid in time is sold again.', opens: (moment: string) => `Opens ${moment}`, opensIn: (time: string) => `Opens ${time} after you create it`,
  freeAt: 'free', freeLimits: (user: string) => `A user may take ${user} in all.`, freeTold: 'What is free is the buyer\'s at once: nothing is to be paid.', late: (moment: string) => `Its start, ${moment}, has passed: it opens at once`,
  open: (time: string) => `and is open for ${time}.`, practice: 'It is a rehearsal.', back: 'What is left goes back', backTold: 'to the shop when the sale is settled.', draft: 'It stays a draft', draftTold: 'until you load it.', make: 'Create sale', toSale: 'Open the sale with this id',
}, {
  title: '新建秒杀', ofCampaign: (title) => `为“${title}”新建秒杀`, household: (round, units) => `系列活动的第 ${round} 场。每人在其全部秒杀中合计最多 ${units} 件。`, presets: '模板', preset: { goods: '商品', tickets: '抢票' },
  presetTold: { goods: '两种商品，带原价，每人限购两件', tickets: '一种商品，价格为 0，每人一张' },
  items: '商品', itemNumber: (n) => `商品 ${n}`, add: '再加一种商品', remove: (n) => `删除商品 ${n}`, more: '名称、图片、限购',
  fields: { sku: 'SKU', name: '名称', units: '件数', price: '价格', listPrice: '原价', perOrderMax: '每单限购', perUserMax: '每人限购', picture: '图片' },
  hints: { listPrice: '会划线显示。', perOrderMax: '留空表示不限。', picture: 'https://… 或 /…' },
  terms: '场次', name: '名称', nameHint: '所有买家都能看到。', perUser: '每人限购件数', perUserHint: '整场合计。', hold: '支付时限', unit: '单位', lasts: '持续时间',
  service: '订单保存在', services: { builtin: '本系统', webhook: '商家自己的系统' }, rehearsal: '彩排', rehearsalHint: '用于演练：不发货，也不调用商家系统。', load: '立即上架', loadHint: '否则保持草稿，直到上架。',
  review: '核对…', preview: '买家看到的', empty: '填写商品后会显示在这里。', unitsOf: (n) => `${countText(n)} 件`, free: '免费', total: (units, value) => `共 ${countText(units)} 件，总值 ${value}。`,
  reviewTitle: '创建前请核对', stock: (n) => `${countText(n)} 件记入库存。`, stockTold: '现在入账。不会卖出别的商品，也不会多卖一件。', known: '这场秒杀已存在。', knownTold: '库存不变。',
  at: (price) => `单价 ${price}`, limits: (user, hold) => `每人最多买 ${user} 件，须在 ${hold} 内支付。`, limitsTold: '未按时支付的会再次出售。', opens: (moment) => `${moment} 开始，`, opensIn: (time) => `创建后 ${time} 开始，`,
  freeAt: '免费', freeLimits: (user) => `每人最多抢 ${user} 件。`, freeTold: '免费商品抢到即归买家，无需支付。', late: (moment) => `开始时间 ${moment} 已经过去：创建后立即开始，`,
  open: (time) => `持续 ${time}。`, practice: '这是一场彩排。', back: '没卖完的会退回，', backTold: '结算时退回商家。', draft: '保持草稿，', draftTold: '直到上架。', make: '创建', toSale: '查看此编号的秒杀',
});
