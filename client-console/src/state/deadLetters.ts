import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { useRequest } from './useApi.ts';

/** The lists of dead letters: of rains, and of sales. */
export type DeadList = 'dead' | 'order-letters';

const REFRESH_MS = 15_000;

interface DeadLetters {
  counts: Record<DeadList, number>;
  again: () => void;
}

export const DeadLettersContext = createContext<DeadLetters>({
  counts: { dead: 0, 'order-letters': 0 },
  again: () => {},
});

export function useDeadLetters(): DeadLetters {
  const [dead, orders] = [
    useRequest<{ total: number }>('dead?limit=1', REFRESH_MS),
    useRequest<{ total: number }>('dead/orders?limit=1', REFRESH_MS),
  ];
  return {
    counts: { dead: dead.value?.total ?? 0, 'order-letters': orders.value?.total ?? 0 },
    again: () => {
      dead.again();
      orders.again();
    },
  };
}

/** The counts of the menu, asked for again after a change. @param changes a new number after each */
export function useDeadCounts(changes: number): DeadLetters['counts'] {
  const { counts, again } = useContext(DeadLettersContext);
  useEffect(() => {
    if (changes > 0) again();
  }, [changes]);
  return counts;
}

/** The list to which the menu leads: never an empty one while the other has letters. */
export const listToOpen = ({ dead, 'order-letters': orders }: Record<DeadList, number>): DeadList =>
  dead === 0 && orders > 0 ? 'order-letters' : 'dead';
