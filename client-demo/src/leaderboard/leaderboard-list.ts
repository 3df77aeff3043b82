import { element, textElement, write } from '../page.ts';
import type { Words } from '../words/en.ts';
import type { Luckiest } from './leaderboard.ts';

export function showLeaderboard(found: Luckiest | undefined, words: Words): void {
  const places = found?.luckiest ?? [];
  const leaderboard = element('.leaderboard');
  leaderboard.hidden = places.length === 0;
  write('.leaderboard-title', found?.final === false ? words.luckiest.soFar : words.luckiest.title);
  const key = JSON.stringify(places);
  if (leaderboard.dataset['places'] === key) return;
  leaderboard.dataset['places'] = key;
  element('.leaderboard-list').replaceChildren(...places.map(({ user, amount }) => {
    const place = document.createElement('li');
    place.append(textElement('leaderboard-user', user), textElement('leaderboard-amount', words.money(amount)));
    return place;
  }));
}
