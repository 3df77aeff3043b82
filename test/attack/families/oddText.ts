import { SECRET } from '../../support/client.ts';
import { ask } from '../asker.ts';
import { ALL_OPEN, ALL_SHUT, tryDoors } from '../doors.ts';
import type { Family } from '../family.ts';
import { claims, HS256, hmac, jwt } from '../jwt.ts';

/** NUL, which no text of the ledger can hold, and signed JSON that two readers understand differently. */
export const oddText: Family = {
  name: 'odd text',
  async attack(scene, attempts) {
    const { port } = scene.console;
    const from = scene.address();
    const headers = { authorization: `Bearer ${scene.staff.operator.token}` };
    const typed: [string, string, unknown?][] = [
      ['GET', '/api/console/actions?actor=a%00b'],
      ['GET', '/api/console/participants?search=%00'],
      ['GET', '/api/console/sales/none/orders?user=%00'],
      ['GET', '/api/console/dead/orders?user=a%00'],
      ['POST', '/api/console/users/export', { id: 'a\0' }],
      ['POST', '/api/console/participants/renew', { number: 'a\0b' }],
      ['DELETE', '/api/console/blocks/user/a%00b'],
    ];
    for (const [method, path, body] of typed)
      attempts.refused(
        `a NUL: ${method} ${path}`,
        (await ask(port, path, { method, headers, from, ...(body !== undefined && { body }) })).status,
        400,
      );
    for (const path of ['/api/theme?rain=%00', '/api/rains/a%00/luckiest'])
      attempts.refused(`a NUL of a player: ${path}`, (await ask(port, path, { from })).status, 400);
    attempts.control(
      'a search without it',
      (await ask(port, '/api/console/participants?search=a', { headers, from })).status,
      200,
    );

    const sale = await scene.sale();
    const { iat, exp } = claims() as { iat: number; exp: number };
    const token = (head: unknown, payload: string) => jwt(head, payload, hmac(SECRET));
    const twice: [string, string][] = [
      ['two users', token(HS256, `{"sub":"ann","sub":"bob","iat":${iat},"exp":${exp}}`)],
      ['two users, one escaped', token(HS256, `{"sub":"ann","s\\u0075b":"bob","iat":${iat},"exp":${exp}}`)],
      ['two ends', token(HS256, `{"sub":"ann","iat":${iat},"exp":1,"exp":${exp}}`)],
      ['two algorithms', token('{"alg":"none","alg":"HS256","typ":"JWT"}', `{"sub":"ann","iat":${iat},"exp":${exp}}`)],
    ];
    for (const [what, forged] of twice)
      attempts.refused(`a signed token with ${what}`, await tryDoors(scene, sale, forged, scene.address()), ALL_SHUT);
    const good = token(HS256, `{"sub":"ann","iat":${iat},"exp":${exp}}`);
    attempts.control('a signed token with each once', await tryDoors(scene, sale, good, scene.address()), ALL_OPEN);
  },
};
