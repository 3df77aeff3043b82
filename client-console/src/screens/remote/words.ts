import { bilingual } from '../../words/language.ts';
import type { RemoteVerb } from './choose.ts';

export const WORDS = bilingual({
  title: 'Remote control', none: 'No rain is running or planned', noneTold: 'A rain that is created appears here.', all: 'All rains', draft: 'Its packets are not loaded yet. Load them on its page.', page: 'Its page',
  verbs: { start: 'Start now', pause: 'Pause', resume: 'Resume', close: 'End' } satisfies Record<RemoteVerb, string>,
  done: { start: 'It starts in 10 seconds.', pause: 'It is paused.', resume: 'It goes on.', close: 'It is over.' } satisfies Record<RemoteVerb, string>,
  ask: { start: (title: string) => `Start “${title}”?`, pause: (title: string) => `Pause “${title}”?`, resume: (title: string) => `Resume “${title}”?`, close: (title: string) => `End “${title}” now?` },
  told: { start: 'It opens in 10 seconds for everybody who is watching.', pause: 'Nobody gets a packet until you resume it. The closing time stays.', resume: 'Taps count again at once.', close: 'It cannot be opened again.' } satisfies Record<RemoteVerb, string>,
  hold: 'Hold a button for a second.', holding: 'Keep holding …', slipped: 'Nothing was done: hold the button for a second.',
  connecting: 'Connecting …', lost: 'No connection. The buttons are off until it is back.', settling: 'Waiting for the new state …',
  next: (title: string) => `Look at another rain: ${title}`, running: (title: string) => `Running now: ${title}`, viewer: 'Your account can watch, and not act.',
}, {
  title: '手机遥控', none: '没有进行中或计划中的红包雨', noneTold: '新建的红包雨会出现在这里。', all: '全部红包雨', draft: '红包尚未装载，请在其页面装载。', page: '打开其页面',
  verbs: { start: '立即开始', pause: '暂停', resume: '继续', close: '结束' },
  done: { start: '10 秒后开始。', pause: '已暂停。', resume: '已继续。', close: '已结束。' },
  ask: { start: (title) => `开始“${title}”？`, pause: (title) => `暂停“${title}”？`, resume: (title) => `继续“${title}”？`, close: (title) => `现在就结束“${title}”？` },
  told: { start: '10 秒后对所有观众开始。', pause: '继续之前没有人能抢到红包，结束时间不变。', resume: '点击立即恢复有效。', close: '结束后不能再开。' },
  hold: '请按住按钮一秒。', holding: '请继续按住…', slipped: '没有执行：请按住按钮一秒。',
  connecting: '连接中…', lost: '连接已断开，恢复之前按钮不可用。', settling: '等待新的状态…',
  next: (title) => `查看另一场：${title}`, running: (title) => `正在进行：${title}`, viewer: '只读账号可以观看，不能操作。',
});
