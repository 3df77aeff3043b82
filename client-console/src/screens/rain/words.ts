import { bilingual } from '../../words/language.ts';

export const TABS = bilingual({ overview: 'Overview', live: 'Live', winners: 'Winners', back: 'All rains' }, { overview: '概览', live: '实况', winners: '中奖名单', back: '全部红包雨' });

export const WORDS = bilingual({
  id: 'Id', budget: 'Budget', packets: 'Packets', left: 'Left', won: 'Won', credited: 'Credited', queued: 'In the queue', round: 'Campaign', roundOf: (n: number) => `round ${n}`, window: 'Opens and closes',
  money: 'The money', audit: 'Run audit again', findings: 'Needs action', oversold: (n: number) => `${n} packets oversold: compensate the users, then discard the dead letters.`,
  fairness: 'Fairness', commitment: 'Commitment', commitmentTold: 'Published before the rain. It fixes all amounts and their order.', noCommitment: 'This rain was created before commitments existed.',
  seed: 'Seed, revealed', verify: 'Verify', verifyLater: 'When the rain is settled, the seed is revealed and everybody can verify the packets.', fair: 'Verified: every packet matches the commitment.', unfair: 'The packets do NOT match the commitment.',
  checked: (claims: string, credits: string) => `${claims} claims and ${credits} credits were compared.`,
  timeline: 'Timeline', opens: 'opens', opened: 'opened', closes: 'closes', closed: 'closed', topUp: (n: number) => `Top-up ${n}`, noRain: 'There is no such rain',
  duplicate: 'Duplicate', verbs: { load: 'Load packets', start: 'Start', schedule: 'Reschedule', pause: 'Pause', resume: 'Resume', topUp: 'Top up', tickets: 'Tickets', close: 'End now', recycle: 'Settle now' },
  ask: {
    load: (title: string) => `Load the packets of “${title}”?`, start: (title: string) => `Start “${title}”?`, schedule: (title: string) => `Reschedule “${title}”`, pause: (title: string) => `Pause “${title}”?`, resume: (title: string) => `Resume “${title}”?`,
    close: (title: string) => `End “${title}” now?`, recycle: (title: string) => `Settle “${title}” now?`, topUp: (title: string) => `Top up “${title}”`,
  },
  told: {
    load: 'Its packets are loaded into Redis, ready for the start. The money was reserved at creation. No money moves now.',
    start: 'It opens for everybody who is watching. Its duration does not change. No money moves.', schedule: 'Its duration does not change. No money moves, and the commitment to the packets stays valid.',
    pause: 'Taps are answered “paused” until you resume. The closing time does not change. Earlier wins stay valid.',
    resume: 'Taps count again at once, until the closing time.',
    close: (left: string) => `It cannot be reopened. Wins are still credited. The money that nobody has won (${left}) goes back to the operator account when the rain is settled.`,
    recycle: 'Money that nobody has won goes back to the operator account now. If claims are still outstanding, they are listed and nothing moves.',
    topUp: (money: string) => `${money} leaves the operator account and goes into this rain. The new packets come after all existing ones.`,
    topUpTestMoney: (money: string) => `${money} of test money goes into this rain. No real account is touched.`,
  },
  invite: 'Players', players: 'Players open this page', openPage: 'Open it here as a player', hall: 'Screen for the hall', bots: 'Simulated players, in a terminal', botsHint: 'Run it on the machine on which the system was started. At the end it reports whether the received results agree with the audit.',
  countdown: 'Countdown', counts: { 0: 'At once', 10000: 'In 10 s', 60000: 'In a minute' } as Record<string, string>, opensAt: 'Opens at',
  topBudget: 'Amount', topPackets: 'Packets', act: 'Confirm',
}, {
  id: '编号', budget: '预算', packets: '红包', left: '剩余', won: '已抢', credited: '已入账', queued: '排队中', round: '系列活动', roundOf: (n) => `第 ${n} 场`, window: '开始与结束',
  money: '账目', audit: '重新核算', findings: '需要处理', oversold: (n) => `${n} 个红包超发：请先补偿，再到死信中作废。`,
  fairness: '公平性', commitment: '承诺值', commitmentTold: '开始前即公布：它锁定了每个红包的金额与顺序。', noCommitment: '这场红包雨创建时还没有承诺机制。',
  seed: '已公开的种子', verify: '验证', verifyLater: '结算后会公开种子，任何人都可以验证。', fair: '已验证：每个红包都与承诺一致。', unfair: '与承诺不一致！',
  checked: (claims, credits) => `已比对 ${claims} 条领取和 ${credits} 笔入账。`,
  timeline: '经过', opens: '开始', opened: '已开始', closes: '结束', closed: '已结束', topUp: (n) => `第 ${n} 次追加`, noRain: '没有这场红包雨',
  duplicate: '复制', verbs: { load: '装载红包', start: '开始', schedule: '改期', pause: '暂停', resume: '继续', topUp: '追加', tickets: '门票', close: '提前结束', recycle: '立即结算' },
  ask: {
    load: (title) => `装载“${title}”的红包？`, start: (title) => `开始“${title}”？`, schedule: (title) => `改期“${title}”`, pause: (title) => `暂停“${title}”？`, resume: (title) => `继续“${title}”？`,
    close: (title) => `现在就结束“${title}”？`, recycle: (title) => `立即结算“${title}”？`, topUp: (title) => `追加“${title}”`,
  },
  told: {
    load: '红包会装入 Redis，等待开始。资金早已预留，此操作不动钱。',
    start: '对所有观众开始，持续时间不变。此操作不动钱。', schedule: '持续时间不变。此操作不动钱，对红包的承诺仍然有效。',
    pause: '暂停期间点击会得到“已暂停”。时间照常流逝，已抢到的不受影响。',
    resume: '点击立即恢复有效，直到结束时间。',
    close: (left) => `结束后不能再开。已抢到的会入账；没抢完的金额（${left}）会在结算时退回操作员账户。`,
    recycle: '没抢完的金额立即退回操作员账户。若仍有未入账的领取，会列出它们，并且不动钱。',
    topUp: (money) => `${money} 将从操作员账户转入这场红包雨。新红包排在所有旧红包之后。`,
    topUpTestMoney: (money) => `${money} 测试资金将转入这场红包雨，不动任何真实账户。`,
  },
  invite: '玩家', players: '玩家打开此页面', openPage: '在此以玩家身份打开', hall: '现场大屏', bots: '在终端里加入模拟玩家', botsHint: '在启动系统的机器上运行，结束时会显示他们收到的结果是否与账目一致。',
  countdown: '倒计时', counts: { 0: '立即', 10000: '10 秒后', 60000: '1 分钟后' }, opensAt: '开始时间',
  topBudget: '金额', topPackets: '红包个数', act: '确定',
});
