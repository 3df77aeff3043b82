/** The one item of a sale of the bench. */
export const SKU = 'tee';
