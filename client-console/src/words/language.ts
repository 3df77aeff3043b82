import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { SHARED } from './shared.ts';

export type Language = 'en' | 'zh';

const KEPT = 'rain.console.language';

/** The language that the operator chose before. Otherwise the first supported language of the browser. */
export function firstLanguage(kept: string | null, languages: readonly string[]): Language {
  if (kept === 'en' || kept === 'zh') return kept;
  const supported = languages.find((language) => /^(zh|en)\b/i.test(language));
  return supported !== undefined && /^zh/i.test(supported) ? 'zh' : 'en';
}

export const rememberedLanguage = (): Language => firstLanguage(localStorage.getItem(KEPT), navigator.languages);
export const rememberLanguage = (language: Language): void => localStorage.setItem(KEPT, language);

export const LanguageContext = createContext<Language>('en');

/** The texts of one screen in both languages. A text that is missing in one language does not compile. */
interface Bilingual<W> {
  en: W;
  zh: W;
}

export function bilingual<W>(en: W, zh: NoInfer<W>): Bilingual<W> {
  return { en, zh };
}

/** The chosen language, and the texts that several screens share. */
export function useLanguage() {
  const language = useContext(LanguageContext);
  return { language, shared: SHARED[language] };
}

/** The result of `useLanguage`, and the texts of one screen. */
export function useWords<W>(words: Bilingual<W>) {
  const chosen = useLanguage();
  return { ...chosen, words: words[chosen.language] };
}
