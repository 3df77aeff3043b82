import type { ComponentChildren } from 'preact';
import { useAway } from '../state/away.ts';
import { clockText } from '../words/figures.ts';
import { bilingual, useWords } from '../words/language.ts';

const WORDS = bilingual(
  {
    unreachable: 'The console does not answer.',
    unavailable: 'Redis or the database does not answer.',
    told: (time: string) => `Nothing is lost. This page is as it was at ${time}, and tries again by itself.`,
  },
  {
    unreachable: '控制台没有回应。',
    unavailable: 'Redis 或数据库没有回应。',
    told: (time) => `不会有损失。页面停留在 ${time} 的内容，并会自动重试。`,
  },
);

/**
 * A screen, and above it the sentence that the server is away. Colours mean that something is so now, so a page that is
 * not fresh has none.
 */
export function WhileAway({ children }: { children: ComponentChildren }) {
  const { words, language } = useWords(WORDS);
  const away = useAway();
  return (
    <>
      {away && (
        <p class="refused-box away" role="alert" data-testid="away" data-code={away.code}>
          <b>{words[away.code]}</b> {words.told(clockText(away.since, language))}
        </p>
      )}
      <div class="screen" data-away={away !== undefined}>
        {children}
      </div>
    </>
  );
}
