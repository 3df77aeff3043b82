import { PGlite } from '@electric-sql/pglite';

const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const PIPELINED = new Set('PBDECHF'.split('').map((letter) => letter.charCodeAt(0)));

/**
 * PGlite with one session that several connections can share safely. `PGLiteSocketServer` forwards single protocol
 * messages of all connections in turn, and stays with one only while `isInTransaction()`. Between the pieces of a
 * pipeline (Parse, Bind, Execute … Sync), messages of others could come: a Bind ran another's statement without an
 * error (with parameters of 200 kB: 2 of 300). Here an open pipeline counts as a transaction until its Sync.
 *
 * Named statements, advisory locks and `SET` stay shared. Prisma and `pg` use none of them by default.
 */
export class SharedSession extends PGlite {
  #pipelineOpen = false;

  override isInTransaction(): boolean {
    return this.#pipelineOpen || super.isInTransaction();
  }

  override async execProtocolRawStream(
    message: Uint8Array,
    options: Parameters<PGlite['execProtocolRawStream']>[1],
  ): Promise<void> {
    try {
      await super.execProtocolRawStream(message, options);
    } catch (error) {
      // SQL errors arrive as answers: the engine itself failed. To continue could corrupt data; the folder recovers at
      // the next start.
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
      await this.runExclusive(() =>
        this.execProtocolRawStream(Uint8Array.of(SYNC, 0, 0, 0, 4), { onRawData: () => {} }),
      );
    }
    return await super.exec(...args);
  }
}
