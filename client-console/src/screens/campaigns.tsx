import { useState } from 'preact/hooks';
import type { CampaignDetail, CampaignView } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { go, hashOf } from '../state/route.ts';
import { Button } from '../components/button.tsx';
import { Awaited, Empty, Refused } from '../components/awaited.tsx';
import { Field, Toggle } from '../components/field.tsx';
import { countText, momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { newId, refusalsFor } from './create/draft.ts';
import { RainRows } from './rains.tsx';

const STANDINGS_REFRESH_MS = 3_000;

const WORDS = bilingual({
  title: 'Campaigns', told: 'Several rains with one win limit: nobody can win more rounds than you allow.', create: 'New campaign', name: 'Title', wins: 'Rounds a user may win', rollOver: 'Roll over', rollOverHint: 'Money that nobody wins in a round moves to the next round.',
  make: 'Create campaign', none: 'No campaign yet', noneTold: 'For an event with several rounds: one win limit for all rounds, and earlier winners can be excluded from later ones.',
  rounds: (n: number) => (n === 1 ? '1 round' : `${n} rounds`), cap: (n: number) => (n === 1 ? 'at most 1 win per user' : `at most ${n} wins per user`), rolls: 'rolls over', addRounds: 'Add rounds', users: 'Winners', packets: 'Packets credited', average: 'Per winner', beyond: 'Above the limit', noRounds: 'No rounds yet', noRoundsTold: 'Each round is a rain with its own budget and time.',
  back: 'All campaigns', standings: 'Standings', missing: 'There is no such campaign',
}, {
  title: '系列活动', told: '多场红包雨合并计数：每人能中几场由您决定。', create: '新建系列活动', name: '名称', wins: '每人最多中几场', rollOver: '滚入下一场', rollOverHint: '一场没抢完的金额自动进入下一场。',
  make: '创建', none: '还没有系列活动', noneTold: '适合一晚多场：统一的中奖上限，也可以让已中奖的人不再参与后面的场次。',
  rounds: (n) => `${n} 场`, cap: (n) => `每人最多中 ${n} 场`, rolls: '自动滚入', addRounds: '添加场次', users: '中奖人数', packets: '已入账红包', average: '人均', beyond: '超出上限', noRounds: '还没有场次', noRoundsTold: '每一场都有自己的预算和时间。',
  back: '全部系列活动', standings: '统计', missing: '没有这个系列活动',
});

export function Campaigns() {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<{ campaigns: CampaignView[] }>('campaigns');
  return (
    <>
      <header class="head"><div><h1>{words.title}</h1><p class="sub">{words.told}</p></div></header>
      {mayAct && <NewCampaign />}
      <Awaited request={request}>{({ campaigns }) => (campaigns.length === 0 ? <Empty title={words.none}><p>{words.noneTold}</p></Empty> : (
        <ul class="rains">{campaigns.map(({ campaignId, title, winsPerUserMax, rollOver, rounds, createdAt }) => (
          <li key={campaignId} class="rain-row campaign" data-testid="campaign">
            <a class="stretch" href={hashOf({ screen: 'campaign', campaignId })}><b>{title}</b></a>
            <span class="chips"><span class="chip">{words.rounds(rounds)}</span><span class="chip">{words.cap(winsPerUserMax)}</span>{rollOver && <span class="chip">{words.rolls}</span>}</span>
            <small>{momentText(createdAt, language)}</small>
          </li>
        ))}</ul>
      ))}</Awaited>
    </>
  );
}

function NewCampaign() {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [id] = useState(() => `c${newId(api.now())}`);
  const [title, setTitle] = useState('');
  const [wins, setWins] = useState('1');
  const [rollOver, setRollOver] = useState(false);
  const make = async () => {
    const named = title.trim();
    const made = await verb.run(() => api.post('campaigns', { id, ...(named !== '' && { title: named }), winsPerUserMax: Number(wins || NaN), rollOver }));
    if (made) go({ screen: 'campaign', campaignId: id });
  };
  return (
    <form class="card inline campaign-form" noValidate aria-label={words.create} onSubmit={(event) => { event.preventDefault(); void make(); }}>
      <Field label={words.name} value={title} onInput={setTitle} refusals={refusalsFor(verb.refusals, 'title')} testId="campaign-title" />
      <Field label={words.wins} value={wins} onInput={setWins} inputMode="numeric" refusals={refusalsFor(verb.refusals, 'winsPerUserMax')} />
      <Toggle label={words.rollOver} hint={words.rollOverHint} checked={rollOver} onChange={setRollOver} />
      <Button type="submit" variant="main" pending={verb.pending} testId="campaign-make">{words.make}</Button>
      {verb.refusals.every(({ field }) => field !== 'title' && field !== 'winsPerUserMax') && <Refused refusal={verb.refusal} />}
    </form>
  );
}

export function Campaign({ campaignId }: { campaignId: string }) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<CampaignDetail>(`campaigns/${encodeURIComponent(campaignId)}`, STANDINGS_REFRESH_MS);
  if (request.refusal?.status === 404) return <Empty title={words.missing} calm whole><p><code>{campaignId}</code></p></Empty>;
  return (
    <Awaited request={request}>{(campaign) => {
      const { users, wins, beyond } = campaign.winners;
      const add = mayAct && <a class="button main" href={hashOf({ screen: 'create', campaignId })} data-testid="add-rounds">+ {words.addRounds}</a>;
      return (
        <>
          <header class="head">
            <div>
              <a class="back" href="#/campaigns">← {words.back}</a>
              <h1>{campaign.title}</h1>
              <p class="chips"><span class="chip">{words.rounds(campaign.rounds.length)}</span><span class="chip">{words.cap(campaign.winsPerUserMax)}</span>{campaign.rollOver && <span class="chip">{words.rolls}</span>}</p>
            </div>
            {campaign.rounds.length > 0 && <div class="acts">{add}</div>}
          </header>
          <section class="card standings" aria-label={words.standings}>
            <dl class="figures">
              <div><dt>{words.users}</dt><dd data-testid="campaign-users">{countText(users)}</dd></div>
              <div><dt>{words.packets}</dt><dd>{countText(wins)}</dd></div>
              <div><dt>{words.average}</dt><dd>{users === 0 ? '–' : (wins / users).toFixed(2)}</dd></div>
              {beyond > 0 && <div class="lucky"><dt>{words.beyond}</dt><dd>{countText(beyond)}</dd></div>}
            </dl>
          </section>
          {campaign.rounds.length === 0 ? <Empty title={words.noRounds}><p>{words.noRoundsTold}</p>{add}</Empty> : <RainRows rains={campaign.rounds} />}
        </>
      );
    }}</Awaited>
  );
}
