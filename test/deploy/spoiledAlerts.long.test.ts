import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { HAS_PROMTOOL, promtool } from '../support/promtool.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/prometheus/', import.meta.url));

test.runIf(HAS_PROMTOOL).each([
  ['RainDoesNotAddUp', 'min by (rain) (rain_balanced) == 0', 'min by (rain) (rain_balanced) == 2'],
  [
    'RainRelayStalled',
    'sum(increase(rain_relay_carried_claims_total[1m])) == 0',
    'min(increase(rain_relay_carried_claims_total[1m])) == 0',
  ],
  [
    'RainCreditLag',
    'rate(rain_credit_lag_seconds_bucket[5m]))) > 60',
    'rate(rain_credit_lag_seconds_bucket[5m]))) > 600',
  ],
  ['RainClaimWaiting', 'max(rain_oldest_waiting_claim_seconds) > 300', 'min(rain_oldest_waiting_claim_seconds) > 300'],
  ['RainNotReady', 'for: 15s', 'for: 0s'],
])('the examples of the alerts find a spoiled %s', (_alert, right, wrong) => {
  const copy = temporaryFolder();
  cpSync(FOLDER, copy, { recursive: true });
  const text = readFileSync(join(FOLDER, 'alerts.yml'), 'utf8');
  expect(text).toContain(right);
  writeFileSync(join(copy, 'alerts.yml'), text.replace(right, wrong));
  expect(promtool('test', 'rules', join(copy, 'alerts.test.yml'))).toMatchObject({
    exit: 1,
    printed: expect.stringContaining('FAILED'),
  });
});
