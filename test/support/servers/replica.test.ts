import { expect, test } from 'vitest';
import { expectInStep } from './replica.ts';

const info = (slave: string) => `role:master\r\nconnected_slaves:1\r\nslave0:ip=127.0.0.1,port=7000,${slave},lag=0\r\nmaster_repl_offset:153\r\n`;

test('a replica that is online and has acknowledged nothing yet was taken for one in step, and was empty as a master', () => {
  expect(() => expectInStep(info('state=online,offset=0'))).toThrow('not in step');
  expect(() => expectInStep(info('state=send_bulk,offset=153'))).toThrow('not in step');
  expect(() => expectInStep('role:master\r\nconnected_slaves:0\r\nmaster_repl_offset:153\r\n')).toThrow('not in step');
  expectInStep(info('state=online,offset=153'));
});
