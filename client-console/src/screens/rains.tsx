import { useState } from 'preact/hooks';
import type { RainState, RainView } from '../state/responses.ts';
import { useApp, useNow, useRequest } from '../state/useApi.ts';
import { hashOf } from '../state/route.ts';
import { Awaited, Empty } from '../components/awaited.tsx';
import { Field, Segments } from '../components/field.tsx';
import { Guide } from './guide.tsx';
import { FILTER_OF, runningFirst, type Filter } from './rain-filter.ts';
import { StoresNotice } from './stores.tsx';
import { countdownText, countText, momentText, moneyText } from '../words/figures.ts';
import { bilingual, useLanguage, useWords } from '../words/language.ts';

const REFRESH_MS = 3_000;
const PAGE = 100;

const WORDS = bilingual(
  {
    title: 'Rains',
    search: 'Search by title or id',
    show: 'Show',
    filters: { all: 'All', now: 'Now', coming: 'Upcoming', past: 'Past' },
    opensIn: (time: string) => `opens in ${time}`,
    closesIn: (time: string) => `closes in ${time}`,
    won: (won: string, all: string) => `${won} of ${all} won`,
    live: 'Live',
    none: 'No rain yet',
    noneTold:
      'A rain puts a budget into red packets and lets every viewer grab one. Creating a rain takes a minute, and a rehearsal moves no real money.',
    noMatch: 'Nothing matches',
    noMatchTold: 'Try another search, or show all rains.',
    total: (shown: number, total: number) => `The newest ${shown} of ${total}`,
  },
  {
    title: '红包雨',
    search: '按名称或编号搜索',
    show: '显示',
    filters: { all: '全部', now: '进行中', coming: '即将开始', past: '已结束' },
    opensIn: (time) => `${time} 后开始`,
    closesIn: (time) => `${time} 后结束`,
    won: (won, all) => `已抢 ${won} / ${all}`,
    live: '实况',
    none: '还没有红包雨',
    noneTold: '一场红包雨把预算装进红包，让所有观众来抢。一分钟就能建好；彩排不会动用真钱。',
    noMatch: '没有匹配的结果',
    noMatchTold: '换个词试试，或者显示全部。',
    total: (shown, total) => `最新 ${shown} 场，共 ${total} 场`,
  },
);

export function Rains() {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [search, setSearch] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const [limit, setLimit] = useState(PAGE);
  const request = useRequest<{ rains: RainView[]; total: number }>(`rains?limit=${limit}`, REFRESH_MS);
  const wanted = search.trim().toLowerCase();
  return (
    <>
      <header class="head">
        <h1>{words.title}</h1>
      </header>
      <StoresNotice />
      <Awaited request={request}>
        {({ rains, total }) => {
          if (total === 0)
            return (
              <>
                <Empty title={words.none}>
                  <p>{words.noneTold}</p>
                </Empty>
                {mayAct && <Guide />}
              </>
            );
          const shown = rains.filter(
            ({ title, rainId, state }) =>
              (filter === 'all' || FILTER_OF[state] === filter) && `${title} ${rainId}`.toLowerCase().includes(wanted),
          );
          return (
            <>
              <div class="tools">
                <Field label={words.search} type="search" value={search} onInput={setSearch} testId="search" />
                <Segments
                  label={words.show}
                  value={filter}
                  options={Object.entries(words.filters) as [Filter, string][]}
                  onChange={setFilter}
                />
              </div>
              {shown.length === 0 && (
                <Empty title={words.noMatch} calm>
                  <p>{words.noMatchTold}</p>
                </Empty>
              )}
              <RainRows rains={runningFirst(shown)} />
              {rains.length < total && (
                <p class="more">
                  <button type="button" class="button" onClick={() => setLimit(limit + PAGE)}>
                    {words.total(rains.length, total)} …
                  </button>
                </p>
              )}
            </>
          );
        }}
      </Awaited>
    </>
  );
}

export function RainRows({ rains }: { rains: readonly RainView[] }) {
  return (
    <ul class="rains">
      {rains.map((rain) => (
        <Row key={rain.rainId} rain={rain} />
      ))}
    </ul>
  );
}

function Row({ rain }: { rain: RainView }) {
  const { words, language } = useWords(WORDS);
  const { rainId, title, state, packets, claims } = rain;
  return (
    <li class="rain-row" data-testid="rain" data-state={state}>
      <a class="stretch" href={hashOf({ screen: 'rain', rainId })}>
        <b>{title}</b>
      </a>
      <span class="chips">
        <StateChip state={state} rehearsal={rain.terms.rehearsal} />
      </span>
      <span class="when">
        <Until rain={rain} />
        <small>{momentText(rain.opensAt, language)}</small>
      </span>
      <span class="won">
        <Progress value={claims} most={packets} label={words.won(countText(claims), countText(packets))} />
        <small>{words.won(countText(claims), countText(packets))}</small>
      </span>
      <span class="money">{moneyText(rain.budget)}</span>
      {(state === 'open' || state === 'loaded' || state === 'paused') && (
        <a class="button quiet live" href={hashOf({ screen: 'live', rainId })} aria-label={`${words.live}: ${title}`}>
          {words.live}
        </a>
      )}
    </li>
  );
}

/** A progress bar; its ARIA role reports the value to screen readers. */
export function Progress({ value, most, label }: { value: number; most: number; label: string }) {
  const share = most > 0 ? Math.min(1, Math.max(0, value / most)) : 0;
  return (
    <span
      class="progress"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={value}
    >
      <span style={{ width: `${share * 100}%` }} />
    </span>
  );
}

/** The countdown to the opening or the closing, if there is one. */
export function Until({
  rain: { state, opensAt, closesAt },
}: {
  rain: Pick<RainView, 'state' | 'opensAt' | 'closesAt'>;
}) {
  const { words } = useWords(WORDS);
  const now = useNow();
  if ((state === 'loaded' || state === 'draft') && Date.parse(opensAt) > now)
    return <b>{words.opensIn(countdownText(Date.parse(opensAt) - now))}</b>;
  if (state === 'open' || state === 'paused') return <b>{words.closesIn(countdownText(Date.parse(closesAt) - now))}</b>;
  return null;
}

/** @param names words for the states; default: a rain's */
export function StateChip({
  state,
  rehearsal = false,
  names,
}: {
  state: RainState;
  rehearsal?: boolean | undefined;
  names?: Record<RainState, string>;
}) {
  const { shared } = useLanguage();
  return (
    <>
      <span class="chip" data-state={state} data-testid="state">
        {(names ?? shared.states)[state]}
      </span>
      {rehearsal && (
        <span class="chip" data-state="rehearsal">
          {shared.rehearsal}
        </span>
      )}
    </>
  );
}
