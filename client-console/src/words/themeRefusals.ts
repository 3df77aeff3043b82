/** The Chinese translations of what the console refuses about themes and greetings. */
export const THEME_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^expected a title of 1 to (\d+) characters, .*$/, '名称为 1 到 $1 个字，不能只有标点或不可见的字符'],
  [/^expected a sender of 1 to (\d+) characters, .*$/, '署名为 1 到 $1 个字，不能只有标点或不可见的字符'],
  [/^expected a blessing of 1 to (\d+) characters, .*$/, '祝福语为 1 到 $1 个字，不能只有标点或不可见的字符'],
  [/^expected at most (\d+) prizes$/, '最多 $1 个'],
  [/^expected another amount, (\S+) has a blessing$/, '$1 已有祝福语，请填写其他金额'],
  [/^expected a colour such as (\S+)$/, '请填写颜色，例如 $1'],
  [
    /^the page's text (\S+) on it has a contrast of ([\d.]+), expected at least ([\d.]+): choose a darker colour$/,
    '页面文字 $1 在其上的对比度只有 $2，至少需要 $3：请选择更深的颜色',
  ],
  [
    /^the accent (\S+) on the background (\S+) has a contrast of ([\d.]+), expected at least ([\d.]+): choose a darker colour$/,
    '强调色 $1 在背景 $2 上的对比度只有 $3，至少需要 $4：请选择更深的颜色',
  ],
  [
    /^the accent (\S+) on the background (\S+) has a contrast of ([\d.]+), expected at least ([\d.]+): choose a lighter colour$/,
    '强调色 $1 在背景 $2 上的对比度只有 $3，至少需要 $4：请选择更浅的颜色',
  ],
  [
    /^the text (\S+) of buttons on it has a contrast of ([\d.]+), expected at least ([\d.]+): choose a lighter colour$/,
    '按钮文字 $1 在其上的对比度只有 $2，至少需要 $3：请选择更浅的颜色',
  ],
  [/^the file has (\d+) bytes, expected at most (\d+)$/, '文件有 $1 字节，最多 $2 字节'],
  [
    /^expected music as MP3, M4A or OGG.*$/,
    '请选择 MP3、M4A 或 OGG（Vorbis 或 Opus）音乐；以文件内容为准，与文件名无关',
  ],
  [
    /^expected a whole picture as PNG, JPEG or WebP.*$/,
    '请选择完整的 PNG、JPEG 或 WebP 图片；以文件内容为准，与文件名无关',
  ],
  [
    /^the picture has (\d+) bytes as WebP, expected at most (\d+): choose a smaller one$/,
    '图片转为 WebP 后有 $1 字节，最多 $2 字节：请换一张较小的',
  ],
  [/^the picture is animated, expected a still one$/, '图片是动画，请使用静态图片'],
  [/^the picture has (\d+) × (\d+) px, expected 1 to (\d+) px on each side$/, '图片为 $1 × $2 像素，每边最多 $3 像素'],
  [/^there are (\d+) themes, which is the most; .*$/, '已有 $1 个主题，达到上限：请先删除一个'],
  [/^there is no theme (\S+)$/, '没有主题 $1'],
];
