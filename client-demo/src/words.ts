import type { Face, Round } from './round.ts';

/** Everything this page says, in one language. `headline` and `detail` by what the screen shows. */
export interface Words {
  lang: string;
  page: string;
  headline: Record<Face | 'no_rain' | 'no_token' | 'refused', string>;
  detail: Record<Face | 'no_rain' | 'no_token' | 'refused', string>;
  credited: string;
  onItsWay: string;
  grab: string;
  next: string;
  left: string;
  you: string;
  verify: string;
  proof: Record<NonNullable<Round['proof']>, string>;
  notes: { lost: string; busy: string; tooFast: string; unanswered: string; preparing: string };
  money: (amount: string) => string;
}

const en: Words = {
  lang: 'en',
  page: 'Red-packet rain',
  headline: {
    connecting: 'Connecting …',
    no_rain: 'No rain in sight',
    scheduled: 'The rain starts in',
    open: 'Tap a red packet!',
    asking: 'Opening …',
    paused: 'Paused',
    won: 'You got a red packet',
    missed: 'Missed it',
    gone: 'All gone',
    too_late: 'The rain is over',
    blocked: 'Not for you this time',
    had_enough: 'Your luck is in already',
    unknown_rain: 'No such rain',
    no_token: 'An invitation is needed',
    refused: 'The server has hung up',
  },
  detail: {
    connecting: '',
    no_rain: 'This page keeps looking and starts by itself.',
    scheduled: 'Get your thumb ready.',
    open: 'One packet each. The first tap counts.',
    asking: 'Your tap is on its way.',
    paused: 'The host has stopped the rain for a moment. It goes on here.',
    won: '',
    missed: 'The last packet was gone before your tap arrived.',
    gone: 'Every packet of this rain has found its owner.',
    too_late: 'Taps do not count any more.',
    blocked: 'The host does not let this account take part.',
    had_enough: 'You have won in other rounds; this one is for the others.',
    unknown_rain: 'It was settled long ago, or the link is wrong.',
    no_token: 'Open this page from your app again.',
    refused: 'Reload the page to try again.',
  },
  credited: 'It is in your wallet',
  onItsWay: 'On its way to your wallet …',
  grab: 'Grab',
  next: 'Look for the next rain',
  left: 'packets left',
  you: 'You are',
  verify: 'Check that it was fair',
  proof: {
    checking: 'Computing all packets …',
    yours: 'Checked: your packet is the one promised.',
    all: 'Checked: the packets are those promised.',
    late: 'The packets fit their commitment, but this page heard it only after the rain.',
    broken: 'This is NOT what was promised.',
    failed: 'It could not be checked just now. Try again.',
  },
  notes: {
    lost: 'Connection lost, coming back …',
    busy: 'Very busy. Asking again …',
    tooFast: 'Too fast. Asking again in a moment …',
    unanswered: 'No answer yet. Tap again, nothing is lost by it.',
    preparing: 'Getting ready, your tap counts …',
  },
  money: (amount) => `¥${amount}`,
};

const zh: Words = {
  lang: 'zh-CN',
  page: '红包雨',
  headline: {
    connecting: '连接中…',
    no_rain: '暂时没有红包雨',
    scheduled: '距离红包雨开始',
    open: '快点红包！',
    asking: '正在拆红包…',
    paused: '已暂停',
    won: '恭喜抢到红包',
    missed: '手慢了',
    gone: '红包已抢完',
    too_late: '红包雨已结束',
    blocked: '无法参与',
    had_enough: '好运已经到手',
    unknown_rain: '没有这场红包雨',
    no_token: '需要邀请才能参加',
    refused: '服务器已断开连接',
  },
  detail: {
    connecting: '',
    no_rain: '本页会自动等待下一场。',
    scheduled: '准备好你的手指。',
    open: '每人限抢一个，先到先得。',
    asking: '请稍候，结果马上就到。',
    paused: '主办方暂停了红包雨，稍后在此继续。',
    won: '',
    missed: '你点到时，红包已经抢完了。',
    gone: '本场红包已全部领取。',
    too_late: '现在再点已经不算了。',
    blocked: '主办方不允许此账号参与。',
    had_enough: '你在其他场次已经抢到红包，这一场留给别人吧。',
    unknown_rain: '它早已结算，或者链接有误。',
    no_token: '请从应用中重新打开本页。',
    refused: '请刷新页面重试。',
  },
  credited: '已入账到你的钱包',
  onItsWay: '正在入账…',
  grab: '抢',
  next: '看看下一场',
  left: '剩余红包',
  you: '你是',
  verify: '验证是否公平',
  proof: {
    checking: '正在重新计算全部红包…',
    yours: '已验证：你的红包与承诺一致。',
    all: '已验证：全部红包与承诺一致。',
    late: '红包与承诺值相符，但本页在红包雨结束后才收到这个承诺值。',
    broken: '与承诺不一致！',
    failed: '暂时无法验证，请再试一次。',
  },
  notes: {
    lost: '连接已断开，正在重连…',
    busy: '人太多了，正在重试…',
    tooFast: '点得太快，稍后自动重试…',
    unanswered: '还没有回音，请再点一次，不会有损失。',
    preparing: '正在准备，你的点击已记下…',
  },
  money: (amount) => `¥${amount}`,
};

/** The first of the user's languages that is spoken here; English otherwise. */
export function wordsFor(languages: readonly string[]): Words {
  const spoken = languages.find((language) => /^(zh|en)\b/i.test(language));
  return spoken && /^zh/i.test(spoken) ? zh : en;
}
