/** How an order ends. */
export const ENDS = new Set(['cancelled', 'timed_out', 'failed', 'refunded']);

/**
 * What the shop knows: who has how much, and who has ordered what. It changes by events only, and is the same after
 * each replay of them.
 */
export function openShop() {
  /** User → cents. */
  const balances = new Map();
  /** Claim id → what was paid for it, and to whom. */
  const paid = new Map();
  /** Rain and user → the same: a user is paid once in a rain, whatever the claim ids are. */
  const paidIn = new Map();
  const orders = new Map();
  const add = (userId, cents) => balances.set(userId, (balances.get(userId) ?? 0n) + cents);
  const inRain = (rainId, userId) => JSON.stringify([rainId, userId]);

  const changes = {
    credited({ claimId, rainId, userId, amount }) {
      const payment = { claimId, userId, amount };
      paid.set(claimId, payment);
      paidIn.set(inRain(rainId, userId), payment);
      add(userId, centsOf(amount));
    },
    ordered: ({ order }) => orders.set(order.orderId, { ...order, status: 'open' }),
    /** The buyer has paid from the wallet; whether in time, the console decides. */
    debited({ orderId }) {
      const order = orders.get(orderId);
      order.status = 'debited';
      add(order.userId, -centsOf(order.amount));
    },
    confirmed({ orderId }) {
      orders.get(orderId).status = 'paid';
    },
    /** Final. What was debited goes back, once, since an order ends once. */
    ended({ orderId, status }) {
      const order = orders.get(orderId) ?? { orderId };
      if (order.status === 'debited' || order.status === 'paid') add(order.userId, centsOf(order.amount));
      orders.set(orderId, { ...order, status });
    },
  };
  return {
    apply: (event) => changes[event.type](event),
    paymentOf: ({ claimId, rainId, userId }) => paid.get(claimId) ?? paidIn.get(inRain(rainId, userId)),
    balanceOf: (userId) => balances.get(userId) ?? 0n,
    order: (orderId) => orders.get(orderId),
    ordersOf: (userId) => [...orders.values()].filter((order) => order.userId === userId),
    /** Orders of which the console has not confirmed the payment yet. */
    unreported: () => [...orders.values()].filter(({ status }) => status === 'debited'),
  };
}

const AMOUNT = /^(0|[1-9]\d{0,13})\.\d\d$/;

/** Money is counted in whole cents; a float would lose some. */
export const isAmount = (text) => AMOUNT.test(text);
export const centsOf = (amount) => BigInt(amount.replace('.', ''));
export const amountOf = (cents) => String(cents).padStart(3, '0').replace(/(..)$/, '.$1');
