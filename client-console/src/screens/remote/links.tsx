import { hashOf, type Route } from '../../state/route.ts';
import { useWords } from '../../words/language.ts';
import { WORDS } from './words.ts';

/** The remote control in the menu. */
export function RemoteEntry({ route }: { route: Route }) {
  const { words } = useWords(WORDS);
  return (
    <a href={hashOf({ screen: 'remote' })} aria-current={route.screen === 'remote' ? 'page' : undefined}>
      <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M7 2h6a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1zM10 8.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM9 12h2M9 15h2" />
      </svg>
      <span>{words.title}</span>
    </a>
  );
}

/** From the page of a rain. */
export function RemoteLink({ rainId }: { rainId: string }) {
  const { words } = useWords(WORDS);
  return (
    <a href={hashOf({ screen: 'remote', rainId })} data-testid="to-remote">
      {words.title}
    </a>
  );
}
