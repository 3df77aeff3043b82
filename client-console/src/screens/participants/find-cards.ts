import type { ParticipantCard } from '../../state/responses.ts';

/** The cards with this text in number, name or department; a complete number finds its card only. */
export function findCards(cards: readonly ParticipantCard[], text: string): readonly ParticipantCard[] {
  const wanted = text.trim().toLowerCase();
  const exact = cards.filter(({ number }) => number.toLowerCase() === wanted);
  return exact.length > 0
    ? exact
    : cards.filter(({ number, name, department = '' }) =>
        [number, name, department].some((one) => one.toLowerCase().includes(wanted)),
      );
}
