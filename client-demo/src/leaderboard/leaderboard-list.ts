import { element, setChildren, textElement, write } from '../page.ts';
import type { Words } from '../words/en.ts';
import type { Luckiest } from './leaderboard.ts';

/** @param own the packet of the player, if there is one */
export function showLeaderboard(found: Luckiest | undefined, words: Words, own: string | undefined): void {
  const places = found?.luckiest ?? [];
  const leaderboard = element('.leaderboard');
  leaderboard.hidden = places.length === 0;
  write('.leaderboard-title', found?.final === false ? words.luckiest.counting : words.luckiest.title);
  const key = JSON.stringify([places, own]);
  if (leaderboard.dataset['places'] === key) return;
  leaderboard.dataset['places'] = key;
  setChildren(
    element('.leaderboard-list'),
    ...places.map(({ user, amount, redPacketId }) => {
      const place = document.createElement('li');
      const isOwn = redPacketId !== undefined && redPacketId === own;
      place.toggleAttribute('data-own', isOwn);
      place.append(
        textElement('leaderboard-user', isOwn ? words.luckiest.you : user),
        textElement('leaderboard-amount', words.money(amount)),
      );
      return place;
    }),
  );
}
