import { z } from 'zod';
import { auditReport } from '../../rain/equation.ts';
import { shownPlan } from '../../rain/plan.ts';
import { METHODS_IN_WORDS } from '../../rain/split/methods.ts';
import { requestedTerms, recordedTerms } from '../../rain/terms-check.ts';
import { requestedGreeting } from '../../rain/theme/check.ts';
import { greetingView } from './themes.ts';
import { requestedTicketRules, viewedTicketRules, ticketRulesAnswer } from './tickets.ts';
import {
  count,
  epochMs,
  limit,
  money,
  rainParams,
  shownState,
  state,
  time,
  uneven,
  type Endpoint,
} from './endpoint.ts';

/** The same fields as in `rain list --json`. */
export const rainView = z.object({
  rainId: z.string(),
  title: z.string(),
  terms: recordedTerms.describe('The terms that differ from the default. In a rehearsal all amounts are test money.'),
  campaign: z.object({ id: z.string(), round: z.int() }).optional(),
  state: shownState,
  opensAt: time,
  closesAt: time,
  budget: money,
  packets: count,
  shards: count,
  left: count,
  claims: count,
  spoiled: count,
  relayed: count,
  credited: count,
  creditedAmount: money,
  recycled: money,
  ticketRules: viewedTicketRules,
  held: z.string().optional().describe('Why nothing is granted: Redis and the database do not agree about the rain.'),
});

const topUp = z.object({
  topUp: count,
  id: z.string(),
  budget: money,
  packets: count,
  commitment: z.string(),
  at: time,
  seed: z.string().optional(),
});

const rainDetail = rainView.extend({
  loaded: count.describe('Packets loaded into Redis so far.'),
  payoutProvider: z
    .enum(['ledger', 'webhook'])
    .optional()
    .describe("Where the users' money is kept. Fixed when a worker first sees the loaded rain."),
  plan: shownPlan.describe('As requested at the creation: budget, packets, split, min, max.'),
  topUps: z.array(topUp).describe('Top-ups since the creation, in order.'),
  greeting: greetingView.optional().describe('What the host says with it, and its theme; absent: nothing.'),
  commitment: z.string().optional(),
  seed: z.string().optional().describe('Present when the rain is settled; secret before.'),
});

/** Budget, packets, split, min, max. The plan's own check validates them, so that refusals name the figures. */
const plan = z
  .unknown()
  .describe(
    `{budget, packets, split?, min?, max?}; amounts are decimal strings; split is {method}, one of ${METHODS_IN_WORDS}, and the list that the method requires.`,
  );

/** The fields of a rain besides its id and its times, here and in a template. The verb validates title and shards. */
export const rainFields = {
  title: z.string().optional(),
  plan,
  shards: z.number('expected a number of shards').optional(),
  terms: requestedTerms.optional().describe('Further terms of the rain. They cannot be changed later.'),
  ticketRules: requestedTicketRules.optional(),
  greeting: requestedGreeting.optional().describe('What the host says with it, and its theme. Can be changed later.'),
};

/** The verb validates ids and times. */
const newRain = z.strictObject({
  id: z.string().optional().describe('Chosen by the client, so that a repeated request creates one rain.'),
  ...rainFields,
  opensAt: z.number('expected epoch milliseconds'),
  closesAt: z.number('expected epoch milliseconds'),
  campaign: z
    .strictObject({ id: z.string(), round: z.number('expected a round') }, 'expected {"id","round"}')
    .optional()
    .describe('A round of a campaign. The rain id is then <id>.<round>.'),
  load: z.boolean('expected true or false').default(true).describe('Preallocate the packets at once.'),
  dryRun: z.boolean('expected true or false').default(false).describe('Only validate; write nothing.'),
});

const created = z.object({
  rainId: z.string(),
  opensAt: epochMs,
  closesAt: epochMs,
  commitment: z.string().optional(),
  uneven: uneven.optional(),
  loaded: count.optional(),
});

const refusals = z.array(z.object({ field: z.string(), reason: z.string() }));

const preview = z.union([
  z.object({ ok: z.literal(false), refusals }),
  z.object({
    ok: z.literal(true),
    packets: count,
    budget: money,
    min: money,
    max: money,
    mean: money,
    median: money,
    luckiest: money,
    histogram: z
      .array(z.object({ from: money, to: money, count }))
      .max(40)
      .describe('Both bounds are inclusive.'),
    sample: z.array(money).max(200).describe('The first amounts, in the order in which they would be won.'),
  }),
]);

const share = z.object({ redPacketId: z.string(), amount: money, userId: z.string() });
const audit = auditReport.extend({
  counts: z.record(z.string(), count),
  told_twice: count,
  discarded: count,
  in_order: z.boolean().describe('The equation holds, and no operator action is needed.'),
  findings: z.array(z.string()).describe('What breaks the equation, or what is owed to users. At most 100 sentences.'),
  lost_from_log: z.array(share).max(100),
  queues: z
    .object({
      jobs: z.record(z.string(), z.object({ jobs: count, claims: count })),
      dead: z.object({ count, amount: money }),
      complete: z.boolean(),
    })
    .optional(),
});

const verdict = z.object({
  fair: z.boolean(),
  rainId: z.string(),
  commitment: z.string(),
  seed: z.string(),
  plan: z.unknown(),
  shards: count,
  topUps: z.array(z.unknown()).optional(),
  packets: count,
  checked: z.object({ left: count, claims: count, credits: count, receipts: count }),
  outOfTurn: count,
  moved: count,
  problems: z.array(z.string()),
});

const path = '/api/console/rains';
const tag = 'rains';
const params = rainParams;
const transitioned = z.object({ state });
const moved = z.object({ state, opensAt: epochMs, closesAt: epochMs });

const addition = z.strictObject({
  id: z.string().optional().describe('Chosen by the client: the same id adds the money once.'),
  budget: z.string('expected an amount as text, such as "12.21"'),
  packets: z.number('expected a number of packets'),
  split: z.unknown().optional(),
  min: z.string('expected an amount such as "0.01"').optional(),
  max: z.string('expected an amount such as "12.21"').optional(),
  dryRun: z.boolean('expected true or false').optional(),
});
const added = z.object({
  rainId: z.string(),
  id: z.string(),
  packets: count,
  budget: money,
  total: z.object({ packets: count, budget: money }),
  loaded: z.boolean().describe('False: the rain is not loaded yet, and the new packets will be loaded with it.'),
  commitment: z.string().optional().describe('Absent for a dry run.'),
});

export const rainsApi = {
  list: {
    id: 'listRains',
    method: 'GET',
    path,
    tag,
    summary: 'The newest rains.',
    access: 'viewer',
    query: z.strictObject({ limit: limit(1_000) }),
    status: 200,
    answer: z.object({ rains: z.array(rainView), total: count }),
  },
  create: {
    id: 'createRain',
    method: 'POST',
    path,
    tag,
    summary: 'Create a rain and reserve its budget.',
    access: 'operator',
    body: newRain,
    status: 201,
    answer: created,
  },
  preview: {
    id: 'previewRain',
    method: 'POST',
    path: `${path}/preview`,
    tag,
    summary: 'Preview of a plan, drawn from a throw-away seed, or its refusals.',
    access: 'viewer',
    body: z.strictObject({
      plan,
      draws: z.int('expected 1 to 20').min(1, 'expected 1 to 20').max(20, 'expected 1 to 20').default(1),
    }),
    status: 200,
    answer: preview,
  },
  show: {
    id: 'showRain',
    method: 'GET',
    path: `${path}/:rainId`,
    tag,
    summary: 'One rain.',
    access: 'viewer',
    params,
    status: 200,
    answer: rainDetail,
  },
  load: {
    id: 'loadRain',
    method: 'POST',
    path: `${path}/:rainId/load`,
    tag,
    summary: 'Preallocate the packets. Continues where an earlier load stopped.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ state: shownState, packets: count }),
  },
  pause: {
    id: 'pauseRain',
    method: 'POST',
    path: `${path}/:rainId/pause`,
    tag,
    summary: 'Stop granting. The closing time does not change.',
    access: 'operator',
    params,
    status: 200,
    answer: transitioned,
  },
  resume: {
    id: 'resumeRain',
    method: 'POST',
    path: `${path}/:rainId/resume`,
    tag,
    summary: 'Grant again after a pause.',
    access: 'operator',
    params,
    status: 200,
    answer: transitioned,
  },
  close: {
    id: 'closeRain',
    method: 'POST',
    path: `${path}/:rainId/close`,
    tag,
    summary: 'End the rain now. It cannot be reopened.',
    access: 'operator',
    params,
    status: 200,
    answer: transitioned,
  },
  start: {
    id: 'startRain',
    method: 'POST',
    path: `${path}/:rainId/start`,
    tag,
    summary: 'Start a loaded rain now. Its duration does not change.',
    access: 'operator',
    params,
    body: z
      .strictObject({
        inMs: z
          .number('expected milliseconds')
          .optional()
          .describe('Countdown before the start, ms. Every screen shows it.'),
      })
      .nullish(),
    status: 200,
    answer: moved,
  },
  schedule: {
    id: 'scheduleRain',
    method: 'POST',
    path: `${path}/:rainId/schedule`,
    tag,
    summary: 'Reschedule a rain that has not opened.',
    access: 'operator',
    params,
    body: z.strictObject({
      opensAt: z.number('expected epoch milliseconds'),
      closesAt: z.number('expected epoch milliseconds'),
    }),
    status: 200,
    answer: moved,
  },
  topUp: {
    id: 'topUpRain',
    method: 'POST',
    path: `${path}/:rainId/top-up`,
    tag,
    summary: 'Add money and packets. Also possible while the rain runs.',
    access: 'operator',
    params,
    body: addition,
    status: 200,
    answer: added,
  },
  tickets: {
    id: 'setTickets',
    method: 'POST',
    path: `${path}/:rainId/tickets`,
    tag,
    summary: 'Require tickets or a proof of work, even while the rain runs.',
    access: 'operator',
    params,
    body: requestedTicketRules,
    status: 200,
    answer: ticketRulesAnswer,
  },
  recycle: {
    id: 'recycleRain',
    method: 'POST',
    path: `${path}/:rainId/recycle`,
    tag,
    summary: 'Settle an ended rain now, or report what is still outstanding.',
    access: 'operator',
    params,
    status: 200,
    answer: z.object({ state, amount: money.describe('The amount that was returned.') }),
  },
  audit: {
    id: 'auditRain',
    method: 'GET',
    path: `${path}/:rainId/audit`,
    tag,
    summary: 'Run the audit: check the money equation now.',
    access: 'viewer',
    params,
    status: 200,
    answer: audit,
  },
  verify: {
    id: 'verifyRain',
    method: 'GET',
    path: `${path}/:rainId/verify`,
    tag,
    summary: 'Verify a settled rain against its commitment.',
    access: 'viewer',
    params,
    status: 200,
    answer: verdict,
  },
} satisfies Record<string, Endpoint>;
