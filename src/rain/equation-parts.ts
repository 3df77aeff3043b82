/**
 * The terms of the money equation besides the budget, in display order. A file of its own, so that pages can import it.
 */
export const EQUATION_PARTS = ['credited', 'pending', 'unclaimed', 'recycled', 'spoiled'] as const;
export type EquationPart = (typeof EQUATION_PARTS)[number];

/** Labels of the terms. */
export const EQUATION_WORDS: Readonly<Record<EquationPart, string>> = {
  credited: 'credited',
  pending: 'won, not yet credited',
  unclaimed: 'unclaimed',
  recycled: 'recycled',
  spoiled: 'spoiled',
};
