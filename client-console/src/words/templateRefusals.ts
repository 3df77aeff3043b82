/** The Chinese translations of what the console refuses about templates. */
export const TEMPLATE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^there are (\d+) templates, which is the most; .*$/, '已有 $1 个模板，达到上限：请先删除一个'],
  [/^there is no template (\S+)$/, '没有模板 $1'],
  [
    /^expected either a rain to take it from or what it says, not both$/,
    '模板取自一场红包雨，或直接给出内容，二者只能选一',
  ],
  [/^expected an object with plan and durationMs$/, '模板内容无法读取'],
  [/^expected the method (.+)$/, '请选择分配方式：$1'],
  [/^expected milliseconds, above zero$/, '持续时间须大于零'],
];
