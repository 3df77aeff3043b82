import type { DifferenceKind } from '../../../src/operator/restore/difference.ts';
import { bilingual, type Language } from './language.ts';

/** The findings of a comparison of Redis with the database, by kind. */
export const DIFFERENCE_WORDS = bilingual<Record<DifferenceKind, string>>(
  {
    not_in_book: 'The database does not know the rain',
    missing: 'Redis has lost the rain',
    older_labels: 'Loaded by an older version',
    state_missing: 'Redis has lost the state of the rain',
    half_restored: 'A restore was interrupted',
    not_loaded: 'Loaded, and Redis has it from before that',
    not_in_index: 'Nobody finds the rain: it is not in the index',
    window_not_in_redis: 'Redis lacks a change of the times',
    window_not_in_book: 'The database lacks a change of the times',
    top_up_not_in_redis: 'Redis lacks a top-up',
    top_up_not_in_book: 'The database lacks a top-up',
    credit_not_in_log: 'Credited, and Redis has lost the win',
    credited_packet_in_list: 'Credited, and would be handed out again',
    claim_not_in_book: 'Won, and not on its way to the database',
    claim_dead: 'Won, and a dead letter',
    settled_in_book: 'Settled in the database only',
    settled_in_redis: 'Settled in Redis only',
    winners_unknown: 'The winners are in neither store',
    told: 'Told to a user, and in neither store',
    told_of_lost_rain: 'Told to a user, of a rain that neither store knows',
    told_contested: 'Told to a user; the rain cannot pay it',
    told_unverified: 'Told to a user; nothing confirms it',
    paid: 'Paid by the wallet, and in neither store',
    paid_not_in_book: 'Paid by the wallet, and not credited yet',
    paid_contested: 'Paid by the wallet; the rain cannot bear it',
    paid_unverified: 'Paid by the wallet; nothing confirms it',
    paid_differs: 'Paid by the wallet otherwise',
    written_off: 'Given up: the database does not know the rain',
    unpayable: 'Told to a user, and given up',
    paid_of_lost_rain: 'Paid by the wallet, of a rain that the database does not know',
    credit_not_paid: 'Credited, and not paid by the wallet',
    sale_not_in_book: 'The database does not know the sale',
    order_not_in_book: 'Reserved in Redis, and no order in the database',
    order_ahead_in_redis: 'Redis has a later status of the order',
    sale_missing: 'Redis has lost the sale',
    order_not_in_redis: 'Redis has lost the order',
    order_behind_in_redis: 'Redis has an older status of the order',
    reservation_told: 'Told to a buyer, and in neither store',
    sale_written_off: 'The sale was given up',
    order_written_off: 'Of a sale that was given up',
  },
  {
    not_in_book: '数据库中没有这场红包雨',
    missing: 'Redis 丢失了整场红包雨',
    older_labels: '由旧版本装载',
    state_missing: 'Redis 丢失了这场的状态',
    half_restored: '上一次恢复中断了',
    not_loaded: '已装载，但 Redis 停留在装载之前',
    not_in_index: '不在索引中，没人能找到',
    window_not_in_redis: 'Redis 缺少一次时间变更',
    window_not_in_book: '数据库缺少一次时间变更',
    top_up_not_in_redis: 'Redis 缺少一次追加',
    top_up_not_in_book: '数据库缺少一次追加',
    credit_not_in_log: '已入账，但 Redis 丢失了领取记录',
    credited_packet_in_list: '已入账，却可能再次发出',
    claim_not_in_book: '已抢到，但没有送往数据库',
    claim_dead: '已抢到，但入账失败，待人工处理',
    settled_in_book: '仅数据库已结算',
    settled_in_redis: '仅 Redis 已结算',
    winners_unknown: '两边都没有中奖名单',
    told: '已告知用户，但两边都没有记录',
    told_of_lost_rain: '已告知用户，但两边都没有这场',
    told_contested: '已告知用户，但本场无法支付',
    told_unverified: '已告知用户，但无从证实',
    paid: '钱包已支付，但两边都没有记录',
    paid_not_in_book: '钱包已支付，尚未入账',
    paid_contested: '钱包已支付，但本场无法承担',
    paid_unverified: '钱包已支付，但无从证实',
    paid_differs: '钱包支付的内容不符',
    written_off: '已放弃：数据库中没有这场',
    unpayable: '已告知用户，但已放弃',
    paid_of_lost_rain: '钱包已支付，但数据库中没有这场',
    credit_not_paid: '已入账，但钱包没有支付',
    sale_not_in_book: '数据库中没有这场抢购',
    order_not_in_book: 'Redis 中已预留，数据库中没有订单',
    order_ahead_in_redis: 'Redis 中的订单状态更新',
    sale_missing: 'Redis 丢失了这场抢购',
    order_not_in_redis: 'Redis 丢失了订单',
    order_behind_in_redis: 'Redis 中的订单状态较旧',
    reservation_told: '已告知买家，但两边都没有',
    sale_written_off: '这场抢购已放弃',
    order_written_off: '属于已放弃的抢购',
  },
);

const LATER = (id: string) =>
  `请检查 DATABASE_URL；若无误，请恢复更晚的 PostgreSQL：种子和资金只在那里。在此之前，rain restore apply ${id} 会让它保持暂停；若没有更晚的备份：rain write-off ${id} --reason "…"`;

/** In Chinese, where the console's answer is more than a command. */
const TO_DO_ZH: Partial<Record<DifferenceKind, (id: string) => string>> = {
  not_in_book: LATER,
  top_up_not_in_book: LATER,
  window_not_in_book: (id) =>
    `若在 PostgreSQL 备份之后改过时间或提前开始（请问同事）：rain restore apply ${id} --reason "…"；若没有，则有人改动了 Redis：rain pause ${id}，并见运行手册的 RainTampering`,
  older_labels: () => '请启动旧版本的网关和工作进程，直到这场结算完毕',
  claim_not_in_book: (id) => `若数据库中有这场，rain restore apply ${id} 会重新发送；随后工作进程会入账，请稍后再看`,
  settled_in_redis: (id) => `工作进程会自行入账并再次结算；若没有工作进程，rain restore apply ${id} 会保留它的键`,
  winners_unknown: (id) => `先 rain restore import ${id} --winners winners.csv，再 rain write-off ${id} --reason "…"`,
  told_of_lost_rain: () => '回执是真的：请恢复更晚的 PostgreSQL，或补偿用户',
  told_contested: () => '请补偿用户：本场无法支付',
  told_unverified: () => '不会支付：计划无法证实',
  paid: (id) => `用对账单导入：rain restore import ${id} --winners wallet.csv`,
  paid_not_in_book: (id) => `等待工作进程，然后 rain restore apply ${id}；异常记录见 rain dead list --rain ${id}`,
  paid_contested: () => '本场无法支付：请与钱包方核对',
  paid_unverified: () => '无从证实：请与钱包方核对',
  paid_differs: (id) => `请与钱包方核对，见 rain reconcile ${id} --statement wallet.csv`,
  written_off: () =>
    '无需处理：已放弃，其键三十天后过期；若之后恢复了更晚的 PostgreSQL，工作进程会支付中奖者，请告知手工支付的人',
  unpayable: () => '若尚未支付，请手工支付：账本中没有这笔钱',
  paid_of_lost_rain: () => '请恢复更晚的 PostgreSQL，并保留对账单',
  sale_not_in_book: (id) =>
    `请检查 DATABASE_URL；若无误，请恢复更晚的 PostgreSQL，在此之前不会出售任何商品；若没有更晚的备份：rain sale orders ${id} --redis --csv 保存订单清单，再 rain sale write-off ${id} --reason "no later backup of PostgreSQL"`,
  order_not_in_book: (id) =>
    `数据库中有这场抢购后，工作进程会写入订单，请稍后再看；完整清单：rain sale orders ${id} --redis --csv，请与商店核对`,
  order_ahead_in_redis: (id) =>
    `请让商店再次上报这些订单：rain sale orders ${id} --redis --csv；若商店不确认，rain sale audit ${id} --repair 以数据库为准`,
  sale_written_off: () => '无需处理：已放弃，其键三十天后过期',
  order_written_off: (id) => `若尚未处理，请与商店核对：rain sale orders ${id} --redis --csv`,
  credit_not_paid: (id) =>
    `若对账单完整，则是钱包丢失了这笔支付：请让其按领取编号补付，见 rain reconcile ${id} --statement wallet.csv`,
};

/** @param answer the console's advice, in English; often a command */
export function toDoIn(language: Language, kind: DifferenceKind, rainId: string, answer: string): string {
  return language === 'zh' ? (TO_DO_ZH[kind]?.(rainId) ?? answer) : answer;
}
