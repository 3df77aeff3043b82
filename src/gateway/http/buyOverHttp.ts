import { encode } from '../../protocol/codec.ts';
import { decodeBuyBody } from '../../protocol/http.ts';
import { REF_EXPECTED, REF_FORM } from '../../sale/purchase.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { buy } from '../sales/buy.ts';
import type { HttpAsk } from './ask.ts';
import { readBody } from './body.ts';
import { HttpReply, KEY_HEADER } from './httpReply.ts';
import { respond } from './respond.ts';

/** A purchase: the same steps decide it, in the same batches, as one over a socket. */
export function buyOverHttp(context: HandlerContext, { caller, saleId, request, response }: HttpAsk): void {
  const reply = new HttpReply(response);
  const ref = request.headers[KEY_HEADER.toLowerCase()];
  // Node joins repeated headers by a comma, which no key contains.
  if (ref !== undefined && !(typeof ref === 'string' && REF_FORM.test(ref)))
    return reply.refuse({ field: 'ref', reason: `${REF_EXPECTED}, once` });
  readBody(request, (text) => {
    const body = decodeBuyBody(text);
    if (!body.ok) return respond(response, 400, encode(body.error));
    const { sku, quantity, ticket } = body.value;
    buy(context, caller, { type: 'buy', saleId, sku, quantity, ref, ticket }, reply);
  });
}
