import { existsSync, renameSync, rmSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { endWithParent, tellFailed, tellReady } from '../process/ipc.ts';

/**
 * Process entry, `databaseInit.js <folder>`: makes an empty data folder and ends. The folder gets its name only when it
 * is complete, so a start that was killed half-way leaves nothing that looks like a database. A process of its own, as
 * the making takes 500 MB of memory that PGlite never gives back.
 */
const folder = process.argv[2]!;
const draft = `${folder}.new`;

endWithParent(() => {});
try {
  rmSync(draft, { recursive: true, force: true });
  const database = await PGlite.create(draft);
  await database.close();
  if (!existsSync(folder)) renameSync(draft, folder);
  await tellReady();
  process.exit(0);
} catch (error) {
  await tellFailed(`the data folder ${folder} cannot be made (${error instanceof Error ? error.message : String(error)})`);
  process.exit(1);
}
