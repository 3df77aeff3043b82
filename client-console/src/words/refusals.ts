import { METHODS } from '../../../src/rain/split/methods.ts';
import type { Language } from './language.ts';

/**
 * The console sends its reasons in English. These are the Chinese translations of the reasons that can occur while a plan is typed.
 * A reason without a translation is shown in English.
 */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^([\d,]+) packets? of at least ([\d.]+) would take ([\d.]+), more than the budget ([\d.]+)$/, '$1 个红包每个至少 $2，共需 $3，超过预算 $4'],
  [/^([\d,]+) packets? of at most ([\d.]+) can hold ([\d.]+), less than the budget ([\d.]+)$/, '$1 个红包每个最多 $2，只能装下 $3，少于预算 $4'],
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
  [/^(\S+) has passed already$/, '$1 已经过去'],
  [/^a rain lasts a week at most$/, '一场红包雨最多持续一周'],
  [/^expected a title$/, '请填写名称'],
  [/^expected 1 to 500 characters$/, '请填写 1 到 500 个字'],
  [/^the wallet may have paid (\S+); .*$/, '外部钱包可能已支付 $1：请重新入队，或确认其没有支付'],
  [/^(missing, |it occurs twice, )?expected a header line with the columns .*$/, '第一行须为列名 id、amount、time（可另有 user），每列一次，以逗号分隔'],
  [/^expected as many cells as the header has$/, '单元格个数与列名不一致'],
  [/^expected a positive amount such as "12\.21"$/, '请填写大于零的金额，例如 "12.21"'],
  [/^expected a claim id$/, '缺少领取编号'],
  [/^expected epoch milliseconds or a date and time .*$/, '请填写毫秒时间戳，或日期与时间，例如 2026-12-31T20:00:00+08:00'],
  [/^expected (a row of at most|every quote to be closed).*$/, '引号没有闭合，或一行太长'],
  [/^not CSV, .*$/, '不是 CSV：单元格以逗号分隔，含逗号或引号时须加引号'],
  [/^expected a number$/, '请填写数字'],
  [/^expected a number above zero$/, '请填写大于零的数字'],
  [/^expected a date and a time$/, '请填写日期和时间'],
  [/^expected a number of packets$/, '请填写红包个数'],
  ...METHODS.flatMap((method) => (method.rows ? method.reasonsZh : [])),
];

export function reasonIn(language: Language, reason: string): string {
  if (language === 'en') return reason;
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known ? reason.replace(known[0], known[1]) : reason;
}
