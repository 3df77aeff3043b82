import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type Language = 'en' | 'zh';

const KEPT = 'rain.console.language';

/** What the operator chose here before, else the first of his browser's languages that is spoken here. */
export function firstLanguage(kept: string | null, languages: readonly string[]): Language {
  if (kept === 'en' || kept === 'zh') return kept;
  const spoken = languages.find((language) => /^(zh|en)\b/i.test(language));
  return spoken !== undefined && /^zh/i.test(spoken) ? 'zh' : 'en';
}

export const rememberedLanguage = (): Language => firstLanguage(localStorage.getItem(KEPT), navigator.languages);
export const rememberLanguage = (language: Language): void => localStorage.setItem(KEPT, language);

export const LanguageContext = createContext<Language>('en');
export const useLanguage = (): Language => useContext(LanguageContext);

/** One screen's words in both languages, side by side, so that a sentence missing in one does not compile. */
interface Bilingual<W> {
  en: W;
  zh: W;
}

export function bilingual<W>(en: W, zh: NoInfer<W>): Bilingual<W> {
  return { en, zh };
}

export function useWords<W>(words: Bilingual<W>): W {
  return words[useLanguage()];
}
