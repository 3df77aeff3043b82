import { ask } from './asker.ts';
import { upgradeStatus } from './raw.ts';
import type { Scene } from './scene.ts';

/** The answers of the players' doors to a token: the upgrade, a sale over HTTP, and the wallet at the console. */
export const ALL_SHUT = '401 401 401';
export const ALL_OPEN = '101 200 200';

export async function tryDoors(
  { gateway, console: consoleServer }: Scene,
  saleId: string,
  token: string,
  from: string,
): Promise<string> {
  return [
    ...(await tryGateway(gateway.port, saleId, token, from)),
    await walletStatus(consoleServer.port, token, from),
  ].join(' ');
}

/** The same for a gateway with other keys than the console. */
export async function tryGateway(port: number, saleId: string, token: string, from: string): Promise<number[]> {
  const overHttp = ask(port, `/v1/sales/${saleId}`, { headers: { authorization: `Bearer ${token}` }, from });
  return [await upgradeStatus(port, token, { from }), (await overHttp).status];
}

async function walletStatus(port: number, token: string, from: string): Promise<number> {
  return (await ask(port, '/api/me', { headers: { authorization: `Bearer ${token}` }, from })).status;
}
