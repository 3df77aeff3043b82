import { useState } from 'preact/hooks';
import type { SaleItem, SaleView } from '../state/responses.ts';
import { useApp, useRequest } from '../state/useApi.ts';
import { hashOf } from '../state/route.ts';
import { Awaited, Empty } from '../components/awaited.tsx';
import { Button } from '../components/button.tsx';
import { Field } from '../components/field.tsx';
import { countText, momentText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { Progress, StateChip, Until } from './rains.tsx';
import { SALE_WORDS } from './sale/words.ts';

const REFRESH_MS = 3_000;
const PAGE = 20;
const LIMIT_MAX = 1_000;

const WORDS = bilingual(
  {
    title: 'Sales',
    told: 'Items at fixed prices for a short time: buyers reserve first and pay afterwards; what is not paid in time is sold again.',
    search: 'Search by title or id',
    live: 'Live',
    sold: (sold: string, all: string) => `${sold} of ${all} paid`,
    orders: (n: number) => (n === 1 ? '1 order' : `${countText(n)} orders`),
    older: 'Show older sales',
    none: 'No sale yet',
    noneTold: 'A sale offers items at a price to everybody at the same moment. A ticket drop is a sale at price 0.',
    first: 'Create the first sale',
    noMatch: 'Nothing matches',
    noMatchTold: 'Try another search.',
  },
  {
    title: '秒杀',
    told: '在短时间内以固定价格出售商品：先预占，后支付；未按时支付的会再次出售。',
    search: '按名称或编号搜索',
    live: '实况',
    sold: (sold, all) => `已支付 ${sold} / ${all}`,
    orders: (n) => `${countText(n)} 个订单`,
    older: '显示更早的秒杀',
    none: '还没有秒杀',
    noneTold: '一场秒杀在同一时刻向所有人出售商品。价格为 0 时就是抢票。',
    first: '创建第一场',
    noMatch: '没有匹配的结果',
    noMatchTold: '换个词试试。',
  },
);

export function Sales() {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [search, setSearch] = useState('');
  const [limit, setLimit] = useState(PAGE);
  const request = useRequest<{ sales: SaleView[] }>(`sales?limit=${limit}`, REFRESH_MS);
  const wanted = search.trim().toLowerCase();
  return (
    <>
      <header class="head">
        <div>
          <h1>{words.title}</h1>
          <p class="sub">{words.told}</p>
        </div>
      </header>
      <Awaited request={request}>
        {({ sales }) => {
          if (sales.length === 0)
            return (
              <Empty title={words.none}>
                <p>{words.noneTold}</p>
                {mayAct && (
                  <a class="button main" href="#/create-sale">
                    {words.first}
                  </a>
                )}
              </Empty>
            );
          const shown = sales.filter(({ title, saleId }) => `${title} ${saleId}`.toLowerCase().includes(wanted));
          return (
            <>
              <div class="tools">
                <Field label={words.search} type="search" value={search} onInput={setSearch} testId="search" />
              </div>
              {shown.length === 0 && (
                <Empty title={words.noMatch} calm>
                  <p>{words.noMatchTold}</p>
                </Empty>
              )}
              <SaleRows sales={shown} />
              {sales.length === limit && limit < LIMIT_MAX && (
                <p class="more">
                  <Button onClick={() => setLimit(Math.min(LIMIT_MAX, limit + PAGE))}>{words.older}</Button>
                </p>
              )}
            </>
          );
        }}
      </Awaited>
    </>
  );
}

export function SaleRows({ sales }: { sales: readonly SaleView[] }) {
  return (
    <ul class="rains">
      {sales.map((sale) => (
        <Row key={sale.saleId} sale={sale} />
      ))}
    </ul>
  );
}

function Row({ sale }: { sale: SaleView }) {
  const { words, language } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const { saleId, title, state, items, orders } = sale;
  const sum = (of: (item: SaleItem) => number) => items.reduce((total, item) => total + of(item), 0);
  const [sold, units] = [sum((item) => item.sold), sum((item) => item.units)];
  const label = words.sold(countText(sold), countText(units));
  return (
    <li class="rain-row" data-testid="sale" data-state={state}>
      <a class="stretch" href={hashOf({ screen: 'sale', saleId })}>
        <b>{title}</b>
      </a>
      <span class="chips">
        <StateChip state={state} rehearsal={sale.rehearsal} names={names.states} />
      </span>
      <span class="when">
        <Until rain={sale} />
        <small>{momentText(sale.opensAt, language)}</small>
      </span>
      <span class="won">
        <Progress value={sold} most={units} label={label} />
        <small>{label}</small>
      </span>
      <span class="money">{words.orders(orders)}</span>
      {(state === 'open' || state === 'loaded' || state === 'paused') && (
        <a
          class="button quiet live"
          href={hashOf({ screen: 'sale-live', saleId })}
          aria-label={`${words.live}: ${title}`}
        >
          {words.live}
        </a>
      )}
    </li>
  );
}
