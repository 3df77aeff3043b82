import { z } from 'zod';
import { signatureOf } from '../../../src/platform/auth/requestSignature.ts';
import { compiledEntry } from '../../../src/platform/process/childProcess.ts';
import type { OrderStep } from '../../../src/sale/order.ts';
import { SECRET } from '../../credit/wallet.ts';
import type { Shop } from '../../orders/shop.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/freePort.ts';
import { launch, type Deployment } from '../deployment.ts';
import { Part } from '../systemPart.ts';
import type { CallBack } from './shop.ts';

/** The console as a process of its own, always at one address, and a shop that calls it back. */
export interface ShopConsole {
  part: Part;
  /** The orders that the shop has taken; it reports by signed callbacks, each again until the answer is final. */
  callBack: CallBack;
  /** Reports that wait for their answer, and orders whose payment it is to pay back. */
  seen: { underWay: number; payBack: Set<string> };
  /** Unexpected ends of the console, and answers that no shop should get, since the last call. */
  accidents(): string[];
}

/** Answers after which a shop reports no more, and those after which it reports again. */
const FINAL: ReadonlySet<number> = new Set([200, 409]);
const AGAIN: ReadonlySet<number> = new Set([425, 429, 503]);
/** Longer than the console takes to answer. */
const ANSWER_MS_MAX = 6_000;

interface Answer {
  code: number;
  /** It has a `status`, too: that of the order. */
  said: { outcome?: 'done' | 'was'; code?: string };
}

export async function startShopConsole(
  { env, context: { ledger } }: Pick<Deployment, 'env' | 'context'>,
  { taken }: Pick<Shop, 'taken'>,
): Promise<ShopConsole> {
  const accidents: string[] = [];
  const seen: ShopConsole['seen'] = { underWay: 0, payBack: new Set() };
  const port = await freePort();
  const part = new Part(
    'console',
    () =>
      launch({
        name: 'console',
        entry: compiledEntry('bin/rain.js'),
        args: ['console'],
        facts: z.object({}),
        logs: env['RAIN_HOME']!,
        env: { ...env, CONSOLE_HOST: '127.0.0.1', CONSOLE_PORT: String(port) },
      }),
    (sentence) => accidents.push(sentence),
  );
  await part.start();

  async function report(orderId: string, status: OrderStep): Promise<Answer> {
    const [at, body] = [String(Date.now()), JSON.stringify({ orderId, status })];
    seen.underWay++;
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/api/shop/orders/${orderId}`, {
        method: 'POST',
        body,
        signal: AbortSignal.timeout(ANSWER_MS_MAX),
        headers: {
          'content-type': 'application/json',
          'rain-timestamp': at,
          'rain-signature': signatureOf(SECRET, at, body),
        },
      });
      return { code: answer.status, said: (await answer.json()) as Answer['said'] };
    } finally {
      seen.underWay--;
    }
  }

  return {
    part,
    seen,
    accidents: () => accidents.splice(0),
    callBack: {
      orders: async (query, limit) => (await ledger.orders(query, limit)).filter(({ id }) => taken.has(id)),
      async stepOrder(orderId, step) {
        const { code, said } = await eventually(
          async () => {
            const answer = await report(orderId, step);
            if (!FINAL.has(answer.code) && !AGAIN.has(answer.code))
              accidents.push(`"${step}" of ${orderId} was answered ${answer.code} ${JSON.stringify(answer.said)}`);
            return FINAL.has(answer.code) && answer;
          },
          { everyMs: 100 },
        );
        if (said.code === 'pay_back') seen.payBack.add(orderId);
        return { outcome: code === 200 ? said.outcome! : 'refused', order: (await ledger.order(orderId))! };
      },
    },
  };
}
