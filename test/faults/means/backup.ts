import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../support/servers/postgres.ts';
import type { Deployment } from '../deployment.ts';

/** A copy of one store as it was at one moment. */
interface Backup {
  /** Puts the store back as it was, and starts it again; whoever is connected is cut off. */
  restore(): Promise<void>;
}

const FOLDER = '/usr/lib/postgresql';

function tool(name: 'pg_dump' | 'pg_restore'): string {
  const version = existsSync(FOLDER) ? readdirSync(FOLDER).sort((a, b) => Number(b) - Number(a))[0] : undefined;
  return version === undefined ? name : join(FOLDER, version, 'bin', name);
}

function run(name: 'pg_dump' | 'pg_restore', args: readonly string[], input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(tool(name), args, {
    maxBuffer: 256 * 1024 * 1024,
    ...(input && { input }),
  });
  if (status !== 0) throw new Error(`${name} failed: ${String(stderr)}`);
  return stdout;
}

/** As an operator does it: pg_dump, and for the restore a new database in the place of the old one. */
export function backUpPostgres({ databaseUrl }: Pick<Deployment, 'databaseUrl'>): Backup {
  const dump = run('pg_dump', ['-Fc', databaseUrl]);
  const { pathname } = new URL(databaseUrl);
  const name = pathname.slice(1);
  const administration = new URL(databaseUrl);
  administration.pathname = '/postgres';
  return {
    async restore() {
      await execute(administration.href, `ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
      await execute(administration.href, `DROP DATABASE ${name} WITH (FORCE)`);
      await execute(administration.href, `CREATE DATABASE ${name}`);
      run('pg_restore', ['-d', databaseUrl], dump);
    },
  };
}

/** A copy of the append-only file; every write is synced before it is answered, so the copy holds all that was told. */
export function backUpRedis({ redis, redisFolder }: Pick<Deployment, 'redis' | 'redisFolder'>): Backup {
  const [files, copy] = [join(redisFolder, 'appendonlydir'), join(redisFolder, `backup-${process.hrtime.bigint()}`)];
  cpSync(files, copy, { recursive: true });
  return {
    async restore() {
      await redis.kill();
      rmSync(files, { recursive: true, force: true });
      cpSync(copy, files, { recursive: true });
      await redis.start();
    },
  };
}
