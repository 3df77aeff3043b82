/** A request: the path, its method, and the id and the query in it. */
export interface Route {
  readonly kind: 'buy' | 'ticket' | 'sale' | 'order';
  readonly method: 'GET' | 'POST';
  /** The id of the sale or the order, as it is written there. */
  readonly id: string;
  readonly query: string;
}

const PATH = /^\/v1\/(?:sales\/([^/?]+)(?:\/(buy|ticket))?|orders\/([^/?]+))(?:\?(.*))?$/;

/** @returns undefined: there is nothing at this address */
export function routeOf(url: string): Route | undefined {
  const [, sale, step, order, query = ''] = PATH.exec(url) ?? [];
  if (sale !== undefined)
    return {
      kind: (step as 'buy' | 'ticket' | undefined) ?? 'sale',
      method: step === undefined ? 'GET' : 'POST',
      id: sale,
      query,
    };
  return order === undefined ? undefined : { kind: 'order', method: 'GET', id: order, query };
}
