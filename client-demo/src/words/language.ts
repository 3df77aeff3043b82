import { en, type Words } from './en.ts';
import { zh } from './zh.ts';

/** Whether the first of these languages that the pages speak is Chinese. */
export function isChinese(languages: readonly string[]): boolean {
  return /^zh/i.test(languages.find((language) => /^(zh|en)\b/i.test(language)) ?? '');
}

export function wordsFor(languages: readonly string[]): Words {
  return isChinese(languages) ? zh : en;
}
