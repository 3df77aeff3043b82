import { encode, fieldError } from '../../protocol/codec.ts';
import { decodeQuery, HTTP_REFUSALS, orderQuery } from '../../protocol/http.ts';
import { reservationId } from '../../sale/ids.ts';
import { ORDER_STEPS, type OrderStatus } from '../../sale/order.ts';
import type { HandlerContext } from '../handlers/context.ts';
import type { OrderWait } from '../sales/orderWaits.ts';
import { ownOrder } from '../sales/ownOrder.ts';
import type { HttpAsk } from './ask.ts';
import type { Reads } from './reads.ts';
import { respond } from './respond.ts';

/** The present status of an order of the caller's own; with `wait` the next one, if it comes in time. */
export async function readOrder(context: HandlerContext, reads: Reads, ask: HttpAsk): Promise<void> {
  const query = decodeQuery(orderQuery, ask.query);
  if (!query.ok) return respond(ask.response, 400, encode(query.error));
  const { wait: seconds = 0, status } = query.value;
  // Without a socket of its own the answer waits behind an earlier one on this connection, and nobody would notice that
  // the caller hangs up.
  if (seconds === 0 || ask.response.socket === null) return await reads.run(ask, () => tell(context, reads, ask));
  const wait = openWait(context, reads, ask);
  if (!wait) return;
  const { addresses } = context.rateLimiter;
  const place = addresses.enter(ask.address.name);
  ask.response.once('close', wait.end);
  try {
    const present = await readBeforeWaiting(context, reads, ask, status);
    if (!present) return;
    const told = await wait.until(present.status, seconds * 1_000);
    if (ask.response.closed) return;
    if (context.sales.orderWaits.closed) ask.response.shouldKeepAlive = false;
    if (told !== undefined || context.sales.orderWaits.closed) return respond(ask.response, 200, told ?? present.text);
    // Also when no event came: it may have been lost.
    await reads.run(ask, () => tell(context, reads, ask));
  } finally {
    wait.end();
    addresses.leave(place);
  }
}

/** A waiting request takes a place of its address, as a socket does. @returns undefined: it has been refused */
function openWait(
  { sales: { orderWaits }, rateLimiter: { addresses }, limits }: HandlerContext,
  reads: Reads,
  ask: HttpAsk,
): OrderWait | undefined {
  const { address, caller } = ask;
  const limit =
    addresses.socketsOf(address.name) >= limits.socketsPerAddressMax
      ? 'sockets_per_address'
      : orderWaits.exceeds(caller.userId);
  if (limit) {
    reads.refuse(ask, limit);
    return undefined;
  }
  return orderWaits.open(reservationId(ask.saleId, ask.ordinal), caller.userId);
}

/** @returns undefined: it has been answered, since there is nothing to wait for */
async function readBeforeWaiting(
  context: HandlerContext,
  reads: Reads,
  ask: HttpAsk,
  known: OrderStatus | undefined,
): Promise<{ text: string; status: OrderStatus } | undefined> {
  let waitingFor: { text: string; status: OrderStatus } | undefined;
  await reads.run(ask, async () => {
    const order = await ownOrder(context, ask.caller, ask.saleId, ask.ordinal);
    if (typeof order !== 'string' && order.status === (known ?? order.status) && mayChange(order.status))
      waitingFor = order;
    else answer(reads, ask, order);
  });
  return waitingFor;
}

function mayChange(status: OrderStatus): boolean {
  return (
    status === 'reserved' || Object.values(ORDER_STEPS).some((from: readonly OrderStatus[]) => from.includes(status))
  );
}

async function tell(context: HandlerContext, reads: Reads, ask: HttpAsk): Promise<void> {
  answer(reads, ask, await ownOrder(context, ask.caller, ask.saleId, ask.ordinal));
}

/** The order of somebody else is answered as one that there is not. */
function answer(reads: Reads, ask: HttpAsk, order: Awaited<ReturnType<typeof ownOrder>>): void {
  if (order === 'busy') reads.busy(ask);
  else if (order === 'unknown')
    respond(
      ask.response,
      HTTP_REFUSALS[404].status,
      encode(fieldError({ field: 'reservationId', reason: 'expected the id of a reservation of yours' })),
    );
  else respond(ask.response, 200, order.text);
}
