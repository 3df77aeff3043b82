import type { Mark, Picture } from './mark.ts';
import { xOf, type Falling } from './shower.ts';

/** The pictures of twenty packets: mostly red ones, and some rare ones. */
const VARIANTS: readonly Picture[] = [
  'envelope',
  'gold',
  'envelope',
  'koi',
  'envelope',
  'envelope',
  'lantern',
  'envelope',
  'envelope',
  'ingot',
  'envelope',
  'envelope',
  'gold',
  'envelope',
  'koi',
  'envelope',
  'envelope',
  'lantern',
  'envelope',
  'gold',
];
const PRECIOUS: readonly Picture[] = ['gold', 'koi', 'ingot', 'lantern'];

/** Stays the same while the packet falls, because it depends on `sway` and `scale` only. */
export function pictureOf({ sway, scale }: Falling): Picture {
  return VARIANTS[Math.floor((sway + scale * 37) * 1009) % VARIANTS.length]!;
}

/** The packet's mark: tilted, and sometimes turned to the side like paper. */
export function markOf(falling: Falling, still: boolean): Mark {
  const { y, scale, phase, sway } = falling;
  const turned = still ? 1 : 0.86 + 0.14 * Math.cos(phase * 0.9 + sway);
  return {
    picture: pictureOf(falling),
    x: xOf(falling),
    y,
    scaleX: scale * turned,
    scaleY: scale,
    turn: Math.sin(phase) * 0.2,
    alpha: 1,
  };
}

/** The glow of a rare packet; `undefined` for the others. */
export function glowOf(falling: Falling, still: boolean): Mark | undefined {
  if (!PRECIOUS.includes(pictureOf(falling))) return undefined;
  const beat = still ? 1 : 1 + 0.12 * Math.sin(falling.phase * 2.3);
  const scale = falling.scale * beat;
  return { picture: 'glow', x: xOf(falling), y: falling.y, scaleX: scale, scaleY: scale, turn: 0, alpha: 0.9 };
}
