/** The terms of the money equation beside the budget, in the order in which they are told everywhere. Of its own, so that pages can have it. */
export const EQUATION_PARTS = ['credited', 'pending', 'unclaimed', 'recycled', 'spoiled'] as const;
export type EquationPart = (typeof EQUATION_PARTS)[number];

/** What they are called where there is room for it. */
export const EQUATION_WORDS: Readonly<Record<EquationPart, string>> = {
  credited: 'credited', pending: 'won, not yet credited', unclaimed: 'unclaimed', recycled: 'recycled', spoiled: 'spoiled',
};
