import type { Sample } from '../../state/responses.ts';
import { countText, durationText } from '../../words/figures.ts';
import { useLanguage, useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** Four figures, large enough for a big screen. */
export function Gauges({ sample }: { sample: Sample }) {
  const words = useWords(WORDS);
  const language = useLanguage();
  const { sockets, gateways, grabsPerSecond, wins, winsPerSecond, credited, creditLagMs } = sample;
  const gauges: [string, string, string, string][] = [
    ['sockets', countText(sockets), words.watching, words.gateways(gateways)],
    ['grabs', countText(grabsPerSecond), words.grabs, words.perSecond(`+${countText(winsPerSecond)}`)],
    ['wins', countText(wins), words.wins, words.credited(countText(credited))],
    ['lag', creditLagMs === null ? words.none : durationText(creditLagMs, language), words.lag, words.lagTold],
  ];
  return (
    <dl class="gauges">
      {gauges.map(([id, value, name, beside]) => (
        <div key={id} class="panel"><dt>{name}</dt><dd><b data-testid={`live-${id}`}>{value}</b><small>{beside}</small></dd></div>
      ))}
    </dl>
  );
}
