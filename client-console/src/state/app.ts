import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from './responses.ts';
import { ApiClient } from './request.ts';

/** The context of every screen. */
export interface AppState {
  api: ApiClient;
  session: Session;
  /** False for a viewer, who sees no buttons that change something. */
  mayAct: boolean;
  /** False while the login covers the page. No requests are sent then. */
  awake: boolean;
}

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (!app) throw new Error('useApp() was called outside of <App>');
  return app;
}
