import { approvalsApi } from './approvals.ts';
import { campaignsApi } from './campaigns.ts';
import { deadApi } from './dead.ts';
import type { Endpoint } from './endpoint.ts';
import { itemPicturesApi } from './itemPictures.ts';
import { liveApi } from './live.ts';
import { orderLettersApi } from './orderLetters.ts';
import { ordersApi } from './orders.ts';
import { participantsApi } from './participants.ts';
import { queuesApi } from './queues.ts';
import { rainsApi } from './rains.ts';
import { reconcileApi } from './reconcile.ts';
import { restoreApi } from './restore.ts';
import { salesApi } from './sales.ts';
import { sessionApi } from './session.ts';
import { systemApi } from './system.ts';
import { templatesApi } from './templates.ts';
import { themesApi } from './themes.ts';
import { usersApi } from './users.ts';
import { winnersApi } from './winners.ts';

/** The endpoints of the console, by subject. */
export type Api = typeof groups;
const groups = {
  session: sessionApi,
  approvals: approvalsApi,
  rains: rainsApi,
  campaigns: campaignsApi,
  winners: winnersApi,
  sales: salesApi,
  itemPictures: itemPicturesApi,
  orders: ordersApi,
  reconcile: reconcileApi,
  restore: restoreApi,
  live: liveApi,
  dead: deadApi,
  orderLetters: orderLettersApi,
  queues: queuesApi,
  system: systemApi,
  users: usersApi,
  participants: participantsApi,
  themes: themesApi,
  templates: templatesApi,
};

export const API: readonly Endpoint[] = Object.values(groups).flatMap((group): Endpoint[] => Object.values(group));
