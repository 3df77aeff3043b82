import { METHODS } from '../../../src/rain/split/methods.ts';
import { ACCOUNT_REASONS } from './accountRefusals.ts';
import { momentText } from './figures.ts';
import type { Language } from './language.ts';
import { PARTICIPANT_REASONS } from './participantRefusals.ts';
import { SALE_REASONS } from './saleRefusals.ts';
import { TEMPLATE_REASONS } from './templateRefusals.ts';
import { THEME_REASONS } from './themeRefusals.ts';

/**
 * The console sends its reasons in English. These are their Chinese translations; those about sales are in
 * saleRefusals.ts, those about the operator's own account in accountRefusals.ts, those about the list of participants
 * in participantRefusals.ts, those about themes and greetings in themeRefusals.ts, those about templates in
 * templateRefusals.ts. A reason without a translation is shown in English.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /^([\d,]+) packets? of at least ([\d.]+) would take ([\d.]+), more than the budget ([\d.]+)$/,
    '$1 个红包每个至少 $2，共需 $3，超过预算 $4',
  ],
  [
    /^([\d,]+) packets? of at most ([\d.]+) can hold ([\d.]+), less than the budget ([\d.]+)$/,
    '$1 个红包每个最多 $2，只能装下 $3，少于预算 $4',
  ],
  [/^the smallest packet, ([\d.]+), is above the largest, ([\d.]+)$/, '最小红包 $1 大于最大红包 $2'],
  [/^(-?[\d,.]+) packets: a rain has at least 1$/, '$1 个红包：至少需要 1 个'],
  [/^([\d,]+) packets: a rain has at most ([\d,]+)$/, '$1 个红包：最多 $2 个'],
  [/^([\d.]+) is not a whole number of packets$/, '$1 不是整数'],
  [/^(".*") is negative: .*$/, '$1 是负数：金额必须大于零'],
  [/^(".*") is zero: .*$/, '$1 为零：金额必须大于零'],
  [/^(".*") is not a whole number of cents: .*$/, '$1 不足一分：请写两位小数，例如 "12.21"'],
  [/^(".*") is more than the largest budget, ([\d.]+)$/, '$1 超过最大预算 $2'],
  [/^(".*") is not an amount: .*$/, '$1 不是金额：请写成 "12.21" 这样的形式'],
  [/^([\d.]+) is below the smallest packet, ([\d.]+)$/, '$1 小于最小红包 $2'],
  [/^([\d.]+) is above the largest packet, ([\d.]+)$/, '$1 大于最大红包 $2'],
  [/^(\S+) is not after the start at (\S+)$/, '结束时间 $1 不在开始时间 $2 之后'],
  [/^(.+) has passed already, and so has the end, (.+)$/, '开始时间 $1 已经过去，结束时间 $2 也已过去'],
  [/^a rain lasts a week at most$/, '一场红包雨最多持续一周'],
  [/^expected off, pressure or always$/, '请选择 off、pressure 或 always'],
  [
    /^needs tickets, expected tickets pressure or always with it$/,
    '需要同时要求防刷凭证：tickets 应为 pressure 或 always',
  ],
  [/^the rain (\S+) is over$/, '红包雨 $1 已结束'],
  [
    /^Redis does not know the (rain|sale) (\S+); the rules hold once it is there again$/,
    'Redis 中没有 $2；恢复后规则生效',
  ],
  [/^expected a title$/, '请填写名称'],
  [/^expected 1 to 500 characters$/, '请填写 1 到 500 个字'],
  [/^the wallet may have paid (\S+); .*$/, '外部钱包可能已支付 $1：请重新处理，或确认其没有支付'],
  [
    /^(missing, |it occurs twice, )?expected a header line with the columns id, .*$/,
    '第一行须为列名 id、amount、time（可另有 user），每列一次，以逗号分隔',
  ],
  [/^(\S+) is not settled yet, so not all of its winners are known$/, '$1 尚未结算，中奖者还不完整'],
  [/^(\S+) was a rehearsal, in which nobody has won money$/, '$1 是彩排，没有人赢得真钱'],
  [
    /^(missing, |it occurs twice, )?expected a header line with the column user, .*$/,
    '第一行须有列名 user，或参与者名单的“工号”',
  ],
  [/^nobody on the list of participants has the number (.*)$/, '参与者名单中没有工号 $1'],
  [/^expected at most (\d+) users$/, '名单最多 $1 人'],
  [/^there is no rain or campaign with rounds (\S+)$/, '$1 不是红包雨，也不是含有红包雨的系列活动'],
  [/^expected at least one user$/, '名单中至少要有一人'],
  [
    /^(\S+) was loaded, and does not forget who is excluded; create another campaign$/,
    '$1 已装载，无法取消排除：请新建系列活动',
  ],
  [/^this is a workbook, expected it saved as "CSV UTF-8"$/, '这是电子表格文件：请另存为“CSV UTF-8”'],
  [/^expected UTF-8, which spreadsheets call "CSV UTF-8"$/, '文件不是 UTF-8 编码：请在电子表格中另存为“CSV UTF-8”'],
  [/^expected as many cells as the header has$/, '单元格个数与列名不一致'],
  [/^expected a positive amount such as "12\.21"$/, '请填写大于零的金额，例如 "12.21"'],
  [/^expected a claim id$/, '缺少领取编号'],
  [
    /^expected epoch milliseconds or a date and time .*$/,
    '请填写毫秒时间戳，或日期与时间，例如 2026-12-31T20:00:00+08:00',
  ],
  [/^expected (a row of at most|every quote to be closed).*$/, '引号没有闭合，或一行太长'],
  [/^not CSV, .*$/, '不是 CSV：单元格以逗号分隔，含逗号或引号时须加引号'],
  [/^expected a number$/, '请填写数字'],
  [/^expected a time after since$/, '截止时间须晚于起始时间'],
  [/^expected at most 128 characters$/, '最多 128 个字符'],
  [/^expected a number above zero$/, '请填写大于零的数字'],
  [/^expected a date and a time$/, '请填写日期和时间'],
  [/^expected a number of packets$/, '请填写红包个数'],
  [/^this user is blocked, and the block has the id; remove it first$/, '该用户在封禁名单中，名单含其 ID：请先解封'],
  [
    /^this user takes part in the (rain|sale) (\S+), which Redis has for 24 hours after it is settled; try again then$/,
    '该用户参加了 $2，结算后 24 小时内 Redis 仍有其数据：请届时再试',
  ],
  [
    /^this user takes part in the (rain|sale) (\S+), or in its campaign, which is not settled; try again when it is$/,
    '该用户参加了 $2 或同系列活动，尚未结算：请结算后再试',
  ],
  [
    /^the wallet of this user holds ([\d.]+), which nobody can ask for afterwards; expected this amount to confirm it$/,
    '该用户钱包中有 $1，抹除后无人可取：请填写该金额以确认',
  ],
  ...SALE_REASONS,
  ...ACCOUNT_REASONS,
  ...PARTICIPANT_REASONS,
  ...THEME_REASONS,
  ...TEMPLATE_REASONS,
  ...METHODS.flatMap((method) => (method.rows ? method.reasonsZh : [])),
];

/** A moment as the server writes it. People read it in their own time. */
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

export function reasonIn(language: Language, reason: string): string {
  const known = language === 'en' ? undefined : REASONS.find(([pattern]) => pattern.test(reason));
  const told = known ? reason.replace(known[0], known[1]) : reason;
  return told.replace(MOMENT, (moment) => momentText(moment, language));
}
