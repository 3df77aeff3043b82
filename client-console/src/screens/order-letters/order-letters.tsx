import { useState } from 'preact/hooks';
import type { FieldRefusal, OrderLetter } from '../../state/responses.ts';
import { useApp } from '../../state/useApi.ts';
import { useSettled } from '../../state/useSettled.ts';
import { hashOf } from '../../state/route.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/awaited.tsx';
import { Field } from '../../components/field.tsx';
import { Pages } from '../../components/pages.tsx';
import { countText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { SALE_WORDS } from '../sale/words.ts';
import { DeadHead, NoDeadLetters } from './dead-head.tsx';
import { LetterDialog, RequeueAll, type Asking } from './dialogs.tsx';
import { meaningOf, WORDS } from './words.ts';

const REFRESH_MS = 10_000;

interface Typed {
  saleId: string;
  user: string;
  order: string;
}

/** The dead letters of orders: search, requeue and discard. @param saleId the sale that is searched for at first */
export function OrderLetters({ saleId = '' }: { saleId?: string | undefined }) {
  const { words } = useWords(WORDS);
  const { mayAct } = useApp();
  const [typed, setTyped] = useState<Typed>({ saleId, user: '', order: '' });
  const query = queryOf(useSettled(typed));
  const [asking, setAsking] = useState<Asking | 'all'>();
  const [reloads, setReloads] = useState(0);
  const [refusals, setRefusals] = useState<readonly FieldRefusal[]>([]);
  const close = () => {
    setAsking(undefined);
    setReloads(reloads + 1);
  };
  const ofSale = query['saleId'];
  return (
    <>
      <DeadHead tab="order-letters" told={words.told} changes={reloads} />
      <div class="tools">
        <Field
          label={words.bySale}
          type="search"
          value={typed.saleId}
          onInput={(text) => setTyped({ ...typed, saleId: text })}
          refusals={refusalsFor(refusals, 'saleId')}
          testId="search-sale"
        />
        <Field
          label={words.byUser}
          type="search"
          value={typed.user}
          onInput={(user) => setTyped({ ...typed, user })}
          refusals={refusalsFor(refusals, 'user')}
          testId="search-user"
        />
        <Field
          label={words.byOrder}
          type="search"
          value={typed.order}
          onInput={(order) => setTyped({ ...typed, order })}
          refusals={refusalsFor(refusals, 'order')}
          testId="search-order"
        />
      </div>
      <Pages<OrderLetter>
        path="dead/orders"
        query={query}
        field="letters"
        everyMs={REFRESH_MS}
        reloads={reloads}
        onRefusals={setRefusals}
        empty={
          Object.keys(query).length > 0 ? (
            <Empty title={words.noMatch} calm>
              <p>{words.noMatchTold}</p>
            </Empty>
          ) : (
            <NoDeadLetters tab="order-letters" told={words.noneTold} />
          )
        }
      >
        {(letters) => (
          <>
            {mayAct && ofSale !== undefined && letters.some(({ final }) => !final) && (
              <p class="acts">
                <Button onClick={() => setAsking('all')} testId="requeue-all">
                  {words.requeueAll(ofSale)}
                </Button>
              </p>
            )}
            <ul class="letters">
              {letters.map((letter) => (
                <LetterCard key={letter.letterId} letter={letter} onAsk={setAsking} />
              ))}
            </ul>
          </>
        )}
      </Pages>
      {asking === 'all' && ofSale !== undefined && <RequeueAll saleId={ofSale} onClose={close} />}
      {asking !== undefined && asking !== 'all' && <LetterDialog {...asking} onClose={close} />}
    </>
  );
}

/** With a sale, the number of an order is enough. */
function queryOf(typed: Typed): Record<string, string> {
  const [saleId, user, order] = [typed.saleId.trim(), typed.user.trim(), typed.order.trim()];
  return {
    ...(saleId !== '' && { saleId }),
    ...(user !== '' && { user }),
    ...(order !== '' && { order: saleId !== '' && /^\d+$/.test(order) ? `${saleId}-${order}` : order }),
  };
}

function LetterCard({ letter, onAsk }: { letter: OrderLetter; onAsk: (asking: Asking) => void }) {
  const { words, language } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const { mayAct } = useApp();
  const {
    letterId,
    saleId,
    reason,
    detail,
    final,
    reservationId,
    userId,
    sku,
    quantity,
    price,
    status,
    at,
    entry,
    discarded,
    unsigned,
  } = letter;
  return (
    <li class="card letter" data-testid="order-letter" data-reason={reason}>
      <div class="row">
        <h2>
          {userId ?? words.unreadable}
          {sku !== undefined && quantity !== undefined && price !== undefined && (
            <b>
              {' '}
              · {countText(quantity)} × {sku}, {moneyText(price)}
            </b>
          )}
        </h2>
        <span class="chip" data-status="dead">
          {reason}
          {unsigned && `, ${words.unsigned}`}
        </span>
      </div>
      <p>{meaningOf(letter, language)}</p>
      <p>
        {words.detail}: {detail}
      </p>
      {reservationId === undefined ? (
        <p>
          {words.entry}: <code>{entry}</code>
        </p>
      ) : (
        <p>
          {words.order} <code>{reservationId}</code>{' '}
          <span class="chip" data-status={status}>
            {status === undefined ? words.noOrder : names.statuses[status]}
          </span>
        </p>
      )}
      <p class="hint">
        <a href={hashOf({ screen: 'sale', saleId })}>
          {words.sale} {saleId}
        </a>{' '}
        · {momentText(at, language)} · <code>{letterId}</code>
      </p>
      {discarded && (
        <p class="hint">
          {words.discarded(discarded.actor)} {discarded.reason}
        </p>
      )}
      {final && <p class="hint">{words.final}</p>}
      {mayAct && (
        <div class="acts">
          {!final && !discarded && (
            <Button variant="main" testId="requeue" onClick={() => onAsk({ verb: 'requeue', letter })}>
              {words.requeue}
            </Button>
          )}
          <Button variant="danger" testId="discard" onClick={() => onAsk({ verb: 'discard', letter })}>
            {words.discard}
          </Button>
        </div>
      )}
    </li>
  );
}
