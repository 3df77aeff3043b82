import { bilingual } from '../../words/language.ts';

export const WORDS = bilingual({
  big: 'Big screen', small: 'Exit the big screen', connecting: 'Connecting …', lost: 'Connection lost, reconnecting …',
  startsIn: 'Starts in', endsIn: 'Grab now! It ends in', paused: 'Paused', over: 'The rain is over', gone: 'All gone!', ends: (time: string) => `it ends in ${time}`, draft: 'Being prepared',
  left: 'packets left', of: (left: string, all: string) => `${left} of ${all}`, watching: 'watching', grabs: 'grabs per second', wins: 'packets won', lag: 'credit delay', gateways: (n: number) => (n === 1 ? 'through 1 gateway' : `through ${n} gateways`),
  credited: (n: string) => `${n} credited`, perSecond: (n: string) => `${n} won per second`, none: '–', pulse: 'Grabs and wins per second', answers: 'Answers per second', ticker: 'Latest winners', noWinners: 'No winners yet. They will appear here.',
  lucky: 'Luckiest so far', luckyOver: 'Luckiest', budget: 'in this rain', grabsLine: 'grabs', winsLine: 'wins', auditPending: 'The money is being audited …', lagTold: 'longest current wait',
}, {
  big: '全屏', small: '退出全屏', connecting: '连接中…', lost: '连接已断开，正在重连…',
  startsIn: '距离开始', endsIn: '快抢！距离结束', paused: '暂停中', over: '红包雨已结束', gone: '抢完啦！', ends: (time) => `${time} 后结束`, draft: '准备中',
  left: '剩余红包', of: (left, all) => `${left} / ${all}`, watching: '在线观众', grabs: '每秒抢红包', wins: '已抢红包', lag: '入账延迟', gateways: (n) => `${n} 个网关`,
  credited: (n) => `${n} 个已入账`, perSecond: (n) => `每秒中奖 ${n} 个`, none: '–', pulse: '每秒抢红包数与中奖数', answers: '每秒应答数', ticker: '最新中奖', noWinners: '还没有人抢到，名单会出现在这里。',
  lucky: '目前手气最佳', luckyOver: '手气最佳', budget: '总金额', grabsLine: '抢红包', winsLine: '中奖', auditPending: '正在核算账目…', lagTold: '当前最久等待',
});
