import { createSecretKey } from 'node:crypto';
import { SignJWT } from 'jose';

/** The gateway knows the user by this token alone; an hour is how long a stolen one is worth something. */
export function openTokens(secret) {
  const key = createSecretKey(secret, 'utf8');
  return (userId) =>
    new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject(userId).setExpirationTime('1h').sign(key);
}
