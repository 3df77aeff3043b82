import { existsSync, renameSync, rmSync } from 'node:fs';
import { endWithParent, sendFailed, sendReady } from '../process/ipc.ts';
import { PackageMissing } from '../process/optionalPackage.ts';
import { importPglite } from './pglite.ts';

/**
 * Process entry, `databaseInit.js <folder>`: creates an empty data folder, which gets its name only when it is
 * complete, and exits. It is a process of its own because the creation takes 500 MB of memory that PGlite never frees.
 */
const folder = process.argv[2]!;
const draft = `${folder}.new`;

endWithParent(() => {});
try {
  const { PGlite } = await importPglite();
  rmSync(draft, { recursive: true, force: true });
  const database = await PGlite.create(draft);
  await database.close();
  if (!existsSync(folder)) renameSync(draft, folder);
  await sendReady();
  process.exit(0);
} catch (error) {
  await sendFailed(
    error instanceof PackageMissing
      ? error.message
      : `the data folder ${folder} cannot be created (${error instanceof Error ? error.message : String(error)})`,
  );
  process.exit(1);
}
