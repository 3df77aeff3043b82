/** Everything that can stand in the sky. What a packet looks like says nothing about what is in it. */
export const PICTURES = ['envelope', 'gold', 'koi', 'lantern', 'ingot', 'coin', 'glow', 'spark', 'petal'] as const;
export type Picture = (typeof PICTURES)[number];

/** One picture somewhere in the sky. Lengths in CSS pixels, angles in radians; its middle is at x, y. */
export interface Mark {
  picture: Picture;
  x: number;
  y: number;
  /** Less than `scaleY` for what turns away. */
  scaleX: number;
  scaleY: number;
  turn: number;
  alpha: number;
}

/** Whether both lists look the same on a canvas. */
export function alike(some: readonly Mark[], others: readonly Mark[]): boolean {
  return some.length === others.length && some.every((one, i) => {
    const other = others[i]!;
    return one.x === other.x && one.y === other.y && one.turn === other.turn && one.picture === other.picture
      && one.scaleX === other.scaleX && one.scaleY === other.scaleY && one.alpha === other.alpha;
  });
}
