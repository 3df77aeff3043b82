import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { endWithParent, sendFailed, sendReady } from '../process/ipc.ts';
import { PackageMissing } from '../process/optionalPackage.ts';
import { importPglite } from './pglite.ts';

/**
 * Process entry, `databaseServer.js <folder> <socket>`: PGlite for all clients of a Unix socket. After a kill, its own
 * log recovers the folder.
 */
const [folder, socket] = process.argv.slice(2) as [string, string];
const CONNECTIONS_MAX = 100;

let stop = async () => {};
// Before all that may take long.
endWithParent(() => stop());
try {
  const { SharedSession, PGLiteSocketServer } = await importPglite();
  const database = new SharedSession(folder);
  await database.waitReady;
  // Removes the socket of a predecessor that was killed.
  rmSync(socket, { force: true });
  const server = new PGLiteSocketServer({ db: database, path: socket, maxConnections: CONNECTIONS_MAX });
  await server.start();
  stop = async () => {
    await server.stop();
    await database.close();
    rmSync(dirname(socket), { recursive: true, force: true });
  };
  const stopAndExit = () => {
    void stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.once('SIGTERM', stopAndExit);
  process.once('SIGINT', stopAndExit);
  void sendReady({});
} catch (error) {
  await sendFailed(
    error instanceof PackageMissing
      ? error.message
      : `${folder} cannot be opened (${error instanceof Error ? error.message : String(error)})`,
  );
  process.exit(1);
}
