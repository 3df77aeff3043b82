import { parseArgs } from 'node:util';
import { postgresInstalled } from './servers/postgres.ts';

/**
 * The options of a run that plays acts or attacks, `--json` and `--only part-of-a-name`. Ends the process with 2 when
 * they are wrong, or PostgreSQL is missing.
 */
export function openAttemptRun(name: string) {
  const refuse = (sentence: string): never => {
    console.error(`${name}: ${sentence}`);
    process.exit(2);
  };
  const read = (): { json?: boolean; only?: string } => {
    try {
      return parseArgs({ options: { json: { type: 'boolean' }, only: { type: 'string' } } }).values;
    } catch (error) {
      return refuse(`${(error as Error).message.split('.')[0]}; expected --json and --only name`);
    }
  };
  const { json = false, only } = read();
  if (!postgresInstalled) refuse('PostgreSQL is not installed; on Debian: apt-get install postgresql');
  return { json, only, refuse };
}
