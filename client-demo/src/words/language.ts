import { surely } from '../storage.ts';
import { en, type Words } from './en.ts';
import { zh } from './zh.ts';

const KEY = 'rain.language';
const device = () => localStorage;

/** Whether the first of these languages that the pages speak is Chinese. */
export function isChinese(languages: readonly string[]): boolean {
  return /^zh/i.test(languages.find((language) => /^(zh|en)\b/i.test(language)) ?? '');
}

export function wordsFor(languages: readonly string[]): Words {
  return isChinese(languages) ? zh : en;
}

/** The language that was chosen on the page, and then those of the browser. */
export function pageLanguages(): readonly string[] {
  const chosen = surely.recall(device, KEY);
  return [...(chosen === undefined ? [] : [chosen]), ...navigator.languages];
}

/** The page is opened again in the other language. Its address says which rain it shows. */
export function offerLanguage(button: HTMLButtonElement, { otherLanguage: { lang, name } }: Words): void {
  button.lang = lang;
  button.textContent = name;
  button.addEventListener('click', () => {
    surely.remember(device, KEY, lang);
    location.reload();
  });
}
