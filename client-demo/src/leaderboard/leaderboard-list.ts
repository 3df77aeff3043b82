import { element, write } from '../page.ts';
import type { Words } from '../words/words.ts';
import type { Luckiest } from './luckiest.ts';

/** Shows the luckiest users, or nothing while there are none. */
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
    const [name, money] = [document.createElement('span'), document.createElement('span')];
    [name.className, money.className] = ['leaderboard-user', 'leaderboard-amount'];
    [name.textContent, money.textContent] = [user, words.money(amount)];
    place.append(name, money);
    return place;
  }));
}
