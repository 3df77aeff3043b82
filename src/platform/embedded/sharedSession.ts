import { PGlite } from '@electric-sql/pglite';

const SIMPLE_QUERY = 'Q'.charCodeAt(0);
const SYNC = 'S'.charCodeAt(0);
const PIPELINED = new Set([...'PBDECHF'].map((letter) => letter.charCodeAt(0)));

/**
 * PGlite with a session that connections can share safely. `PGLiteSocketServer` passes on single protocol messages of
 * all its connections in turn, and holds to one connection only while `isInTransaction()`. A pipeline (Parse, Bind,
 * Execute … Sync) that arrives in several pieces could so be torn apart, and a Bind run another connection's statement,
 * silently (seen with parameters of 200 kB: 2 of 300). Here a begun pipeline counts as a transaction until its Sync.
 *
 * What stays shared, since it is one session: named statements, advisory locks, `SET`. Prisma and `pg` use none of them
 * unless asked to.
 */
export class SharedSession extends PGlite {
  #pipelineOpen = false;

  override isInTransaction(): boolean {
    return this.#pipelineOpen || super.isInTransaction();
  }

  override async execProtocolRawStream(message: Uint8Array, options: Parameters<PGlite['execProtocolRawStream']>[1]): Promise<void> {
    try {
      await super.execProtocolRawStream(message, options);
    } catch (error) {
      // SQL errors are answers. This is the engine itself, whose state nobody knows now; going on could write nonsense,
      // and the socket server's queue would stand still. The data folder recovers at the next start.
      process.stderr.write(`the embedded database broke down: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    }
    const kind = message[0]!;
    if (kind === SYNC || kind === SIMPLE_QUERY) this.#pipelineOpen = false;
    else if (PIPELINED.has(kind)) this.#pipelineOpen = true;
  }

  /** The socket server calls this with ROLLBACK when the connection whose turn it is went away. */
  override async exec(...args: Parameters<PGlite['exec']>): ReturnType<PGlite['exec']> {
    if (this.#pipelineOpen) {
      // After an error within a pipeline the engine ignores everything up to a Sync, a ROLLBACK too.
      await this.runExclusive(() => this.execProtocolRawStream(Uint8Array.of(SYNC, 0, 0, 0, 4), { onRawData: () => {} }));
    }
    return await super.exec(...args);
  }
}
