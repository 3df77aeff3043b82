import { en, type SaleWords } from './en.ts';
import { zh } from './zh.ts';

/** @param lang the language of the rest of the page */
export function saleWordsFor(lang: string): SaleWords {
  return lang.startsWith('zh') ? zh : en;
}
