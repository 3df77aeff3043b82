import { useState } from 'preact/hooks';
import type { CampaignDetail, CampaignView } from '../state/responses.ts';
import { useApp, useRequest, useVerb } from '../state/useApi.ts';
import { go, hashOf } from '../state/route.ts';
import { Button } from '../components/button.tsx';
import { Awaited, Empty, Refused } from '../components/awaited.tsx';
import { Field, Toggle } from '../components/field.tsx';
import { counted, countText, momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { newId, refusalsFor } from './create/draft.ts';
import { Exclusions } from './exclusions.tsx';
import { RainRows } from './rains.tsx';
import { SaleRows } from './sales.tsx';

const STANDINGS_REFRESH_MS = 3_000;

const WORDS = bilingual(
  {
    title: 'Campaigns',
    told: 'Several rains or sales with one limit: nobody can win more rounds, or hold more units, than you allow.',
    create: 'New campaign',
    name: 'Title',
    wins: 'Rounds a user may win',
    winsHint: 'In its sales: units that a user may hold in all of them together.',
    rollOver: 'Roll over',
    rollOverHint: 'Money that nobody wins in a round moves to the next round.',
    make: 'Create campaign',
    none: 'No campaign yet',
    noneTold:
      'For an event with several rounds: one win limit for all rounds, and earlier winners can be excluded from later ones.',
    rounds: (n: number) => (n === 1 ? '1 round' : `${n} rounds`),
    cap: (n: number) => (n === 1 ? 'at most 1 win per user' : `at most ${n} wins per user`),
    rolls: 'rolls over',
    addRounds: 'Add rounds',
    addSale: 'Add a sale',
    units: (n: number) => `at most ${counted(n, 'unit')} per user`,
    buyers: 'Buyers',
    bought: 'Units bought',
    buyersBeyond: 'Buyers above the limit',
    users: 'Winners',
    packets: 'Packets credited',
    average: 'Per winner',
    beyond: 'Above the limit',
    noRounds: 'No rounds yet',
    noRoundsTold: 'Each round is a rain with its own budget and time, or a sale with its own items.',
    back: 'All campaigns',
    standings: 'Standings',
    missing: 'There is no such campaign',
  },
  {
    title: '系列活动',
    told: '多场红包雨或秒杀合并计数：每人能中几场、能买几件由您决定。',
    create: '新建系列活动',
    name: '名称',
    wins: '每人最多中几场',
    winsHint: '对其中的秒杀：每人在全部秒杀中合计最多的件数。',
    rollOver: '滚入下一场',
    rollOverHint: '一场没抢完的金额自动进入下一场。',
    make: '创建',
    none: '还没有系列活动',
    noneTold: '适合一晚多场：统一的中奖上限，也可以让已中奖的人不再参与后面的场次。',
    rounds: (n) => `${n} 场`,
    cap: (n) => `每人最多中 ${n} 场`,
    rolls: '自动滚入',
    addRounds: '添加场次',
    addSale: '添加秒杀',
    units: (n) => `每人合计限购 ${n} 件`,
    buyers: '买家',
    bought: '已购件数',
    buyersBeyond: '超出限购的买家',
    users: '中奖人数',
    packets: '已入账红包',
    average: '人均',
    beyond: '超出上限',
    noRounds: '还没有场次',
    noRoundsTold: '每一场都是一场红包雨或秒杀，各有自己的预算或商品，以及时间。',
    back: '全部系列活动',
    standings: '统计',
    missing: '没有这个系列活动',
  },
);

export function Campaigns() {
  const { words, language } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<{ campaigns: CampaignView[] }>('campaigns');
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      {mayAct && <NewCampaign />}
      <Awaited request={request}>
        {({ campaigns }) =>
          campaigns.length === 0 ? (
            <Empty title={words.none}>
              <p>{words.noneTold}</p>
            </Empty>
          ) : (
            <ul class="rains">
              {campaigns.map(({ campaignId, title, winsPerUserMax, rollOver, rounds, createdAt }) => (
                <li key={campaignId} class="rain-row campaign" data-testid="campaign">
                  <a class="stretch" href={hashOf({ screen: 'campaign', campaignId })}>
                    <b>{title}</b>
                  </a>
                  <span class="chips">
                    <span class="chip">{words.rounds(rounds)}</span>
                    <span class="chip">{words.cap(winsPerUserMax)}</span>
                    {rollOver && <span class="chip">{words.rolls}</span>}
                  </span>
                  <small>{momentText(createdAt, language)}</small>
                </li>
              ))}
            </ul>
          )
        }
      </Awaited>
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
    const made = await verb.run(() =>
      api.post('campaigns', {
        id,
        ...(named !== '' && { title: named }),
        winsPerUserMax: Number(wins || NaN),
        rollOver,
      }),
    );
    if (made) go({ screen: 'campaign', campaignId: id });
  };
  return (
    <form
      class="card inline campaign-form"
      noValidate
      aria-label={words.create}
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <Field
        label={words.name}
        value={title}
        onInput={setTitle}
        refusals={refusalsFor(verb.refusals, 'title')}
        testId="campaign-title"
      />
      <Field
        label={words.wins}
        value={wins}
        onInput={setWins}
        inputMode="numeric"
        hint={words.winsHint}
        refusals={refusalsFor(verb.refusals, 'winsPerUserMax')}
      />
      <Toggle label={words.rollOver} hint={words.rollOverHint} checked={rollOver} onChange={setRollOver} />
      <Button type="submit" variant="main" pending={verb.pending} testId="campaign-make">
        {words.make}
      </Button>
      {verb.refusals.every(({ field }) => field !== 'title' && field !== 'winsPerUserMax') && (
        <Refused refusal={verb.refusal} />
      )}
    </form>
  );
}

export function Campaign({ campaignId }: { campaignId: string }) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<CampaignDetail>(`campaigns/${encodeURIComponent(campaignId)}`, STANDINGS_REFRESH_MS);
  if (request.refusal?.status === 404)
    return (
      <Empty title={words.missing} calm whole>
        <p>
          <code>{campaignId}</code>
        </p>
      </Empty>
    );
  return (
    <Awaited request={request}>
      {(campaign) => {
        const { users, wins, beyond } = campaign.winners;
        const { rounds, sales, buyers } = campaign;
        const add = mayAct && (
          <>
            <a class="button main" href={hashOf({ screen: 'create', campaignId })} data-testid="add-rounds">
              + {words.addRounds}
            </a>
            <a class="button" href={hashOf({ screen: 'create-sale', campaignId })} data-testid="add-sale">
              + {words.addSale}
            </a>
          </>
        );
        return (
          <>
            <header class="head">
              <div>
                <a class="back" href="#/campaigns">
                  ← {words.back}
                </a>
                <h1>{campaign.title}</h1>
                <p class="chips">
                  <span class="chip">{words.rounds(rounds.length + sales.length)}</span>
                  <span class="chip">{words.cap(campaign.winsPerUserMax)}</span>
                  {sales.length > 0 && <span class="chip">{words.units(campaign.winsPerUserMax)}</span>}
                  {campaign.rollOver && <span class="chip">{words.rolls}</span>}
                </p>
              </div>
              {rounds.length + sales.length > 0 && <div class="acts">{add}</div>}
            </header>
            <section class="card standings" aria-label={words.standings}>
              <dl class="figures">
                <div>
                  <dt>{words.users}</dt>
                  <dd data-testid="campaign-users">{countText(users)}</dd>
                </div>
                <div>
                  <dt>{words.packets}</dt>
                  <dd>{countText(wins)}</dd>
                </div>
                <div>
                  <dt>{words.average}</dt>
                  <dd>{users === 0 ? '–' : (wins / users).toFixed(2)}</dd>
                </div>
                {beyond > 0 && (
                  <div class="lucky">
                    <dt>{words.beyond}</dt>
                    <dd>{countText(beyond)}</dd>
                  </div>
                )}
                {sales.length > 0 && (
                  <>
                    <div>
                      <dt>{words.buyers}</dt>
                      <dd data-testid="campaign-buyers">{countText(buyers.users)}</dd>
                    </div>
                    <div>
                      <dt>{words.bought}</dt>
                      <dd>{countText(buyers.units)}</dd>
                    </div>
                  </>
                )}
                {buyers.beyond > 0 && (
                  <div class="lucky">
                    <dt>{words.buyersBeyond}</dt>
                    <dd>{countText(buyers.beyond)}</dd>
                  </div>
                )}
              </dl>
            </section>
            {rounds.length + sales.length === 0 && (
              <Empty title={words.noRounds}>
                <p>{words.noRoundsTold}</p>
                {add}
              </Empty>
            )}
            <RainRows rains={rounds} />
            <SaleRows sales={sales} />
            <Exclusions campaign={campaign} onDone={request.again} />
          </>
        );
      }}
    </Awaited>
  );
}
