/** The Chinese translations of what the console refuses about the list of participants. */
export const PARTICIPANT_REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /^(missing, |it occurs twice, )?expected a header line with the columns number, .*$/,
    '第一行须为列名 number、name（可另有 department），或工号、姓名（可另有部门），每列一次',
  ],
  [/^expected 1 to 32 letters, digits, _ \. or -; write - .*$/, '工号中不能有 /，请写成 -'],
  [/^expected 1 to 32 letters, digits, _ \. or -.*$/, '工号由 1 到 32 个文字、数字、_、. 或 - 组成'],
  [/^expected a workbook that a spreadsheet has saved .*$/, '无法读取此工作簿：请另存为 .xlsx，或存为 CSV'],
  [/^this is a workbook of an older kind, .*$/, '这是旧格式或有密码的工作簿：请另存为 .xlsx 或 CSV'],
  [/^the encoding of this text is in doubt, .*$/, '无法确定文件编码：请另存为“CSV UTF-8”或 .xlsx'],
  [/^the spreadsheet has made a date or .*$/, '电子表格把它变成了日期或缩短的数字：请把该列设为文本'],
  [/^expected no more cells than the header has$/, '这一行的单元格多于列名'],
  [/^expected a name of 1 to (\d+) characters, .*$/, '姓名为 1 到 $1 个字，不能只有标点或不可见的字符'],
  [/^expected a department of 1 to (\d+) characters, .*$/, '部门为 1 到 $1 个字，不能只有标点或不可见的字符'],
  [/^(\S+) is in the list twice, expected each number once$/, '工号 $1 重复：每个工号只能出现一次'],
  [/^(\S+) is in the list as (\S+), too; expected each number once$/, '工号 $1 与 $2 重复：每个工号只能出现一次'],
  [/^(\S+) is on the list as (\S+), expected the same spelling$/, '工号 $1 在名单中写作 $2，请用相同写法'],
  [
    /^(\S+) has come in as (.+); if this is the same person, .*$/,
    '工号 $1 已以“$2”的姓名入场。若是同一人，请确认更改姓名；若是另一人，请先移除该工号',
  ],
  [/^expected a person after the header line$/, '列名之后没有任何人'],
  [/^expected at most (\d+) people$/, '一次最多导入 $1 人'],
  [/^expected at most (\d+) people together with those who are on the list, (\d+)$/, '名单最多 $1 人，其中已有 $2 人'],
  [/^there is no participant (\S+) on the list$/, '名单中没有工号 $1'],
  [/^the participant (\S+) was changed meanwhile; try again$/, '$1 在此期间有变动，请重试'],
];
