import type { Falling } from '../packet.ts';
import type { Mark, Picture } from './mark.ts';
import { xOf } from './shower.ts';

/** What packets look like, of twenty: mostly red, sometimes something rare. */
const WARDROBE: readonly Picture[] = [
  'envelope', 'gold', 'envelope', 'koi', 'envelope', 'envelope', 'lantern', 'envelope', 'envelope', 'ingot',
  'envelope', 'envelope', 'gold', 'envelope', 'koi', 'envelope', 'envelope', 'lantern', 'envelope', 'gold',
];
const PRECIOUS: readonly Picture[] = ['gold', 'koi', 'ingot', 'lantern'];

/** Its own for as long as it falls: what it sways by never changes, and no two share it. */
export function pictureOf({ sway, scale }: Falling): Picture {
  return WARDROBE[Math.floor((sway + scale * 37) * 1009) % WARDROBE.length]!;
}

/** The packet as it hangs in the air: tilted, and now and then turned half away, like paper. */
export function markOf(falling: Falling, still: boolean): Mark {
  const { y, scale, phase, sway } = falling;
  const turned = still ? 1 : 0.86 + 0.14 * Math.cos(phase * 0.9 + sway);
  return { picture: pictureOf(falling), x: xOf(falling), y, scaleX: scale * turned, scaleY: scale, turn: Math.sin(phase) * 0.2, alpha: 1 };
}

/** The light around what is rare; `undefined` around the others. */
export function glowOf(falling: Falling, still: boolean): Mark | undefined {
  if (!PRECIOUS.includes(pictureOf(falling))) return undefined;
  const beat = still ? 1 : 1 + 0.12 * Math.sin(falling.phase * 2.3);
  const scale = falling.scale * beat;
  return { picture: 'glow', x: xOf(falling), y: falling.y, scaleX: scale, scaleY: scale, turn: 0, alpha: 0.9 };
}
