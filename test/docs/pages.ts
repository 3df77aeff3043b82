import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface Page {
  /** From the project's folder. */
  path: string;
  text: string;
}

/** Every page that people read. The changelog is left out: it tells of what was, by the names of its time. */
export const PAGES: readonly Page[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'src/README.md',
  'lua/README.md',
  'bench/README.md',
  'deploy/README.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => `docs/${path}`),
].map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }));

export function pageAt(path: string): Page {
  const page = PAGES.find((one) => one.path === path);
  if (!page) throw new Error(`there is no page ${path}`);
  return page;
}
