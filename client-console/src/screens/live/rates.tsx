import { useMemo } from 'preact/hooks';
import type { Sample } from '../../state/responses.ts';
import { Chart, type Line } from '../../components/chart.tsx';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** Grabs and wins per second over the last minutes. */
export function RatesTile({ samples }: { samples: readonly Sample[] }) {
  const words = useWords(WORDS);
  const rows = useMemo(() => [
    samples.map(({ at }) => new Date(at).getTime() / 1_000), samples.map(({ grabsPerSecond }) => grabsPerSecond), samples.map(({ winsPerSecond }) => winsPerSecond),
  ], [samples]);
  const lines: readonly Line[] = [{ name: words.grabsLine, colour: '--chart-grabs', filled: true }, { name: words.winsLine, colour: '--chart-wins', filled: true }];
  return (
    <section class="panel pulse">
      <h2>{words.pulse} <span class="legend" aria-hidden="true"><i class="grabs" />{words.grabsLine} <i class="wins" />{words.winsLine}</span></h2>
      <Chart rows={rows} lines={lines} />
    </section>
  );
}
