import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startCli } from '../support/cli.ts';
import { freePort } from '../support/freePort.ts';
import { postgresInstalled, startPostgres, type TestPostgres } from '../support/servers/postgres.ts';
import { startRedis, type TestRedis } from '../support/servers/redis.ts';
import { selfSigned } from './site.ts';

/** PostgreSQL reads no key that others may read, and does not run as root. */
function giveToPostgres(folder: string, key: string): void {
  chmodSync(folder, 0o755);
  chmodSync(key, 0o600);
  if (process.getuid?.() !== 0) return;
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  chownSync(key, id('-u'), id('-g'));
}

describe.skipIf(!postgresInstalled)('as docs/how-to/run-on-kubernetes.md says, the stores are reached with TLS', () => {
  let [redis, postgres]: [TestRedis?, TestPostgres?] = [];
  let [redisUrl, database, ca] = ['', '', ''];
  const folder = mkdtempSync(join(tmpdir(), 'rain-tls-'));
  beforeAll(async () => {
    const { certificate, key } = selfSigned(folder, 'localhost');
    ca = certificate;
    const port = await freePort();
    const tls = ['--tls-port', String(port), '--tls-cert-file', ca, '--tls-key-file', key];
    redis = await startRedis({ args: [...tls, '--tls-ca-cert-file', ca, '--tls-auth-clients', 'no'] });
    redisUrl = `rediss://localhost:${port}`;
    giveToPostgres(folder, key);
    postgres = await startPostgres(['ssl=on', `ssl_cert_file=${ca}`, `ssl_key_file=${key}`]);
    database = (await postgres.newDatabase()).replace('127.0.0.1', 'localhost');
  }, 60_000);
  afterAll(async () => {
    await Promise.all([redis?.stop(), postgres?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const verified = (file: string) => `?sslmode=verify-full&sslrootcert=${file}`;

  test.concurrent('the migration, the grants and `rain doctor` know the CA that is mounted', async () => {
    const DATABASE_URL = database + verified(ca);
    expect(await startCli(['migrate'], { DATABASE_URL }).done).toMatchObject({ exit: 0 });
    const psql = spawnSync(
      'psql',
      [
        '--no-psqlrc',
        '--tuples-only',
        '--command=SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
        DATABASE_URL,
      ],
      { encoding: 'utf8' },
    );
    expect([psql.stdout.trim(), psql.stderr]).toEqual(['t', '']);
    const { stdout } = await startCli(['doctor', '--json'], {
      REDIS_URL: redisUrl,
      DATABASE_URL,
      NODE_EXTRA_CA_CERTS: ca,
    }).done;
    const { findings } = JSON.parse(stdout) as { findings: { subject: string; name: string; found: string }[] };
    expect(findings.filter(({ name }) => name === 'reachable')).toEqual([]);
    for (const store of ['redis', 'database'])
      expect(findings.filter(({ subject }) => subject === store).length, store).toBeGreaterThan(4);
  });

  test.concurrent('a certificate of another CA, or for another host, is refused with its reason', async () => {
    const stranger = selfSigned(mkdtempSync(join(folder, 'stranger-')), 'localhost').certificate;
    const reasons = async (settings: Record<string, string>) => {
      const { exit, stdout } = await startCli(['doctor'], settings).done;
      expect(exit).toBe(3);
      return stdout;
    };
    const [unknown, elsewhere] = await Promise.all([
      reasons({ REDIS_URL: redisUrl, DATABASE_URL: database + verified(stranger) }),
      reasons({
        REDIS_URL: redisUrl.replace('localhost', '127.0.0.1'),
        DATABASE_URL: database.replace('localhost', '127.0.0.1') + verified(ca),
        NODE_EXTRA_CA_CERTS: ca,
      }),
    ]);
    expect(unknown).toMatch(/redis reachable: .*self.signed certificate/);
    expect(unknown).toMatch(/database reachable: .*self.signed certificate/);
    expect(elsewhere.match(/reachable: .*does not match certificate/g)).toHaveLength(2);
  });
});
