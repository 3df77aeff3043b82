import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase, untilAnswers } from '../../src/ledger/database.ts';
import { migrate } from '../../src/ledger/migrate.ts';
import { startDatabase, startEmptyDatabase } from '../support/servers/database.ts';
import { execute, postgresInstalled } from '../support/servers/postgres.ts';
import { rows } from './contract-migrate.ts';

/** Stands before PostgreSQL as a pooler, which does with the parameters of a session what `treat` says. */
async function openPooler(url: string, treat: (parameters: Map<string, string>, client: Socket) => boolean) {
  const { port, hostname } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(Number(port), hostname);
    for (const socket of [client, database]) sockets.add(socket.on('error', () => {}));
    client.once('data', (first: Buffer) => {
      const words = first.subarray(8, -1).toString().split('\0').slice(0, -1);
      const parameters = new Map(
        Array.from({ length: words.length / 2 }, (_, i) => [words[2 * i]!, words[2 * i + 1]!] as const),
      );
      if (!treat(parameters, client)) return;
      const text = `${[...parameters].map(([name, value]) => `${name}\0${value}\0`).join('')}\0`;
      const head = Buffer.alloc(8);
      head.writeInt32BE(8 + Buffer.byteLength(text), 0);
      first.copy(head, 4, 4, 8);
      database.write(Buffer.concat([head, Buffer.from(text)]));
      client.pipe(database).pipe(client);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((server.address() as AddressInfo).port);
  return through.href;
}

async function refusalOf(url: string): Promise<unknown> {
  const database = connectDatabase(url);
  onTestFinished(() => database.$disconnect());
  return untilAnswers(database, url).catch((error: unknown) => error);
}

describe.skipIf(!postgresInstalled)('a database that somebody else has set up', () => {
  test('with a search_path of its own is refused before anything is done, with the statement that mends it', async () => {
    const { url, stop } = await startDatabase();
    onTestFinished(stop);
    const empty = await startEmptyDatabase();
    onTestFinished(() => empty.stop());
    for (const one of [url, empty.url]) {
      await execute(one, 'CREATE SCHEMA events');
      await execute(one, `ALTER DATABASE ${new URL(one).pathname.slice(1)} SET search_path = events, public`);
    }
    const refusal = {
      code: 'database_schema',
      message: expect.stringMatching(
        /leads to the schema events .* Run ALTER ROLE "\w+" IN DATABASE "\w+" SET search_path = public/,
      ) as string,
    };
    expect(await refusalOf(url)).toMatchObject(refusal);
    expect(await migrate(empty.url).catch((error: unknown) => error)).toMatchObject(refusal);
    expect(
      await rows(empty.url, `SELECT count(*)::int AS n FROM pg_tables WHERE schemaname IN ('events', 'public')`),
    ).toEqual([{ n: 0 }]);
  });

  test('behind a pooler that drops the limits of a session, or refuses them, is refused by that name', async () => {
    const { url, stop } = await startDatabase();
    onTestFinished(stop);
    const drops = await openPooler(url, (parameters) => {
      for (const name of ['options', 'statement_timeout', 'idle_in_transaction_session_timeout'])
        parameters.delete(name);
      return true;
    });
    expect(await refusalOf(drops)).toMatchObject({
      code: 'database_limits',
      message: expect.stringContaining(
        'such as PgBouncer, has dropped it; nothing was done. Connect to PostgreSQL itself',
      ) as string,
    });
    const refuses = await openPooler(url, (parameters, client) => {
      const unknown = [...parameters.keys()].find((name) => !['user', 'database', 'client_encoding'].includes(name));
      const body = Buffer.from(`SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: ${unknown}\0\0`);
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeInt32BE(4 + body.length, 1);
      client.end(Buffer.concat([head, body]));
      return false;
    });
    expect(await refusalOf(refuses)).toMatchObject({
      code: 'database_limits',
      message: expect.stringMatching(
        /a pooler such as PgBouncer stands at 127\.0\.0\.1:\d+ .*unsupported startup parameter/,
      ) as string,
    });
    expect(await refusalOf(url)).toBeUndefined();
  });
});
