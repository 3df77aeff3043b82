/**
 * The Chinese translations of what the console refuses about the operator's own account, and about what waits for a
 * second operator.
 */
export const ACCOUNT_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^expected no NUL among its characters$/, '不能含有空字符（NUL）'],
  [/^expected at least (\d+) characters$/, '至少 $1 个字符'],
  [/^expected at most (\d+) characters$/, '最多 $1 个字符'],
  [/^expected more than usual words, .*$/, '不能只由常用词、姓名、键盘序列或重复组成；请用几个互不相关的词'],
  [
    /^expected the code of six digits that the app shows now; .*$/,
    '请填写应用当前显示的六位数字；若仍不正确，请检查设备时间',
  ],
  [/^expected the set-up that was begun .*$/, '设置已超过 15 分钟，请重新开始'],
  [
    /^([\d.]+) is more than ([\d.]+), so it waits as (\w+) for another operator, .*$/,
    '$1 超过 $2，须由另一位操作员批准（编号 $3，最长等待一天）',
  ],
  [/^you have asked for (\w+) yourself; .*$/, '$1 是您自己申请的，须由另一位操作员处理'],
  [/^somebody else has decided about (\w+) just now$/, '$1 刚刚已由他人处理'],
  [/^(\w+) does not wait any more: it is \w+$/, '$1 已不在等待审批'],
  [/^the account was changed meanwhile; (?:begin|sign in) again$/, '账号在此期间有变动，请重新开始'],
];
