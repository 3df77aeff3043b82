import type { SIZES } from '../sizes.ts';
import type { TestPostgres } from '../../test/support/servers/postgres.ts';
import type { Row } from '../report/row.ts';

export interface BaselineOptions {
  size: typeof SIZES.full;
  postgres: TestPostgres;
  say(sentence: string): void;
  /** Writes a file into `results`; only in a full run. */
  write(file: string, text: string): void;
}

export interface Measure {
  name: string;
  /** Too long for every run, or for a quick one: needs `--only`. */
  onlyWhenAsked?: 'always' | 'quick';
  rows(baselineOptions: BaselineOptions): Promise<Row[]>;
}
