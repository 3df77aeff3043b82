import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from './answers.ts';
import { Ask } from './ask.ts';

/** What every screen works with. */
export interface Desk {
  ask: Ask;
  session: Session;
  /** False for a viewer: no button is shown that would be refused. */
  mayAct: boolean;
  /** False while the login stands in front of the page; nobody asks anything then. */
  awake: boolean;
}

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDesk(): Desk {
  const desk = useContext(DeskContext);
  if (!desk) throw new Error('a screen outside of the desk');
  return desk;
}
