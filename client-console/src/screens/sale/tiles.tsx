import { useMemo } from 'preact/hooks';
import { useAway } from '../../state/away.ts';
import type { SaleSample } from '../../state/responses.ts';
import { Chart, type Line } from '../../components/chart.tsx';
import { clockText, countText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './live-words.ts';
import { SALE_WORDS } from './words.ts';

type ItemSample = SaleSample['items'][number];

function sumOf({ items }: SaleSample, of: (item: ItemSample) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

export function Gauges({ sample }: { sample: SaleSample }) {
  const { words } = useWords(WORDS);
  const total = (of: (item: ItemSample) => number) => countText(sumOf(sample, of));
  const gauges: [string, string, string, string][] = [
    ['reserved', total((item) => item.reserved), words.waiting, words.reservations(sample.reservations)],
    ['paid', total((item) => item.paid), words.paid, words.perSecond(total((item) => item.paidPerSecond))],
    [
      'timed-out',
      total((item) => item.timedOut),
      words.timedOut,
      words.perSecond(total((item) => item.timedOutPerSecond)),
    ],
    ['sockets', countText(sample.sockets), words.watching, words.gateways(sample.gateways)],
  ];
  return (
    <dl class="gauges">
      {gauges.map(([id, value, name, beside]) => (
        <div key={id} class="panel">
          <dt>{name}</dt>
          <dd>
            <b data-testid={`live-${id}`}>{value}</b>
            <small>{beside}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Every item, and below each count how many units it has moved in the last second. */
export function Board({ sample }: { sample: SaleSample }) {
  const { words } = useWords(WORDS);
  const columns: [string, string, (item: ItemSample) => number, ((item: ItemSample) => number)?][] = [
    ['left', words.itemLeft, (item) => item.left],
    ['reserved', words.reserved, (item) => item.reserved, (item) => item.reservedPerSecond],
    ['paid', words.itemPaid, (item) => item.paid, (item) => item.paidPerSecond],
    ['timed-out', words.itemTimedOut, (item) => item.timedOut, (item) => item.timedOutPerSecond],
    ['returned', words.returned, (item) => item.returned],
    ['units', words.units, (item) => item.units],
  ];
  return (
    <section class="panel board" role="region" aria-label={words.board} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th>{words.item}</th>
            {columns.map(([id, name]) => (
              <th key={id} class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sample.items.map((item) => (
            <tr key={item.sku} data-testid={`board-${item.sku}`}>
              <th scope="row">{item.name ?? item.sku}</th>
              {columns.map(([id, , of, rate]) => (
                <td key={id} class="number">
                  <b data-testid={`board-${item.sku}-${id}`}>{countText(of(item))}</b>
                  {rate && rate(item) > 0 && <small>+{countText(rate(item))}/s</small>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function RatesTile({ samples }: { samples: readonly SaleSample[] }) {
  const { words } = useWords(WORDS);
  const rows = useMemo(
    () => [
      samples.map(({ at }) => new Date(at).getTime() / 1_000),
      samples.map((sample) => sumOf(sample, (item) => item.reservedPerSecond)),
      samples.map((sample) => sumOf(sample, (item) => item.paidPerSecond)),
    ],
    [samples],
  );
  const lines: readonly Line[] = [
    { name: words.reservedLine, colour: '--chart-grabs', filled: true },
    { name: words.paidLine, colour: '--chart-wins', filled: true },
  ];
  return (
    <section class="panel pulse">
      <h2>
        {words.pulse}{' '}
        <span class="legend" aria-hidden="true">
          <i class="grabs" />
          {words.reservedLine} <i class="wins" />
          {words.paidLine}
        </span>
      </h2>
      <Chart rows={rows} lines={lines} />
    </section>
  );
}

/** The result of the last audit. */
export function AddsUp({ sample: { audit } }: { sample: SaleSample }) {
  const { words, language } = useWords(WORDS);
  const { words: names, shared } = useWords(SALE_WORDS);
  const isFresh = useAway() === undefined;
  return (
    <section class="panel money" data-testid="live-adds-up" data-balanced={isFresh ? audit?.balanced : undefined}>
      <h2>{words.equation}</h2>
      {!audit && <p class="hint">{words.auditPending}</p>}
      {audit && (
        <>
          <p class="closes" data-closes={isFresh ? audit.balanced : undefined}>
            {!isFresh ? shared.notFresh : audit.balanced ? `✓ ${names.addsUp}` : `✗ ${names.not}`}
          </p>
          <p class="hint">{words.audited(clockText(audit.at, language), audit.orders)}</p>
          {audit.problems.length > 0 && (
            <ul class="findings">
              {audit.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}
