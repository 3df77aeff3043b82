import type { Stage } from './hall.ts';

export type HallWords = typeof en;

const en = {
  lang: 'en',
  page: 'Red-packet rain',
  headline: {
    connecting: 'Connecting …',
    quiet: 'The next rain appears here',
    before: 'The rain starts in',
    raining: 'It is raining!',
    gone: 'All red packets are won',
    paused: 'A short break',
    after: 'The rain is over',
    unknown_rain: 'No such rain',
    no_token: 'This screen needs an invitation',
    refused: 'Disconnected. Reload the page',
  } satisfies Record<Stage, string>,
  scan: 'Scan to play',
  loopback: 'Phones cannot reach this address. Open this page at the address of this machine in the network.',
  left: (left: string, packets: string) => `${left} of ${packets} left`,
  ends: (time: string) => `Ends in ${time}`,
  won: (won: string) => `${won} won`,
  given: (won: string, amount: string) => `${won} won ${amount} in all`,
  luckiest: 'The luckiest',
  soFar: 'The luckiest so far',
  next: (title: string, time: string) => `Next: ${title}, in ${time}`,
  now: (title: string) => `On now: ${title}`,
  lost: 'Connection lost, reconnecting …',
  rehearsal: 'Rehearsal: no real money',
  elsewhere: 'Show the rain that is on',
  fullScreen: 'Full screen, with sound',
  money: (amount: string) => `¥${amount}`,
};

const zh: HallWords = {
  lang: 'zh-CN',
  page: '红包雨',
  headline: {
    connecting: '连接中…',
    quiet: '下一场红包雨将在这里开始',
    before: '距离红包雨开始',
    raining: '红包雨来了！',
    gone: '红包已全部抢完',
    paused: '稍事休息',
    after: '红包雨已结束',
    unknown_rain: '没有这场红包雨',
    no_token: '此大屏需要邀请链接',
    refused: '服务器已断开连接，请刷新页面',
  },
  scan: '扫码参加',
  loopback: '手机无法访问此地址。请用本机在局域网中的地址打开本页。',
  left: (left, packets) => `剩余 ${left} / ${packets}`,
  ends: (time) => `距结束 ${time}`,
  won: (won) => `${won} 人抢到红包`,
  given: (won, amount) => `${won} 人共抢到 ${amount}`,
  luckiest: '手气最佳',
  soFar: '目前手气最佳',
  next: (title, time) => `下一场：${title}，${time} 后开始`,
  now: (title) => `正在进行：${title}`,
  lost: '连接已断开，正在重连…',
  rehearsal: '彩排：非真实金额',
  elsewhere: '显示当前的红包雨',
  fullScreen: '全屏并开启声音',
  money: (amount) => `¥${amount}`,
};

export const HALL_WORDS = { en, zh };
