import type { SaleAudit, SaleView } from '../../state/responses.ts';
import { useAudited } from '../../state/useAudited.ts';
import { hashOf } from '../../state/route.ts';
import { Awaited, Empty } from '../../components/awaited.tsx';
import { Table } from '../../components/table.tsx';
import { countText, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { isFree } from '../create-sale/preview.tsx';
import { Invite, Timeline } from '../rain/cards.tsx';
import { SaleHead } from './head.tsx';
import { StockCard } from './stock.tsx';
import { Unsettled } from './unsettled.tsx';
import { SaleVerbs } from './verb-buttons.tsx';
import { SALE_WORDS, WORDS } from './words.ts';

export function SalePage({ saleId }: { saleId: string }) {
  const { words } = useWords(WORDS);
  const missing = useWords(SALE_WORDS).words.noSale;
  const path = `sales/${encodeURIComponent(saleId)}`;
  const { request, audit, actions, again } = useAudited<SaleView, SaleAudit>(path, saleId);
  const isGivenUp = actions.value?.actions.some(({ verb }) => verb === 'write-off') ?? false;
  if (request.refusal?.status === 404)
    return (
      <Empty title={missing} calm whole>
        <p>
          <code>{saleId}</code>
        </p>
      </Empty>
    );
  return (
    <Awaited request={request}>
      {(sale) => (
        <>
          <SaleHead sale={sale} tab="sale">
            <SaleVerbs sale={sale} onDone={again} />
          </SaleHead>
          <Unsettled sale={sale} audit={audit.value} isGivenUp={isGivenUp} />
          <div class="columns">
            <div>
              <StockCard sale={sale} audit={audit} isGivenUp={isGivenUp} onDone={again} />
            </div>
            <div>
              <Figures sale={sale} />
              <Invite
                kind="sale"
                id={saleId}
                state={sale.state}
                words={words}
                warning={sale.rehearsal ? undefined : words.botsReal}
              />
              <Timeline
                rain={sale.endedAt === undefined ? sale : { ...sale, closesAt: sale.endedAt }}
                actions={actions.value?.actions ?? []}
              />
            </div>
          </div>
          <Items sale={sale} />
        </>
      )}
    </Awaited>
  );
}

function Figures({ sale }: { sale: SaleView }) {
  const { words, language } = useWords(WORDS);
  const {
    reservations,
    relayed,
    orders,
    undelivered,
    opensAt,
    closesAt,
    endedAt,
    holdMs,
    perUserMax,
    boughtMax,
    orderService,
    campaign,
    saleId,
    items,
  } = sale;
  const figures: [string, number, string][] = [
    [words.reservations, reservations, 'reservations'],
    [words.orders, orders, 'orders'],
    [words.queued, Math.max(0, relayed - orders), 'queued'],
  ];
  if (undelivered !== undefined) figures.push([words.undelivered, undelivered, 'undelivered']);
  return (
    <section class="card">
      <dl class="figures">
        {figures.map(([name, value, id]) => (
          <div key={id}>
            <dt>{name}</dt>
            <dd data-testid={`figure-${id}`}>{countText(value)}</dd>
          </div>
        ))}
      </dl>
      <dl class="facts">
        <div>
          <dt>{words.window}</dt>
          <dd data-testid="window">
            {momentText(opensAt, language)} – {momentText(endedAt ?? closesAt, language)}
            {endedAt !== undefined && <small> {words.endedEarly(momentText(closesAt, language))}</small>}
          </dd>
        </div>
        <div>
          <dt>{words.hold}</dt>
          <dd>{items.every(({ price }) => isFree(price)) ? words.freeHold : durationText(holdMs, language)}</dd>
        </div>
        <div>
          <dt>{words.perUserSale}</dt>
          <dd>{perUserMax === undefined ? words.noLimit : countText(perUserMax)}</dd>
        </div>
        <div>
          <dt>{words.service}</dt>
          <dd>{words.services[orderService]}</dd>
        </div>
        {campaign && (
          <div>
            <dt>{words.campaign}</dt>
            <dd>
              <a href={hashOf({ screen: 'campaign', campaignId: campaign.id })}>{campaign.id}</a>,{' '}
              {words.round(campaign.round)}
            </dd>
          </div>
        )}
        {boughtMax !== undefined && (
          <div>
            <dt>{words.perUserCampaign}</dt>
            <dd data-testid="bought-max">{countText(boughtMax)}</dd>
          </div>
        )}
        <div>
          <dt>{words.id}</dt>
          <dd>
            <code>{saleId}</code>
          </dd>
        </div>
      </dl>
    </section>
  );
}

function Items({ sale: { items } }: { sale: SaleView }) {
  const { words } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  return (
    <>
      <h2 class="between">{words.items}</h2>
      <Table label={words.items} stacks>
        <thead>
          <tr>
            <th>{names.item}</th>
            <th class="number">{names.price}</th>
            <th class="number">{words.total}</th>
            <th class="number">{words.left}</th>
            <th class="number">{words.reserved}</th>
            <th class="number">{words.paid}</th>
            <th class="number">{words.returned}</th>
            <th class="number">{words.perOrder}</th>
            <th class="number">{words.perUser}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(
            ({ sku, name, price, listPrice, units, left, booked, sold, returned, perOrderMax, perUserMax }) => (
              <tr key={sku} data-testid="item">
                <th scope="row">
                  {name ?? sku} {name !== undefined && <code>{sku}</code>}
                </th>
                <td class="number">
                  <b>{moneyText(price)}</b> {listPrice !== undefined && <s>{moneyText(listPrice)}</s>}
                </td>
                {[units, left, Math.max(0, booked - sold), sold, returned, perOrderMax, perUserMax].map((count, i) => (
                  <td key={i} class="number">
                    {countText(count)}
                  </td>
                ))}
              </tr>
            ),
          )}
        </tbody>
      </Table>
    </>
  );
}
