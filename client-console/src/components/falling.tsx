import { useMemo } from 'preact/hooks';
import { moneyText } from '../words/figures.ts';

const FALLING_MAX = 16;
const FALL_S = 7;

/** Some of the sample, coming down as the players will see them. Where they fall is of no account, so a rule spreads them and no chance. */
export function Falling({ amounts, luckiest }: { amounts: readonly string[]; luckiest: string }) {
  const drops = useMemo(() => amounts.slice(0, FALLING_MAX).map((amount, i) => ({
    amount, across: `${2 + ((i * 0.7549) % 1) * 84}%`, wait: `${-((i * 0.5698) % 1) * FALL_S}s`, pace: `${FALL_S}s`,
  })), [amounts]);
  return (
    <div class="falling" aria-hidden="true">
      {drops.map(({ amount, across, wait, pace }, i) => (
        <span key={i} class={amount === luckiest ? 'drop luckiest' : 'drop'} style={{ left: across, animationDelay: wait, animationDuration: pace }}>{moneyText(amount)}</span>
      ))}
    </div>
  );
}
