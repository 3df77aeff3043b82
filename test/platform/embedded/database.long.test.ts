import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedDatabase } from '../../../src/platform/embedded/database.ts';
import type { EmbeddedServer } from '../../../src/platform/embedded/redis.ts';
import { homeAt, type Home } from '../../../src/platform/process/home.ts';
import { startPglite, type TestPglite } from '../../support/servers/pglite.ts';
import { eventually } from '../../support/eventually.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

async function start(home: Home): Promise<EmbeddedServer> {
  const started = await startEmbeddedDatabase({ home });
  if (!started.ok) throw new Error(started.reason);
  onTestFinished(() => started.server.stop());
  return started.server;
}

const socketFolder = (url: string) => decodeURIComponent(new URL(url).hostname);

async function open(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

test('a restart keeps the data, after an orderly stop and after kill -9, and a half-made folder is made anew', async () => {
  const home = homeAt(temporaryFolder());
  // The remains of a start that was killed while it made the folder.
  mkdirSync(join(home.folder, 'postgres.new'), { recursive: true });
  writeFileSync(join(home.folder, 'postgres.new', 'PG_VERSION'), '18\n');

  const first = await start(home);
  let client = await open(first.url);
  await client.query('CREATE TABLE kept (word text)');
  await client.query("INSERT INTO kept VALUES ('first')");
  await client.end();
  await first.stop();
  expect(await first.ended).toMatchObject({ code: 0, expected: true });

  const second = await start(home);
  client = await open(second.url);
  await client.query("INSERT INTO kept VALUES ('second')");
  process.kill(second.pid, 'SIGKILL');
  expect(await second.ended).toMatchObject({ signal: 'SIGKILL', expected: false });

  const third = await start(home);
  client = await open(third.url);
  expect((await client.query('SELECT word FROM kept')).rows).toEqual([{ word: 'first' }, { word: 'second' }]);
  await client.end();
});

test.skipIf(process.getuid?.() !== 0)(
  'another user of the machine can neither connect to the database nor read its files, whatever the home lets in',
  async () => {
    const home = homeAt(temporaryFolder());
    mkdirSync(home.folder, { recursive: true });
    const { url } = await start(home);
    chmodSync(home.folder, 0o755);
    const socket = join(socketFolder(url), '.s.PGSQL.5432');
    const asNobody = (script: string) =>
      spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath, '-e', script], {
        encoding: 'utf8',
        cwd: '/',
        timeout: 20_000,
      }).stdout;
    const knock = `require('node:net').connect(${JSON.stringify(socket)}).on('connect', () => { console.log('connected'); process.exit(); }).on('error', (error) => console.log(error.code))`;
    const read = `try { console.log(require('node:fs').readdirSync(${JSON.stringify(home.postgres)}).length); } catch (error) { console.log(error.code); }`;
    expect([asNobody(knock), asNobody(read)]).toEqual(['EACCES\n', 'EACCES\n']);
    // The owner can, so it is not the path that is wrong.
    await (await open(url)).end();
  },
);

test('a home whose path is too long for a socket has its socket elsewhere, and leaves nothing there', async () => {
  const home = homeAt(join(temporaryFolder(), 'long'.repeat(30)));
  mkdirSync(home.folder, { recursive: true });
  const server = await start(home);
  await (await open(server.url)).end();
  const folder = socketFolder(server.url);
  expect([folder.startsWith(home.folder), statSync(folder).mode & 0o777]).toEqual([false, 0o700]);
  await server.stop();
  expect(existsSync(folder)).toBe(false);
});

describe('one server for many connections', () => {
  let database: TestPglite;
  beforeAll(async () => {
    database = await startPglite();
  });
  afterAll(() => database.stop());

  test('statements of several connections that arrive in pieces are not mixed up', async () => {
    const clients = await Promise.all([0, 1, 2, 3].map(() => open(database.url)));
    // Larger than a read from a socket, so that every statement comes in several of them.
    const large = 'x'.repeat(200_000);
    const answers = await Promise.all(
      clients.map(async (client, k) => {
        const mine: unknown[] = [];
        for (let i = 0; i < 60; i++)
          mine.push((await client.query(`SELECT $1::int AS v${k}, length($2) AS n`, [k * 1_000 + i, large])).rows[0]);
        return mine;
      }),
    );
    answers.forEach((mine, k) => expect(mine).toEqual(mine.map((_, i) => ({ [`v${k}`]: k * 1_000 + i, n: 200_000 }))));
    await Promise.all(clients.map((client) => client.end()));
  });

  test('a connection that vanishes within a transaction is rolled back and blocks nobody', async () => {
    const [vanishing, staying] = await Promise.all([open(database.url), open(database.url)]);
    await staying.query('CREATE TABLE things (n int)');
    await vanishing.query('BEGIN');
    await vanishing.query('INSERT INTO things VALUES (1)');
    const waiting = staying.query('SELECT count(*)::int AS n FROM things');
    vanishing.connection.stream.destroy();
    expect((await waiting).rows).toEqual([{ n: 0 }]);
    await staying.end();
  });

  test('a connection that vanishes in the middle of a statement blocks nobody, even after an error in it', async () => {
    const staying = await open(database.url);
    for (const statement of ['SELECT 1', 'this is not SQL']) {
      const socket = connect(join(socketFolder(database.url), '.s.PGSQL.5432'));
      socket.on('error', () => {});
      const startup = Buffer.from('\0\0\0\0\0\x03\0\0user\0postgres\0database\0postgres\0\0', 'latin1');
      startup.writeInt32BE(startup.length, 0);
      const parse = Buffer.from(`P\0\0\0\0\0${statement}\0\0\0`, 'latin1');
      parse.writeInt32BE(parse.length - 1, 1);
      const flush = Buffer.from('H\0\0\0\x04', 'latin1');
      let answer = '';
      socket.setEncoding('latin1').on('data', (text: string) => {
        answer += text;
      });
      socket.write(startup);
      // Ready for query, with which PostgreSQL ends its greeting.
      await eventually(() => answer.endsWith('Z\0\0\0\x05I'));
      answer = '';
      socket.write(Buffer.concat([parse, flush]));
      await eventually(() => answer.startsWith(statement === 'SELECT 1' ? '1' : 'E'));
      const waiting = staying.query('SELECT $1::int AS n', [7]);
      socket.destroy();
      expect((await waiting).rows).toEqual([{ n: 7 }]);
    }
    await staying.end();
  });
});
