import { element, write } from '../page.ts';
import type { Words } from '../words/words.ts';
import type { Luckiest } from './luckiest.ts';

/** Who was luckiest, in the page; nothing as long as nobody is known. */
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
    const [who, what] = [document.createElement('span'), document.createElement('span')];
    [who.className, what.className] = ['leaderboard-user', 'leaderboard-amount'];
    [who.textContent, what.textContent] = [user, words.money(amount)];
    place.append(who, what);
    return place;
  }));
}
