import type { Preview } from '../desk/answers.ts';
import { countText, moneyText } from '../words/figures.ts';

const [WIDTH, HEIGHT, LEAST] = [400, 120, 2];

/** How many packets of which size; every bin that holds one is seen. */
export function Histogram({ bins, label }: { bins: Preview['histogram']; label: string }) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  const step = WIDTH / Math.max(1, bins.length);
  const told = bins.filter(({ count }) => count > 0).map(({ from, to, count }) => `${moneyText(from)} – ${moneyText(to)}: ${countText(count)}`);
  return (
    <figure class="histogram">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={`${label}. ${told.join('; ')}`}>
        {bins.map(({ count }, i) => {
          const height = count === 0 ? 0 : Math.max(LEAST, (count / most) * HEIGHT);
          return <rect key={i} x={i * step + step * 0.08} width={step * 0.84} y={HEIGHT - height} height={height} rx="1.5"><title>{told[i]}</title></rect>;
        })}
      </svg>
      <figcaption aria-hidden="true"><span>{moneyText(bins[0]?.from ?? '0.00')}</span><span>{moneyText(bins.at(-1)?.to ?? '0.00')}</span></figcaption>
    </figure>
  );
}
