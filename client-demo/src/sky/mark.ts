/** All pictures in the sky. A packet's picture is independent of its amount. */
export const PICTURES = ['envelope', 'gold', 'koi', 'lantern', 'ingot', 'coin', 'glow', 'spark', 'petal'] as const;
export type Picture = (typeof PICTURES)[number];

/** One picture in the sky. Lengths in CSS pixels, angles in radians; x, y is its centre. */
export interface Mark {
  picture: Picture;
  x: number;
  y: number;
  /** Less than `scaleY` if the picture is turned to the side. */
  scaleX: number;
  scaleY: number;
  turn: number;
  alpha: number;
}

export function alike(some: readonly Mark[], others: readonly Mark[]): boolean {
  return (
    some.length === others.length &&
    some.every((one, i) => {
      const other = others[i]!;
      return (
        one.x === other.x &&
        one.y === other.y &&
        one.turn === other.turn &&
        one.picture === other.picture &&
        one.scaleX === other.scaleX &&
        one.scaleY === other.scaleY &&
        one.alpha === other.alpha
      );
    })
  );
}
