import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  title: 'Your account', told: 'Where you are signed in, your password, and one-time codes.',
  sessions: 'Sessions and tokens', device: 'Device or purpose', from: 'From', since: 'Since', used: 'Last used', until: 'Until', never: 'never', unknown: 'unknown', here: 'this browser', end: 'End',
  kinds: { session: 'browser', token: 'token' }, endTitle: 'End this session?', endTold: (device: string) => `${device}: it can do nothing more from then on.`,
  password: 'Password', current: 'Present password', next: 'New password', nextHint: '12 to 128 characters. Several words that do not belong together are good.', repeat: 'New password again', differ: 'The two are not the same.', change: 'Change password',
  changed: 'The password is changed. All your other sessions and your tokens are ended.', code: 'Code', codeHint: 'Six digits from your app, or a recovery code.',
  totp: 'One-time codes', totpOn: 'On: sign-in asks for a code of your app.', totpOff: 'Off: your password alone signs you in.', totpNeeded: 'You can only read until you set them up.', begin: 'Set up', renew: 'Set up again',
  letters: 'Type these letters into an authenticator app, or open the link on the device that has it:', link: 'Open the app', first: 'The code that it shows now', confirm: 'Confirm',
  recovery: 'Your recovery codes', recoveryTold: 'Each signs you in once if you do not have your device. Print them now: they are not shown again.', wrongPassword: 'The password is wrong.', wrongCode: 'The code is wrong, or was used already.', codeNeeded: 'The code is missing.',
}, {
  title: '我的账号', told: '登录位置、密码与动态验证码。',
  sessions: '登录与令牌', device: '设备或用途', from: '来自', since: '开始', used: '最近使用', until: '截止', never: '从未', unknown: '未知', here: '当前浏览器', end: '结束',
  kinds: { session: '浏览器', token: '令牌' }, endTitle: '结束这次登录？', endTold: (device) => `${device}：此后将无法再使用。`,
  password: '密码', current: '当前密码', next: '新密码', nextHint: '12 到 128 个字符。几个互不相关的词是不错的选择。', repeat: '再输入一次新密码', differ: '两次输入不一致。', change: '修改密码',
  changed: '密码已修改。其他登录与令牌均已结束。', code: '验证码', codeHint: '验证器应用中的六位数字，或一个恢复码。',
  totp: '动态验证码', totpOn: '已启用：登录时需要输入验证码。', totpOff: '未启用：仅凭密码即可登录。', totpNeeded: '启用之前只能查看。', begin: '启用', renew: '重新设置',
  letters: '将以下字母输入验证器应用，或在装有该应用的设备上打开链接：', link: '打开应用', first: '应用当前显示的验证码', confirm: '确认',
  recovery: '恢复码', recoveryTold: '没有设备时，每个恢复码可登录一次。请立即打印：之后不再显示。', wrongPassword: '密码不正确。', wrongCode: '验证码不正确或已使用。', codeNeeded: '请填写验证码。',
});
