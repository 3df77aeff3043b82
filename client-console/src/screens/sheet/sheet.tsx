import type { ComponentChildren } from 'preact';
import { ownName } from '../../../../src/rain/names.ts';
import type { Order, RainState } from '../../state/responses.ts';
import { hashOf, type Route } from '../../state/route.ts';
import { Refused } from '../../components/awaited.tsx';
import { Button } from '../../components/button.tsx';
import { countText, momentText } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { ROWS_MAX, type All } from './useAll.ts';

const WORDS = bilingual(
  {
    print: 'Print',
    name: 'Name',
    signature: 'Signature',
    asOf: (moment: string) => `As of ${moment}`,
    notOver: 'It is not over: the list is not complete.',
    tooMany: (rows: string) => `More than ${rows} rows: too many to print here. Download the CSV instead.`,
  },
  {
    print: '打印',
    name: '姓名',
    signature: '签收',
    asOf: (moment) => `截至 ${moment}`,
    notOver: '本场尚未结束，名单并不完整。',
    tooMany: (rows) => `超过 ${rows} 行，无法在此打印，请下载 CSV。`,
  },
);

interface SheetProps<Row> {
  /** The rain or sale. */
  of: { title: string; opensAt: string; state: RainState };
  chips: ComponentChildren;
  back: { route: Route; text: string };
  list: All<unknown> | undefined;
  again(): void;
  /** The printed part of the list. */
  rows: readonly Row[];
  total: string;
  /** When there are no rows. */
  none: string;
  /** The column heads between name and signature. */
  heads: ComponentChildren;
  /** The row of one: a `SignedRow`. */
  children(row: Row, number: number): ComponentChildren;
}

/** All who won, or got, something on paper, each with a line for the signature. */
export function Sheet<Row>({
  of: { title, opensAt, state },
  chips,
  back,
  list,
  again,
  rows,
  total,
  none,
  heads,
  children,
}: SheetProps<Row>) {
  const { words, language, shared } = useWords(WORDS);
  const readAt = list && 'readAt' in list ? list.readAt : undefined;
  return (
    <article class="sheet" data-testid="sheet">
      <header class="head">
        <div>
          <a class="back" href={hashOf(back.route)}>
            ← {back.text}
          </a>
          <h1>{title}</h1>
          <p class="chips">{chips}</p>
          <p class="sub">
            {momentText(opensAt, language)}
            {readAt !== undefined && ` · ${total}`}
          </p>
        </div>
        <div class="acts">
          <Button onClick={() => print()} disabled={rows.length === 0} testId="print">
            {words.print}
          </Button>
        </div>
      </header>
      {state !== 'closed' && state !== 'settled' && <p data-testid="not-over">{words.notOver}</p>}
      {!list && (
        <p class="awaited" role="status">
          {shared.loading}
        </p>
      )}
      {list && 'refusal' in list && <Refused refusal={list.refusal} again={again} />}
      {list && 'tooMany' in list && <p>{words.tooMany(countText(ROWS_MAX))}</p>}
      {readAt !== undefined && rows.length === 0 && <p>{none}</p>}
      {readAt !== undefined && rows.length > 0 && (
        <>
          <table>
            <thead>
              <tr>
                <th class="number">#</th>
                <th>{words.name}</th>
                {heads}
                <th class="signature">{words.signature}</th>
              </tr>
            </thead>
            <tbody>{rows.map((row, i) => children(row, i + 1))}</tbody>
          </table>
          <p class="hint">{words.asOf(momentText(readAt, language))}</p>
        </>
      )}
    </article>
  );
}

/** Number, name, the cells between, and the line. */
export function SignedRow({
  number,
  who: { userId, participant },
  children,
}: {
  number: number;
  who: Pick<Order, 'userId' | 'participant'>;
  children: ComponentChildren;
}) {
  const name = participant?.name ?? ownName(userId);
  const details = participant
    ? [participant.department, participant.number].filter((one) => one !== undefined).join(' · ')
    : userId;
  return (
    <tr data-testid="sheet-row">
      <td class="number">{number}</td>
      <th scope="row">
        {name}
        {name !== userId && <small>{details}</small>}
      </th>
      {children}
      <td class="signature" />
    </tr>
  );
}
