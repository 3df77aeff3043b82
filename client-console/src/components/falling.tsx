import { useMemo } from 'preact/hooks';
import { moneyText } from '../words/figures.ts';

const FALLING_MAX = 16;
const FALL_S = 7;

/** Some sample packets that fall as the players will see them. A fixed rule spreads them, so the picture is stable. */
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
