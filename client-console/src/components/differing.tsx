import type { DifferingRain } from '../state/responses.ts';
import { DIFFERENCE_WORDS, toDoIn } from '../words/differences.ts';
import { countText, moneyText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';
import { hashOfEither } from './held.tsx';
import { Table } from './table.tsx';

/** Wins shown of each kind. */
const SHOWN_MAX = 10;

const WORDS = bilingual(
  { user: 'User', packet: 'Packet', amount: 'Amount', toDo: 'To do:', more: (n: string) => `… and ${n} more` },
  { user: '用户', packet: '红包', amount: '金额', toDo: '处理办法：', more: (n) => `……另有 ${n} 条` },
);

type Kind = keyof DifferingRain['counts'];

/** Facts that only one store knows of a rain, and the way out. */
export function Differing({ rain: { rainId, sale, title, counts, differences, waysOut } }: { rain: DifferingRain }) {
  const { words, language } = useWords(WORDS);
  const { words: names } = useWords(DIFFERENCE_WORDS);
  return (
    <article class="differing" data-testid="differing">
      <h3>
        <a href={hashOfEither(sale ? 'sale' : 'rain', rainId)}>{title || rainId}</a>
      </h3>
      {(Object.keys(counts) as Kind[]).map((kind) => {
        const listed = differences.filter((difference) => difference.kind === kind && difference.orderId !== undefined);
        const wins = differences.filter(
          (difference) => difference.kind === kind && difference.redPacketId !== undefined,
        );
        const toDo = toDoIn(language, kind, rainId, waysOut[kind] ?? '');
        return (
          <section key={kind} data-kind={kind}>
            <h4>
              {names[kind]}
              {wins.length + listed.length > 0 && ` · ${countText(counts[kind]!)}`}
            </h4>
            {wins.length > 0 && <Wins label={names[kind]} wins={wins.slice(0, SHOWN_MAX)} />}
            {listed.slice(0, SHOWN_MAX).map(({ orderId, userId }) => (
              <p key={orderId}>
                {orderId} · {userId}
              </p>
            ))}
            {Math.max(wins.length, listed.length) > SHOWN_MAX && (
              <p class="hint">{words.more(countText(counts[kind]! - SHOWN_MAX))}</p>
            )}
            <p>
              {words.toDo} {toDo.startsWith('rain ') ? <code>{toDo}</code> : toDo}
            </p>
          </section>
        );
      })}
    </article>
  );
}

function Wins({ label, wins }: { label: string; wins: DifferingRain['differences'] }) {
  const { words } = useWords(WORDS);
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th>{words.user}</th>
          <th>{words.packet}</th>
          <th class="number">{words.amount}</th>
        </tr>
      </thead>
      <tbody>
        {wins.map(({ userId, redPacketId, amount }, i) => (
          <tr key={`${redPacketId} ${i}`}>
            <th scope="row">{userId}</th>
            <td>
              <code>{redPacketId}</code>
            </td>
            <td class="number">{amount && moneyText(amount)}</td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
