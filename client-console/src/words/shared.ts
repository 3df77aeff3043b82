import type { OutcomeCode } from '../../../src/protocol/outcomes.ts';
import type { EquationPart } from '../../../src/rain/equation-parts.ts';
import type { RainView, Winner } from '../state/responses.ts';

/** Words that several screens need. */
const EN = {
  states: { draft: 'Draft', loaded: 'Scheduled', open: 'Raining', paused: 'Paused', closed: 'Settling', settled: 'Settled', lost: 'Lost in Redis' } satisfies Record<RainView['state'], string>,
  parts: { budget: 'Budget', credited: 'Credited', pending: 'On its way', unclaimed: 'Not won', recycled: 'Returned', spoiled: 'Set aside' } satisfies Record<EquationPart | 'budget', string>,
  statuses: { credited: 'Credited', pending: 'On its way', dead: 'Needs action', discarded: 'Discarded' } satisfies Record<Winner['status'], string>,
  answers: {
    0: 'Won', 1: 'Won before', '-1': 'Nothing left', '-2': 'Too early', '-3': 'Too late', '-4': 'Paused', '-5': 'Too fast', '-6': 'Blocked',
    '-7': 'Busy', '-8': 'No such rain', '-9': 'No ticket', '-11': 'Win limit reached',
  } satisfies Record<OutcomeCode, string>,
  cancel: 'Cancel',
  close: 'Close',
  more: 'Show more',
  again: 'Try again',
  rehearsal: 'Rehearsal',
  reason: 'Reason',
  forever: 'Until lifted',
  loading: 'One moment …',
  unreachable: 'The console does not answer. Nothing is lost. You can safely try again.',
  forbidden: 'Your account can view everything and change nothing.',
  approvals: 'To the approvals',
  tooMany: 'Too many requests. Try again in a moment, at the latest in a minute.',
  broken: 'The server has an internal error. You can safely try again.',
  balanced: 'It adds up, to the cent.',
  audited: (time: string) => `Audited at ${time}.`,
  notBalanced: 'It does NOT add up.',
  notFresh: 'Not known while the server is away.',
  packets: (count: number) => (count === 1 ? '1 packet' : `${count.toLocaleString('en-US')} packets`),
  wait: 'Working …',
  copied: 'Copied',
  copy: 'Copy',
};

const ZH: typeof EN = {
  states: { draft: '草稿', loaded: '已就绪', open: '进行中', paused: '已暂停', closed: '结算中', settled: '已结算', lost: 'Redis 数据丢失' },
  parts: { budget: '预算', credited: '已入账', pending: '入账中', unclaimed: '未领取', recycled: '已退回', spoiled: '已隔离' },
  statuses: { credited: '已入账', pending: '入账中', dead: '待处理', discarded: '已作废' },
  answers: {
    0: '抢到', 1: '已抢过', '-1': '已抢完', '-2': '未开始', '-3': '已结束', '-4': '已暂停', '-5': '点太快', '-6': '已封禁',
    '-7': '繁忙', '-8': '无此场次', '-9': '无票', '-11': '已达上限',
  },
  cancel: '取消',
  close: '关闭',
  more: '显示更多',
  again: '重试',
  rehearsal: '彩排',
  reason: '原因',
  forever: '直到撤销',
  loading: '请稍候…',
  unreachable: '控制台没有回应。不会有损失：同样的操作可以放心再做一次。',
  forbidden: '只读账号只能查看，不能更改。',
  approvals: '打开“审批”',
  tooMany: '请求太多，请稍后再试，最多等一分钟。',
  broken: '服务器出了问题，可以放心重试。',
  balanced: '账目分毫不差。',
  audited: (time) => `${time} 核算。`,
  notBalanced: '账目对不上！',
  notFresh: '服务器没有回应，暂不能确认。',
  packets: (count) => `${count.toLocaleString('en-US')} 个红包`,
  wait: '处理中…',
  copied: '已复制',
  copy: '复制',
};

export const SHARED = { en: EN, zh: ZH };

/** The name of an answer code. A newer gateway may send codes that this page does not know. */
export function answerName({ answers }: Pick<typeof EN, 'answers'>, code: string): string {
  return (answers as Partial<Record<string, string>>)[code] ?? code;
}
