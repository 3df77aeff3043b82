import type { CarriedLog } from '../relay/carriedLog.ts';
import { createLogRelay, type RelayOptions } from '../relay/logRelay.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { liveSales } from '../store/sales.ts';
import { orderJobId, type OrderJob } from './job.ts';

/** The reservation log of a sale. */
export function reservationLogOf(saleId: string): CarriedLog<OrderJob> {
  const { reservations, relayed, state, lease } = saleKeys(saleId);
  return {
    label: { saleId },
    keys: { log: reservations, relayed, state, lease },
    toJob: (from, entries) => ({ saleId, from, entries }),
    jobId: orderJobId,
  };
}

/** The relay of reservations: the log of every live sale → the queue `orders`. */
export function createOrderRelay(options: RelayOptions<OrderJob>) {
  const live = async () => [...(await liveSales(options.redis)).keys()].map(reservationLogOf);
  const { resend, ...relay } = createLogRelay({ entries: 'reservations', live }, options);
  return { ...relay, resend: (saleId: string, from: number, to: number) => resend(reservationLogOf(saleId), from, to) };
}
