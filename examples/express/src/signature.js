import { createHmac, timingSafeEqual } from 'node:crypto';

const WINDOW_MS = 5 * 60_000;

const signatureOf = (secret, timestamp, body) =>
  `v1=${createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')}`;

/** The headers of a request of ours. */
export function signed(secret, body, now = Date.now()) {
  return {
    'content-type': 'application/json',
    'rain-timestamp': String(now),
    'rain-signature': signatureOf(secret, String(now), body),
  };
}

/**
 * Lets only requests pass that are signed with this secret, and not long ago; `request.body` are the bytes as they
 * came.
 */
export const onlySigned = (secret) => (request, response, next) => {
  const timestamp = request.get('rain-timestamp') ?? '';
  const given = Buffer.from(request.get('rain-signature') ?? '');
  const expected = Buffer.from(signatureOf(secret, timestamp, Buffer.isBuffer(request.body) ? request.body : ''));
  const isRecent = /^\d{13}$/.test(timestamp) && Math.abs(Date.now() - Number(timestamp)) <= WINDOW_MS;
  if (isRecent && given.length === expected.length && timingSafeEqual(given, expected)) return next();
  return response.status(401).json({
    code: 'not_signed',
    reason: 'Rain-Timestamp and Rain-Signature: expected those of this body, at most five minutes old',
  });
};
