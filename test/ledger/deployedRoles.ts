import { readFileSync } from 'node:fs';
import { migrate } from '../../src/ledger/migrate.ts';
import { execute, startPostgres } from '../support/servers/postgres.ts';

/** One of the files of deploy/postgresql. */
export const deployed = (name: 'roles' | 'grants') =>
  readFileSync(new URL(`../../deploy/postgresql/${name}.sql`, import.meta.url), 'utf8');

/**
 * A server with the roles of deploy/postgresql and with the ledger's schema: `rain_owner` migrates, `rain` is for
 * console and command line, `rain_worker` for workers.
 */
export async function startWithRoles() {
  const server = await startPostgres(['fsync=on']);
  const urlOf = (role: string) => `postgres://${role}@127.0.0.1:${server.port}/rain`;
  try {
    // CREATE DATABASE wants to be alone.
    for (const statement of deployed('roles')
      .split(';\n')
      .filter((text) => text.trim() !== ''))
      await execute(urlOf('postgres').replace(/rain$/, 'postgres'), statement);
    await migrate(urlOf('rain_owner'));
    await execute(urlOf('rain_owner'), deployed('grants'));
  } catch (fault) {
    await server.stop();
    throw fault;
  }
  return { urlOf, stop: () => server.stop() };
}
