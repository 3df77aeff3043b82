import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  title: 'Greeting', told: 'Phones and the screen of the hall show it with the rain. It can be changed at any time.', invited: 'The phones of invited users show it with the rain, and so does a screen of the hall that was opened with a token. It can be changed at any time.', sender: 'Sender', senderHint: 'Such as “The management”.', blessing: 'Blessing', blessingHint: 'Such as “A happy new year to all”.',
  prizes: 'Blessings for large wins', prizeFrom: 'Wins of at least', addPrize: 'Add a blessing for large wins', removePrize: (n: number) => `Remove blessing ${n}`, prize: (from: string, blessing: string) => `from ${from}: ${blessing}`,
  theme: 'Theme', defaultTheme: 'Default theme', ownDefault: (title: string) => `Default theme (${title})`, none: 'None', change: 'Change', changeTitle: (title: string) => `Greeting of “${title}”`, save: 'Save',
  from: (sender: string) => `From ${sender}`, review: 'goes with it. It can be changed later.',
}, {
  title: '祝福', told: '手机和现场大屏会随红包雨显示。随时可以更改。', invited: '只有受邀者的手机和凭令牌打开的现场大屏会随红包雨显示。随时可以更改。', sender: '署名', senderHint: '例如“公司管理层”。', blessing: '祝福语', blessingHint: '例如“恭祝大家新年快乐”。',
  prizes: '大奖祝福语', prizeFrom: '金额不低于', addPrize: '为大奖添加祝福语', removePrize: (n) => `删除第 ${n} 条祝福语`, prize: (from, blessing) => `${from} 及以上：${blessing}`,
  theme: '主题', defaultTheme: '默认主题', ownDefault: (title) => `默认主题（${title}）`, none: '无', change: '更改', changeTitle: (title) => `“${title}”的祝福`, save: '保存',
  from: (sender) => `${sender} 敬上`, review: '会一同显示，以后可以更改。',
});
