import type { View } from './view.ts';
import type { Words } from './words/en.ts';

/** A rain that is further away has its date and time beside the countdown. */
const FAR_S = 3_600;

/** The sentences below the headline. */
export function detailOf({ face, win, gone, ahead, seconds, opensAt, rehearsal }: View, words: Words): string {
  if (win) return rehearsal ? words.rehearsal : creditStatus(win, words);
  if (gone)
    return [
      face === 'missed' ? words.detail.missed : '',
      words.gone(gone.packets, gone.seconds),
      ahead ? '' : words.nothingAhead,
    ]
      .filter((sentence) => sentence !== '')
      .join(words.lang === 'en' ? ' ' : '');
  if (face === 'scheduled' && opensAt !== undefined && seconds !== undefined && seconds > FAR_S)
    return words.startsAt(timeText(opensAt, words));
  return words.detail[face];
}

export function creditStatus(
  { credited, recorded }: NonNullable<View['win']>,
  { credited: inWallet, recorded: onRecord, onItsWay }: Words,
): string {
  if (credited) return inWallet;
  return recorded ? onRecord : onItsWay;
}

function timeText(atMs: number, { lang }: Words): string {
  return new Date(atMs).toLocaleString(lang, {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  });
}
