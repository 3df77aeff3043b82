import { HTTP_REFUSALS } from './http.ts';
import { CLOSES, ERRORS, OUTCOMES_IN_ORDER, REFUSALS, type Outcome } from './outcomes.ts';
import { SALE_OUTCOMES_IN_ORDER } from './saleOutcomes.ts';

/** Close codes that the WebSocket library chooses. They carry no reason of ours. */
const LIBRARY_CLOSES = [
  { code: 1002, meaning: 'The frames are not valid WebSocket frames: reserved bits, an unknown opcode, or no mask.' },
  { code: 1007, meaning: 'A text frame is not UTF-8.' },
  { code: 1008, meaning: 'One message was split into more than 64 fragments.' },
];

/** All codes as data, as `rain codes --json` prints them. */
export function codes() {
  return {
    results: OUTCOMES_IN_ORDER,
    orders: SALE_OUTCOMES_IN_ORDER,
    errors: Object.values(ERRORS),
    closes: Object.values(CLOSES),
    refusals: Object.values(REFUSALS),
    requests: Object.values(HTTP_REFUSALS),
  };
}

/** Answers that the HTTP parser or the WebSocket library sends before our code runs. Their bodies are not JSON. */
const PLAIN_REFUSALS = [
  [
    '400',
    'Malformed HTTP, or a WebSocket handshake with a missing or wrong `Sec-WebSocket-Key` or `Sec-WebSocket-Version`',
  ],
  ['405', 'A handshake with another method than GET'],
  ['426', 'A plain HTTP request without `Upgrade`'],
  ['431', 'The request head is longer than 16,384 bytes'],
];

/** All codes as Markdown tables. Results and answers about orders stand in order of precedence. */
export function codesMarkdown(): string {
  const { results, orders, errors, closes, refusals, requests } = codes();
  const rows = (head: readonly string[], body: readonly (readonly (string | number)[])[]) =>
    [head, ...body].map((cells) => `| ${cells.join(' | ')} |`).toSpliced(1, 0, `|${'---|'.repeat(head.length)}`);
  const outcomes = (message: string, all: readonly Outcome[]) =>
    rows(
      [`\`${message}\` code`, 'reason', 'meaning', 'ask again'],
      all.map(({ code, reason, meaning, retry }) => [`\`${code}\``, reason, meaning, retry]),
    );
  return [
    ...outcomes('result', results),
    '',
    ...outcomes('order', orders),
    '',
    ...rows(
      ['`error` code', 'meaning (the message had no effect)'],
      errors.map(({ code, meaning }) => [`\`${code}\``, meaning]),
    ),
    '',
    ...rows(
      ['close code', 'reason', 'meaning', 'reconnect'],
      [
        ...LIBRARY_CLOSES.map(({ code, meaning }) => [code, '(none)', meaning, 'no: fix the client']),
        ...closes.map(({ code, reason, meaning, retry }) => [code, reason, meaning, retry]),
      ].toSorted(([a], [b]) => Number(a) - Number(b)),
    ),
    '',
    ...rows(
      ['HTTP status at the upgrade', 'reason', 'meaning'],
      refusals.map(({ status, reason, meaning }) => [status, reason, meaning]),
    ),
    '',
    ...rows(
      ["HTTP status of a buyer's request", 'reason', 'meaning'],
      requests.map(({ status, reason, meaning }) => [status, reason, meaning]),
    ),
    '',
    ...rows(['HTTP status without a JSON body', 'meaning'], PLAIN_REFUSALS),
  ].join('\n');
}
