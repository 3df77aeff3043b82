import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export const SECRET = 'a-secret-between-test-and-wallet-0123456789';

/** The example code of docs/reference/webhook.md for wallet developers. */
type Verify = (
  secret: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  now?: number,
) => boolean;
type Paid = Pick<ToldClaim, 'userId' | 'amount'> & { before: boolean };
type AnswerTo = (body: Buffer, pay: (claim: ToldClaim) => Promise<Paid>) => Promise<{ status: number; body: object }>;
const page = readFileSync(new URL('../../docs/reference/webhook.md', import.meta.url), 'utf8');
const code = [...page.matchAll(/```js\n([^]*?)```/g)].map(([, block]) => block).join('\n');
const example = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
  verify: Verify;
  answer: AnswerTo;
};
export const { verify } = example;

export interface ToldClaim {
  claimId: string;
  rainId: string;
  redPacketId: string;
  userId: string;
  amount: string;
  at: string;
}

/**
 * How the wallet treats one request. All that have `pay` in their name have paid, once per claim id, before they
 * misbehave. Behaviours with `lie` say "paid" and have not: they give no receipt, or one for another amount. An answer
 * that is cut has not paid either.
 */
export type Behaviour =
  | 'pay'
  | 'payBefore'
  | 'payThenHang'
  | 'payThenClose'
  | 'payThenCut'
  | 'payThenHuge'
  | 'payThenNonsense'
  | 'payThenSlow'
  | 'payAlready'
  | 'hang'
  | 'close'
  | 'garbage'
  | 'redirect'
  | 'others'
  | 'retry'
  | 'refuse'
  | 'lie'
  | 'lieAboutAmount'
  | 'lieAlready'
  | 'echo'
  | 'refuseThenCut'
  | 'receiptThenCut'
  | { payAndWaitFor: Promise<unknown>; status?: never }
  | { status: number; headers?: Record<string, string>; body?: string };

export interface Wallet {
  url: string;
  /**
   * The next requests that hold this packet meet these, in order, and then good manners; the last one stays when
   * `always`.
   */
  plan(redPacketId: string, behaviours: Behaviour[], always?: boolean): void;
  /** Its payments, by claim id; once each, as the contract says. */
  paid: Map<string, ToldClaim>;
  /** Its payment for this packet; one that was paid under two claim ids throws. */
  paymentOf(redPacketId: string): ToldClaim | undefined;
  /** Every request that proved itself. */
  asked: { key: string; packets: string[]; at: number }[];
  asksOf(redPacketId: string): number;
  /**
   * Requests under way at once, at most; those that did not prove themselves; those that followed a redirect; and
   * packets that were asked for another user or amount than before, or under another id, which an honest caller never
   * does.
   */
  seen: { atOnceMax: number; unsigned: number; elsewhere: number; rivals: number };
  stop(): Promise<void>;
}

type NamedBehaviour = Extract<Behaviour, string>;

/** A call of the wallet, and how it is answered. */
interface Asked {
  claims: readonly ToldClaim[];
  single: boolean;
  response: ServerResponse;
  answer(results: unknown[], receipts?: unknown[]): string;
  each(status: string, reason: string): string;
}

/**
 * A wallet that remembers its payments and can misbehave in every other way. A real server on a free port.
 * @param onePerUser it pays a user once in a rain, as docs/reference/webhook.md asks for, whatever the claim ids are
 */
export async function startWallet({ onePerUser = false } = {}): Promise<Wallet> {
  const plans = new Map<string, { behaviours: Behaviour[]; always: boolean }>();
  const paid: Wallet['paid'] = new Map();
  const asked: Wallet['asked'] = [];
  const seen = { atOnceMax: 0, unsigned: 0, elsewhere: 0, rivals: 0 };
  const known = new Map<string, string>();
  const over = new AbortController();
  let under = 0;

  function next(claims: readonly ToldClaim[]): Behaviour {
    const plan = claims
      .map(({ redPacketId }) => plans.get(redPacketId))
      .find((found) => found && found.behaviours.length > 0);
    if (!plan) return 'pay';
    return plan.always && plan.behaviours.length === 1 ? plan.behaviours[0]! : plan.behaviours.shift()!;
  }

  const payOne = (claim: ToldClaim): Paid => {
    const before =
      paid.get(claim.claimId) ??
      (onePerUser
        ? [...paid.values()].find(({ rainId, userId }) => rainId === claim.rainId && userId === claim.userId)
        : undefined);
    if (!before) paid.set(claim.claimId, claim);
    const { userId, amount } = before ?? claim;
    return { userId, amount, before: before !== undefined };
  };
  const pay = (claims: readonly ToldClaim[]) =>
    claims.map((claim) => {
      const { before, ...payment } = payOne(claim);
      return before
        ? { claimId: claim.claimId, status: 'already', ...payment }
        : { claimId: claim.claimId, status: 'done' };
    });
  const alreadyOf = ({ claimId, userId, amount }: ToldClaim) => ({ claimId, status: 'already', userId, amount });
  const receiptsOf = (claims: readonly ToldClaim[]) =>
    claims.flatMap(({ claimId: id }) => (paid.has(id) ? [{ id, amount: paid.get(id)!.amount }] : []));

  const acts: Record<NamedBehaviour, (ask: Asked) => Promise<void> | void> = {
    pay: async ({ claims, single, response }) => {
      const { status, body } = await example.answer(
        Buffer.from(JSON.stringify(single ? claims[0] : { claims })),
        async (claim) => payOne(claim),
      );
      return void response.writeHead(status).end(JSON.stringify(body));
    },
    payBefore: ({ claims, response }) => {
      pay(claims);
      const [{ claimId, userId, amount } = claims[0]!] = [paid.get(claims[0]!.claimId)];
      return void response.writeHead(409).end(JSON.stringify({ claimId, userId, amount }));
    },
    // In the single form with a receipt in the header.
    payAlready: ({ claims, single, response, answer }) => {
      pay(claims);
      const [{ claimId, amount } = claims[0]!] = [paid.get(claims[0]!.claimId)];
      if (single) return void response.writeHead(204, { 'rain-receipt': `${claimId} ${amount}` }).end();
      return void response.end(
        answer(
          claims.map((claim) => alreadyOf(paid.get(claim.claimId)!)),
          [],
        ),
      );
    },
    lie: ({ claims, response, answer }) =>
      void response.end(
        answer(
          claims.map(({ claimId }) => ({ claimId, status: 'done' })),
          [],
        ),
      ),
    lieAboutAmount: ({ claims, response, answer }) =>
      void response.writeHead(200, { 'rain-receipt': `${claims[0]!.claimId} 99.99` }).end(
        answer(
          claims.map(({ claimId }) => ({ claimId, status: 'done' })),
          claims.map(({ claimId: id }) => ({ id, amount: '99.99' })),
        ),
      ),
    lieAlready: ({ claims, single, response, answer }) =>
      void (single
        ? response.writeHead(409).end('{}')
        : response.end(
            answer(
              claims.map(({ claimId }) => ({ claimId, status: 'already' })),
              [],
            ),
          )),
    refuseThenCut: (ask) => cut(ask, 404),
    receiptThenCut: (ask) => cut(ask, 200),
    echo: ({ claims, single, response }) =>
      void response.end(
        JSON.stringify(single ? claims[0] : { claims, results: claims.map((claim) => ({ ...claim, status: 'done' })) }),
      ),
    payThenHang: ({ claims }) => {
      pay(claims);
    },
    payThenClose: ({ claims, response }) => {
      pay(claims);
      return void response.socket!.destroy();
    },
    payThenCut: async ({ claims, response, answer }) => {
      const text = answer(pay(claims));
      response.writeHead(200, { 'content-length': text.length }).write(text.slice(0, text.length / 2));
      await sleep(20);
      return void response.socket!.destroy();
    },
    payThenHuge: async ({ claims, response }) => {
      pay(claims);
      while (!response.destroyed && !over.signal.aborted) {
        response.write('x'.repeat(65_536));
        await sleep(1);
      }
    },
    payThenNonsense: ({ claims, response }) => {
      pay(claims);
      return void response.end('{"results":[{"claimId":');
    },
    payThenSlow: async ({ claims, response, answer }) => {
      const text = answer(pay(claims));
      await sleep(400, undefined, { signal: over.signal }).catch(() => {});
      return void response.end(text);
    },
    hang: () => {},
    close: ({ response }) => void response.socket!.destroy(),
    garbage: ({ response }) => void response.socket!.end('no HTTP at all\r\n\r\n'),
    redirect: ({ response }) => void response.writeHead(302, { location: `${url}/elsewhere` }).end(),
    others: ({ claims, response, answer }) =>
      void response.end(
        answer([{ claimId: 'somebody-else', status: 'done' }, 7, { claimId: claims[0]!.claimId, status: 'perhaps' }]),
      ),
    retry: ({ response, each }) => void response.end(each('retry', 'later')),
    refuse: ({ response, each }) => void response.end(each('refused', 'account\nclosed')),
  };

  async function cut({ claims, response }: Asked, status: number): Promise<void> {
    response
      .writeHead(status, {
        'content-length': 99,
        'rain-receipt': `${claims[0]!.claimId} ${claims[0]!.amount}`,
      })
      .write('{');
    await sleep(20);
    response.socket!.destroy();
  }

  async function behave(
    behaviour: Behaviour,
    claims: readonly ToldClaim[],
    single: boolean,
    response: ServerResponse,
  ): Promise<void> {
    const answer = (results: unknown[], receipts: unknown[] = receiptsOf(claims)) =>
      JSON.stringify(single ? { receipts } : { results, receipts });
    const each = (status: string, reason: string) => answer(claims.map(({ claimId }) => ({ claimId, status, reason })));
    if (typeof behaviour === 'object' && 'payAndWaitFor' in behaviour) {
      const text = answer(pay(claims));
      await behaviour.payAndWaitFor;
      return void response.end(text);
    }
    if (typeof behaviour === 'object')
      return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body ?? '');
    await acts[behaviour]({ claims, single, response, answer, each });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    if (request.url !== '/') return void (seen.elsewhere++, response.end());
    if (!verify(SECRET, request.headers, body)) return void (seen.unsigned++, response.writeHead(401).end());
    const told = JSON.parse(body.toString()) as ToldClaim | { claims: ToldClaim[] };
    const claims = 'claims' in told ? told.claims : [told];
    asked.push({
      key: String(request.headers['idempotency-key']),
      packets: claims.map(({ redPacketId }) => redPacketId),
      at: performance.now(),
    });
    for (const claim of claims) {
      const text = JSON.stringify(claim);
      if ((known.get(claim.redPacketId) ?? text) !== text) seen.rivals++;
      known.set(claim.redPacketId, text);
    }
    seen.atOnceMax = Math.max(seen.atOnceMax, ++under);
    await sleep(5);
    under--;
    await behave(next(claims), claims, !('claims' in told), response);
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    paid,
    asked,
    seen,
    plan: (redPacketId, behaviours, always = false) =>
      void plans.set(redPacketId, { behaviours: [...behaviours], always }),
    paymentOf(redPacketId) {
      const payments = [...paid.values()].filter((payment) => payment.redPacketId === redPacketId);
      if (payments.length > 1)
        throw new Error(`${redPacketId} was paid under ${payments.map(({ claimId }) => claimId).join(' and ')}`);
      return payments[0];
    },
    asksOf: (redPacketId) => asked.filter(({ packets }) => packets.includes(redPacketId)).length,
    async stop() {
      over.abort();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
