import type { ThemeColourName, ThemeFileKind } from '../../../../src/rain/theme.ts';
import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  title: 'Themes', told: 'How the page of the players and the screen of the hall look and sound. A rain names its theme in its greeting.',
  create: 'New theme', name: 'Title', nameHint: 'Only operators read it.', make: 'Create theme', none: 'No theme yet', noneTold: 'Pages have their usual red and gold. A theme gives them your colours, your logo and your music.',
  isDefault: 'Default', back: 'All themes', missing: 'There is no such theme', changed: (moment: string) => `Changed ${moment}`,
  look: 'Title and colours', colours: { background: 'Background', packet: 'Red packets', accent: 'Accent' } satisfies Record<ThemeColourName, string>,
  colourHints: { background: 'Of all pages. Light text stands on it.', packet: 'The paper of the packets, where they have no picture.', accent: 'Titles, and buttons with dark text.' } satisfies Record<ThemeColourName, string>,
  usual: 'Usual colour', useAlways: 'Use as the default theme', useAlwaysHint: 'Rains without a theme of their own have this one, and so have pages without a rain.', save: 'Save', saved: 'Saved. Pages that are opened from now on show it.',
  files: 'Pictures and music', filesTold: 'A file is there as soon as it is chosen.', kinds: { logo: 'Logo', sponsor: 'Sponsor, for the hall', packet: 'Picture of a packet', background: 'Picture of the background', music: 'Music, for the hall' } satisfies Record<ThemeFileKind, string>,
  picture: (size: string, pixels: string) => `PNG, JPEG or WebP, at most ${size} and ${pixels} px a side.`, sound: (size: string) => `MP3, M4A or OGG, at most ${size}.`,
  noFile: 'No file', choose: (kind: string) => `${kind}: choose a file`, removeFile: 'Take out', pictureOf: (kind: string) => `${kind} of this theme`,
  remove: 'Remove', removeTitle: (title: string) => `Remove “${title}”?`, removeTold: 'Its files go, too. Rains that name it then have the default theme.',
  preview: 'On a phone', previewTold: 'A phone with this theme', sampleTitle: 'New-year rain', sampleBlessing: 'Health and good fortune', sampleGrab: 'Grab',
}, {
  title: '主题', told: '玩家页面和现场大屏的外观与音乐。红包雨在“祝福”一栏中指定主题。',
  create: '新建主题', name: '名称', nameHint: '只有操作员能看到。', make: '创建主题', none: '还没有主题', noneTold: '页面目前是默认的红色与金色。主题可以换上您的颜色、标志和音乐。',
  isDefault: '默认', back: '全部主题', missing: '没有这个主题', changed: (moment) => `${moment} 更改`,
  look: '名称与颜色', colours: { background: '背景', packet: '红包', accent: '强调色' },
  colourHints: { background: '所有页面的底色，上面是浅色文字。', packet: '没有红包图片时，红包纸的颜色。', accent: '标题，以及配深色文字的按钮。' },
  usual: '默认颜色', useAlways: '设为默认主题', useAlwaysHint: '没有指定主题的红包雨，以及没有红包雨的页面，都使用此主题。', save: '保存', saved: '已保存。此后打开的页面即会显示。',
  files: '图片与音乐', filesTold: '选好文件立即上传。', kinds: { logo: '标志', sponsor: '赞助商（大屏）', packet: '红包图片', background: '背景图片', music: '音乐（大屏）' },
  picture: (size, pixels) => `PNG、JPEG 或 WebP，最大 ${size}，边长不超过 ${pixels} 像素。`, sound: (size) => `MP3、M4A 或 OGG，最大 ${size}。`,
  noFile: '没有文件', choose: (kind) => `${kind}：选择文件`, removeFile: '取下', pictureOf: (kind) => `此主题的${kind}`,
  remove: '删除', removeTitle: (title) => `删除“${title}”？`, removeTold: '其中的文件也会删除。指定它的红包雨改用默认主题。',
  preview: '手机效果', previewTold: '使用此主题的手机', sampleTitle: '新春红包雨', sampleBlessing: '恭喜发财，万事如意', sampleGrab: '抢',
});
