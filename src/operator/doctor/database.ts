import type { DatabaseFacts } from '../../ledger/databaseCheck.ts';
import { checkClock, findOnDatabase as find, type Finding } from './finding.ts';

/** Connections for a worker and an operator's command, four each; `needed` is the minimum for a worker. */
const CONNECTIONS = { wanted: 8, needed: 4 } as const;

/** Pure: the same facts give the same findings. */
export function checkDatabase(facts: DatabaseFacts): Finding[] {
  const { embedded, versionNumber, migrations, privilegesMissing, ownsTables, connections, fsync, synchronousCommit } =
    facts;
  const free = connections.max - connections.used;
  return [
    find(
      'version',
      versionNumber >= 120_000 ? 'ok' : 'wrong',
      facts.version.split(' ').slice(0, 2).join(' '),
      'PostgreSQL 12 or newer',
      'install a newer PostgreSQL',
    ),
    find(
      'kind',
      embedded ? 'warning' : 'ok',
      embedded ? 'PGlite, the embedded database: without fsync, one session for all' : 'a PostgreSQL server',
      'a PostgreSQL server for real money',
      'set DATABASE_URL to a PostgreSQL server before money counts',
    ),
    checkMigrations(migrations),
    checkPrivileges(privilegesMissing),
    // The embedded database has one user, and no server that could run out of connections.
    ...(embedded
      ? []
      : [
          find(
            'ownership',
            ownsTables ? 'warning' : 'ok',
            ownsTables
              ? 'this role owns the tables: it could switch off what refuses a change of a balance'
              : 'this role owns no table',
            'a role that owns no table',
            'create the roles of deploy/postgresql, and set DATABASE_URL to the one of the servers',
          ),
          find(
            'connections',
            free < CONNECTIONS.needed ? 'wrong' : free < CONNECTIONS.wanted ? 'warning' : 'ok',
            `${free} free of ${connections.max}`,
            `${CONNECTIONS.wanted} free: 4 for each worker, 4 for a command`,
            'raise max_connections, or close the clients that hold them',
          ),
          find(
            'fsync',
            fsync ? 'ok' : 'wrong',
            fsync ? 'on' : 'off',
            'on',
            'set fsync = on in postgresql.conf: a power cut may corrupt the ledger',
          ),
          find(
            'synchronous_commit',
            synchronousCommit === 'off' ? 'warning' : 'ok',
            synchronousCommit,
            'anything but off',
            'set synchronous_commit = on: a crash loses the last credits, which users were already told about',
          ),
        ]),
    checkSession(facts.session),
    checkClock('database', facts.clockAheadMs),
  ];
}

function checkMigrations(migrations: DatabaseFacts['migrations']): Finding {
  const expected = 'all applied, none edited since';
  if ('fault' in migrations)
    return find('migrations', 'wrong', migrations.fault, expected, 'fix what it reports; nothing is written before');
  const { missing } = migrations;
  return find(
    'migrations',
    missing.length === 0 ? 'ok' : 'wrong',
    missing.length === 0 ? 'all applied' : `missing: ${missing.join(', ')}`,
    expected,
    'run: rain migrate',
  );
}

function checkSession(session: DatabaseFacts['session']): Finding {
  const expected = 'the same moments here and in the database, its schema public, and our limits';
  if ('zone' in session)
    return find('times', 'ok', `the same here and there, in sessions of TimeZone ${session.zone}`, expected, '');
  return find(SESSION_CHECKS[session.code], 'wrong', session.found, expected, session.advice);
}

const SESSION_CHECKS = { database_times: 'times', database_schema: 'schema', database_limits: 'limits' } as const;

function checkPrivileges({ operator, worker }: DatabaseFacts['privilegesMissing']): Finding {
  const expected = 'what deploy/postgresql/grants.sql grants';
  if (operator.length > 0 && worker.length === 0) {
    return find(
      'privileges',
      'warning',
      'those of a worker only',
      expected,
      'use this role for workers only: the console and the command line need the role rain',
    );
  }
  return find(
    'privileges',
    operator.length === 0 ? 'ok' : 'wrong',
    operator.length === 0 ? 'all granted' : `missing: ${operator.join(', ')}`,
    expected,
    `run deploy/postgresql/grants.sql, or GRANT ${operator.join('; GRANT ')} to this user`,
  );
}
