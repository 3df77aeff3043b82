import { fileURLToPath } from 'node:url';
import express from 'express';
import { openOrders } from './orders.js';
import { openSessions } from './session.js';
import { amountOf } from './shop.js';
import { onlySigned } from './signature.js';
import { openTokens } from './token.js';
import { openWallet } from './wallet.js';

const PAGE = fileURLToPath(new URL('../../h5', import.meta.url));
const CLIENT = fileURLToPath(import.meta.resolve('red-packet-rain-client'));
const BODY_BYTES_MAX = 1 << 20;

export function openApp(shop, journal, settings) {
  const sessions = openSessions(settings.users);
  const tokenFor = openTokens(settings.jwtSecret);
  const wallet = openWallet(shop, journal);
  const orders = openOrders(shop, journal, { consoleUrl: settings.consoleUrl, secret: settings.orderSecret });
  const app = express().disable('x-powered-by');

  // For the workers. The signature is of the bytes, so nothing parses them before.
  const bytes = express.raw({ type: () => true, limit: BODY_BYTES_MAX });
  app.post('/wallet', bytes, onlySigned(settings.walletSecret), async (request, response) => {
    const { status, body } = await wallet(JSON.parse(request.body));
    response.status(status).json(body);
  });
  app.post('/orders', bytes, onlySigned(settings.orderSecret), async (request, response) => {
    response.json(await orders.answer(JSON.parse(request.body)));
  });

  // For the shop's users.
  app.post('/session', express.json(), (request, response) => {
    if (sessions.signIn(response, request.body?.name, request.body?.password)) response.status(204).end();
    else response.status(401).json({ code: 'wrong_password', reason: 'name or password: expected those of a user' });
  });
  const mine = [
    sessions.onlyUsers,
    (_request, response, next) => {
      response.set('cache-control', 'no-store');
      next();
    },
  ];
  app.get('/rain-token', mine, async ({ userId }, response) => {
    response.type('text').send(await tokenFor(userId));
  });
  app.get('/me', mine, ({ userId }, response) => {
    response.json({ userId, balance: amountOf(shop.balanceOf(userId)), orders: shop.ordersOf(userId) });
  });
  app.post('/me/orders/:orderId/pay', mine, async ({ userId, params }, response) => {
    const code = await orders.pay(params.orderId, userId);
    response
      .status(code === undefined ? 200 : 409)
      .json(
        code === undefined
          ? shop.order(params.orderId)
          : { code, reason: `this order cannot be paid: ${code.replaceAll('_', ' ')}` },
      );
  });

  // The page.
  const { origin } = new URL(settings.gatewayUrl);
  app.get('/gateway', (_request, response) => {
    response.type('text').send(settings.gatewayUrl);
  });
  app.get('/client.js', (_request, response) => {
    response.sendFile(CLIENT, { dotfiles: 'allow' });
  });
  app.use((_request, response, next) => {
    response.set(
      'content-security-policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ${origin}; base-uri 'none'; form-action 'self'`,
    );
    next();
  }, express.static(PAGE));

  app.use((error, _request, response, _next) => {
    const status = error.status ?? (error instanceof SyntaxError ? 400 : 500);
    if (status === 500) console.error(error);
    response.status(status).json({
      code: status === 500 ? 'internal' : 'bad_request',
      reason: status === 500 ? 'an error of the shop' : 'the body: expected JSON of at most 1 MiB',
    });
  });
  return app;
}
