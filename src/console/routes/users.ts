import { eraseUser, exportUser } from '../../operator/personalData.ts';
import { usersApi } from '../contract/users.ts';
import { answerOf, declinedFor, route, type Route } from './route.ts';

export const userRoutes: readonly Route[] = [
  route(usersApi.exportUser, async ({ context, body: { id } }) => {
    const done = await exportUser(context, id);
    return done.ok
      ? { answer: { data: { ...done.data, block: done.data.block && { ...done.data.block } } } }
      : declinedFor(done.refusals);
  }),
  route(usersApi.eraseUser, async ({ context, body: { id, balance } }) =>
    answerOf(await eraseUser(context, id, { balance })),
  ),
];
