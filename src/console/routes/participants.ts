import {
  importParticipants,
  listParticipants,
  participantCards,
  removeParticipants,
  renewParticipant,
} from '../../operator/participants.ts';
import { participantsApi } from '../contract/participants.ts';
import { streamOf } from './bodyStream.ts';
import { answerOf, route, type Route } from './route.ts';

export const participantRoutes: readonly Route[] = [
  route(participantsApi.listParticipants, async ({ context, query: { search, cursor, limit } }) => {
    const { next, ...page } = await listParticipants(context, { search, skip: Number(cursor ?? 0), limit });
    return { answer: { ...page, ...(next !== undefined && { next: String(next) }) } };
  }),
  route(participantsApi.importParticipants, async ({ context, query: { rename, dryRun }, body }) =>
    answerOf(await importParticipants(context, streamOf(body), { rename: rename === 'yes', dryRun: dryRun === 'yes' })),
  ),
  route(participantsApi.participantCards, async ({ context }) => ({
    answer: { cards: await participantCards(context) },
  })),
  route(participantsApi.renewParticipant, async ({ context, body: { number } }) =>
    answerOf(await renewParticipant(context, number)),
  ),
  route(participantsApi.removeParticipants, async ({ context, body: { numbers } }) =>
    answerOf(await removeParticipants(context, numbers)),
  ),
];
