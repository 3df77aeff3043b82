import { readFileSync } from 'node:fs';

/** How many files this process may open; `undefined` if unknown. */
export function openFilesMax(
  limits: () => string = () => readFileSync('/proc/self/limits', 'utf8'),
): number | undefined {
  try {
    const max = /^Max open files\s+(\d+)/m.exec(limits())?.[1];
    return max === undefined ? undefined : Number(max);
  } catch {
    return undefined;
  }
}
