import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { endWithParent, sendFailed, sendReady } from '../process/ipc.ts';

const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const PIPELINED = new Set([...'PBDECHF'].map((letter) => letter.charCodeAt(0)));

/**
 * PGlite with one session that several connections can share safely. `PGLiteSocketServer` forwards single protocol messages of all
 * connections in turn, and stays with one only while `isInTransaction()`. Between the pieces of a pipeline (Parse, Bind, Execute …
 * Sync), messages of others could come: a Bind ran another's statement without an error (with parameters of 200 kB: 2 of 300). Here an
 * open pipeline counts as a transaction until its Sync.
 *
 * Named statements, advisory locks and `SET` stay shared. Prisma and `pg` use none of them by default.
 */
class SharedSession extends PGlite {
  #pipelineOpen = false;

  override isInTransaction(): boolean {
    return this.#pipelineOpen || super.isInTransaction();
  }

  override async execProtocolRawStream(message: Uint8Array, options: Parameters<PGlite['execProtocolRawStream']>[1]): Promise<void> {
    try {
      await super.execProtocolRawStream(message, options);
    } catch (error) {
      // SQL errors arrive as answers: the engine itself failed. To continue could corrupt data; the folder recovers at the next start.
      process.stderr.write(`the embedded database failed: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    }
    const kind = message[0]!;
    if (kind === SYNC || kind === SIMPLE_QUERY) this.#pipelineOpen = false;
    else if (PIPELINED.has(kind)) this.#pipelineOpen = true;
  }

  /** The socket server calls this with ROLLBACK when the current connection is lost. */
  override async exec(...args: Parameters<PGlite['exec']>): ReturnType<PGlite['exec']> {
    if (this.#pipelineOpen) {
      // After an error in a pipeline the engine ignores everything up to a Sync, even a ROLLBACK.
      await this.runExclusive(() => this.execProtocolRawStream(Uint8Array.of(SYNC, 0, 0, 0, 4), { onRawData: () => {} }));
    }
    return await super.exec(...args);
  }
}

/** Process entry, `databaseServer.js <folder> <socket>`: PGlite for all clients of a Unix socket. After a kill, its own log recovers the folder. */
const [folder, socket] = process.argv.slice(2) as [string, string];
const CONNECTIONS_MAX = 100;

try {
  const database = new SharedSession(folder);
  await database.waitReady;
  // Of a predecessor that was killed.
  rmSync(socket, { force: true });
  const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: CONNECTIONS_MAX });
  await server.start();
  const stop = async () => {
    await server.stop();
    await database.close();
    rmSync(dirname(socket), { recursive: true, force: true });
  };
  const stopAndExit = () => { void stop().then(() => process.exit(0), () => process.exit(1)); };
  process.once('SIGTERM', stopAndExit);
  process.once('SIGINT', stopAndExit);
  endWithParent(stop);
  void sendReady({});
} catch (error) {
  await sendFailed(`${folder} cannot be opened (${error instanceof Error ? error.message : String(error)})`);
  process.exit(1);
}
