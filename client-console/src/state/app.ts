import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from './responses.ts';
import { Ask } from './request.ts';

/** What every screen works with. */
export interface AppState {
  ask: Ask;
  session: Session;
  /** False for a viewer: no button is shown that would be refused. */
  mayAct: boolean;
  /** False while the login stands in front of the page; nobody asks anything then. */
  awake: boolean;
}

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (!app) throw new Error('a screen outside of the console');
  return app;
}
