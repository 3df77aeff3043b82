import { en } from './en.ts';
import type { Words } from './words.ts';
import { zh } from './zh.ts';

/** The first of the user's languages that is spoken here; English otherwise. */
export function wordsFor(languages: readonly string[]): Words {
  const spoken = languages.find((language) => /^(zh|en)\b/i.test(language));
  return spoken && /^zh/i.test(spoken) ? zh : en;
}
