import type { Preview } from '../state/responses.ts';
import { centsOf, countText, moneyText } from '../words/figures.ts';

const [WIDTH, HEIGHT, LEAST] = [400, 120, 2];

/**
 * The last bin, if it is wider than the others: a few large prizes would press all others into one bar. It is drawn
 * differently.
 */
function tailOf(bins: Preview['histogram']): Preview['histogram'][number] | undefined {
  const [first, last] = [bins[0], bins.at(-1)];
  if (!first || !last || bins.length < 3) return undefined;
  const width = ({ from, to }: { from: string; to: string }) => centsOf(to) - centsOf(from) + 1;
  return width(last) > 2 * width(first) ? last : undefined;
}

/** The number of packets per amount. Every bin with at least one packet is visible. */
export function Histogram({ bins, label }: { bins: Preview['histogram']; label: string }) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const tail = tailOf(bins);
  const step = WIDTH / Math.max(1, bins.length);
  const describe = ({ from, to, count }: Preview['histogram'][number]) =>
    `${moneyText(from)} – ${moneyText(to)}: ${countText(count)}`;
  return (
    <figure class="histogram">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${label}. ${bins
          .filter(({ count }) => count > 0)
          .map(describe)
          .join('; ')}`}
      >
        {bins.map(({ count }, i) => {
          const height = count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT);
          return (
            <rect
              key={i}
              class={tail && i === bins.length - 1 ? 'tail' : ''}
              x={i * step + step * 0.08}
              width={step * 0.84}
              y={HEIGHT - height}
              height={height}
              rx="1.5"
            >
              <title>{describe(bins[i]!)}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        <span>{moneyText(bins[0]?.from ?? '0.00')}</span>
        <span>
          {tail && `${moneyText(tail.from)} – `}
          {moneyText(bins.at(-1)?.to ?? '0.00')}
        </span>
      </figcaption>
    </figure>
  );
}
