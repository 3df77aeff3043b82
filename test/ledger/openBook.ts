import { expect } from 'vitest';
import type { Database } from '../../src/ledger/database.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { refusalOf } from '../../src/ledger/refusal.ts';

/** Filled before the first test runs. */
export interface OpenBook {
  database: Database;
  ledger: Ledger;
}

/** For the second argument of `then`: the database itself refused, with this SQLSTATE. */
export function refused(code: string) {
  return (error: unknown) => expect(refusalOf(error)?.code).toBe(code);
}
