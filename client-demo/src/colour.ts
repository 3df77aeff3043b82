/** @param part share of the other colour, 0 to 1. Both are `#rrggbb`. */
export function mix(colour: string, other: string, part: number): string {
  const [from, to] = [colour, other].map((text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)));
  return `#${from!
    .map((value, i) =>
      Math.round(value + (to![i]! - value) * part)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}
