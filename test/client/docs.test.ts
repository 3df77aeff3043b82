import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OUTCOMES_IN_ORDER } from '../../src/protocol/outcomes.ts';
import { SALE_OUTCOMES_IN_ORDER } from '../../src/protocol/saleOutcomes.ts';

const page = readFileSync(new URL('../../docs/reference/client.md', import.meta.url), 'utf8');

test('every outcome of a grab is documented', () => {
  const ends = OUTCOMES_IN_ORDER.filter(({ retry }) => retry === 'no' || retry.startsWith('when')).map(
    ({ reason }) => reason,
  );
  for (const kind of [...ends, 'unanswered', 'unknown']) expect(page).toMatch(new RegExp(`^\\|[^|]*\`${kind}\``, 'm'));
});

test('every outcome of a purchase is documented, in its own table', () => {
  const ends = SALE_OUTCOMES_IN_ORDER.filter(({ retry }) => retry === 'no' || retry.startsWith('when')).map(
    ({ reason }) => reason,
  );
  const table = page.slice(page.indexOf('## Outcomes of a purchase'));
  for (const kind of [...ends, 'unanswered', 'unknown']) expect(table).toMatch(new RegExp(`^\\|[^|]*\`${kind}\``, 'm'));
});
