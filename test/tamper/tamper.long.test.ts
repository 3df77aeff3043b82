import { expect, test } from 'vitest';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { tamperWithAll } from './run.ts';

test.skipIf(!postgresInstalled)(
  '[R14] whatever is written into Redis or the ledger by hand, nobody is paid for it, and it is noticed',
  async () => {
    const played = await tamperWithAll({ tell: () => {} });
    expect(
      played.flatMap(({ act, paidWrongly, untold }) =>
        [...paidWrongly, ...untold].map((sentence) => `${act}: ${sentence}`),
      ),
    ).toEqual([]);
    expect(played.length).toBeGreaterThan(50);
  },
  900_000,
);
