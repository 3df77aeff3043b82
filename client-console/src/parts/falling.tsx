import { useMemo } from 'preact/hooks';
import { moneyText } from '../words/figures.ts';

const FALLING_MAX = 14;

/** Some of the sample, coming down as the players will see them. Where they fall is of no account, so a rule spreads them and no chance. */
export function Falling({ amounts, luckiest }: { amounts: readonly string[]; luckiest: string }) {
  const drops = useMemo(() => amounts.slice(0, FALLING_MAX).map((amount, i) => ({
    amount, across: `${3 + ((i * 61.8) % 82)}%`, wait: `${-((i * 1.37) % 6)}s`, pace: `${5 + ((i * 0.73) % 2.5)}s`,
  })), [amounts]);
  return (
    <div class="falling" aria-hidden="true">
      {drops.map(({ amount, across, wait, pace }, i) => (
        <span key={i} class={amount === luckiest ? 'drop luckiest' : 'drop'} style={{ left: across, animationDelay: wait, animationDuration: pace }}>{moneyText(amount)}</span>
      ))}
    </div>
  );
}
