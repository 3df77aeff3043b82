import type { TestProject } from 'vitest/node';
import { migrate } from '../../../src/ledger/migrate.ts';
import { postgresInstalled, startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** `url`: of a database nobody works in; `template`: the name of one that is migrated and empty, to be copied. */
    postgresOfRun: { url: string; template: string } | undefined;
  }
}

/** The connections of several files at once, each with the pools of several processes. */
const CONNECTIONS_MAX = 300;

/**
 * One PostgreSQL server for the whole run: a copy of a database takes a tenth of the time of a server. Tests that stop
 * or freeze PostgreSQL start their own.
 */
export default async function serve(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!postgresInstalled) {
    project.provide('postgresOfRun', undefined);
    return undefined;
  }
  const postgres = await startPostgres([`max_connections=${CONNECTIONS_MAX}`]);
  try {
    const template = await postgres.newDatabase();
    await migrate(template);
    const url = Object.assign(new URL(template), { pathname: '/postgres' }).href;
    project.provide('postgresOfRun', { url, template: new URL(template).pathname.slice(1) });
  } catch (error) {
    await postgres.stop();
    throw error;
  }
  return postgres.stop;
}
