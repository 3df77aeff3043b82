import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { endWithParent, sendFailed, sendReady } from '../process/ipc.ts';
import { SharedSession } from './sharedSession.ts';

/** Process entry, `databaseServer.js <folder>`: PGlite for all clients on 127.0.0.1. After a kill, its own log recovers the folder. */
const folder = process.argv[2]!;
const CONNECTIONS_MAX = 100;

try {
  const database = new SharedSession(folder);
  await database.waitReady;
  const server = new PGLiteSocketServer({ db: database, host: '127.0.0.1', port: 0, maxConnections: CONNECTIONS_MAX });
  await server.start();
  const stop = async () => {
    await server.stop();
    await database.close();
  };
  const stopAndExit = () => { void stop().then(() => process.exit(0), () => process.exit(1)); };
  process.once('SIGTERM', stopAndExit);
  process.once('SIGINT', stopAndExit);
  endWithParent(stop);
  void sendReady({ port: Number(server.getServerConn().split(':').at(-1)) });
} catch (error) {
  await sendFailed(`${folder} cannot be opened (${error instanceof Error ? error.message : String(error)})`);
  process.exit(1);
}
