import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerBucket } from '../ratelimit/tokenBuckets.ts';
import type { HttpCaller } from './callers.ts';

/** A request of a verified caller, who may ask it now. Its body is not read yet. */
export interface HttpAsk {
  readonly caller: HttpCaller;
  readonly address: CallerBucket;
  /** The sale, or the sale of the order. */
  readonly saleId: string;
  /** The number of the order within its sale; 0: it is about the sale. */
  readonly ordinal: number;
  readonly query: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}
