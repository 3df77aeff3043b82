import { en, type Words } from './en.ts';
import { zh } from './zh.ts';

export function wordsFor(languages: readonly string[]): Words {
  const supported = languages.find((language) => /^(zh|en)\b/i.test(language));
  return supported && /^zh/i.test(supported) ? zh : en;
}
