import type { CampaignDetail } from '../state/responses.ts';
import { useRequest } from '../state/useRequest.ts';
import { useApp } from '../state/app.ts';
import { hashOf } from '../state/route.ts';
import { Awaited, Empty } from '../components/empty.tsx';
import { countText } from '../words/figures.ts';
import { useWords } from '../words/language.ts';
import { WORDS } from './campaign-words.ts';
import { RainRows } from './rains.tsx';

const REFRESH_MS = 3_000;

/** One campaign: its rounds and its winners. */
export function Campaign({ campaignId }: { campaignId: string }) {
  const words = useWords(WORDS);
  const { mayAct } = useApp();
  const request = useRequest<CampaignDetail>(`campaigns/${encodeURIComponent(campaignId)}`, REFRESH_MS);
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
