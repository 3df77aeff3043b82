import { openApp } from './app.js';
import { openJournal } from './journal.js';
import { openShop } from './shop.js';

const need = (name) => process.env[name] ?? fail(`${name}: expected a value, see README.md`);
const secret = (name) => (need(name).length >= 32 ? need(name) : fail(`${name}: expected 32 characters or more`));
function fail(reason) {
  console.error(reason);
  process.exit(2);
}

const settings = {
  users: need('SHOP_USERS'),
  gatewayUrl: need('GATEWAY_URL'),
  consoleUrl: need('CONSOLE_URL'),
  jwtSecret: secret('JWT_SECRET'),
  walletSecret: secret('WEBHOOK_SECRET'),
  orderSecret: secret('ORDER_WEBHOOK_SECRET'),
};
const shop = openShop();
const journal = await openJournal(process.env.SHOP_JOURNAL ?? 'shop.jsonl', shop.apply);
const server = openApp(shop, journal, settings).listen(Number(process.env.PORT ?? 3000), '127.0.0.1', (error) => {
  if (error) fail(`PORT: ${error.message}`);
  console.log(`the shop is at http://127.0.0.1:${server.address().port}`);
});
