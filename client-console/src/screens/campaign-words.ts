import { bilingual } from '../words/language.ts';

export const WORDS = bilingual({
  title: 'Campaigns', told: 'Several rains with one win limit: nobody can win more rounds than you allow.', create: 'New campaign', name: 'Title', wins: 'Rounds a user may win', rollOver: 'Roll over', rollOverHint: 'Money that nobody wins in a round moves to the next round.',
  make: 'Create campaign', none: 'No campaign yet', noneTold: 'For an event with several rounds: one win limit for all rounds, and earlier winners can be excluded from later ones.', unknown: 'This server has no campaigns', unknownTold: 'Create several rounds at once instead, under New rain.',
  rounds: (n: number) => (n === 1 ? '1 round' : `${n} rounds`), cap: (n: number) => (n === 1 ? 'at most 1 win per user' : `at most ${n} wins per user`), rolls: 'rolls over', addRounds: 'Add rounds', users: 'Winners', packets: 'Packets credited', average: 'Per winner', beyond: 'Above the limit', noRounds: 'No rounds yet', noRoundsTold: 'Each round is a rain with its own budget and time.',
  back: 'All campaigns', standings: 'Standings', missing: 'There is no such campaign',
}, {
  title: '系列活动', told: '多场红包雨合并计数：每人能中几场由您决定。', create: '新建系列活动', name: '名称', wins: '每人最多中几场', rollOver: '滚入下一场', rollOverHint: '一场没抢完的金额自动进入下一场。',
  make: '创建', none: '还没有系列活动', noneTold: '适合一晚多场：统一的中奖上限，也可以让已中奖的人不再参与后面的场次。', unknown: '此服务器不支持系列活动', unknownTold: '可以在“新建”里一次创建多场。',
  rounds: (n) => `${n} 场`, cap: (n) => `每人最多中 ${n} 场`, rolls: '自动滚入', addRounds: '添加场次', users: '中奖人数', packets: '已入账红包', average: '人均', beyond: '超出上限', noRounds: '还没有场次', noRoundsTold: '每一场都有自己的预算和时间。',
  back: '全部系列活动', standings: '统计', missing: '没有这个系列活动',
});
