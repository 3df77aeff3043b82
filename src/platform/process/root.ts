import { existsSync } from 'node:fs';

/** The folder of package.json, above src/ and above dist/, where a file may lie at any depth. It ends with a slash. */
export const ROOT = rootAbove(new URL('./', import.meta.url));

function rootAbove(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('../', folder);
  if (above.href === folder.href) throw new Error('package.json is not above this program');
  return rootAbove(above);
}
