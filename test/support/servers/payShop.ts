import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * A shop to which buyers post `{"reservationId"}`.
 * @param pay gives the HTTP status of the answer
 * @returns where to pay
 */
export async function openPayShop(pay: (reservationId: string) => number | Promise<number>): Promise<string> {
  const shop = createServer(
    (request, response) =>
      void json(request)
        .then((body) => pay((body as { reservationId: string }).reservationId))
        .then((status) => response.writeHead(status).end('{}')),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => {
    shop.closeAllConnections();
    shop.close();
  });
  await once(shop, 'listening');
  return `http://127.0.0.1:${(shop.address() as AddressInfo).port}/pay`;
}
