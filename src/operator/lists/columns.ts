import { z } from 'zod';

const NUMBER = 'expected 1 to 32 letters, digits, _ . or -';

/** The number of a participant, as typed: full-width digits are digits. */
export const participantNumber = z
  .string()
  .transform((typed) => typed.normalize('NFKC').trim())
  .pipe(
    z
      .string()
      // In the id of the user it stands between number and name.
      .refine((number) => !number.includes('/'), `${NUMBER}; write - in place of /`)
      .regex(/^[\p{L}\p{N}_.-]{1,32}$/u, NUMBER),
  );

/** Other names of a column, as `aliases` of a form. */
export function names(column: string, ...others: readonly string[]): Record<string, string> {
  return Object.fromEntries(others.map((other) => [other, column]));
}

/** Names that offices have for the number of a person. */
export const NUMBER_NAMES = names(
  'number',
  '工号',
  '工號',
  '员工编号',
  '員工編號',
  '员工号',
  '員工號',
  '员工工号',
  '職工號',
  '职工号',
  'employeenumber',
  'employeeid',
  'staffid',
);
