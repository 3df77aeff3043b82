import { expect, test } from 'vitest';
import { mix } from '../../client-demo/src/colour.ts';

test('a colour is mixed with another one', () => {
  expect([
    mix('#204060', '#ffffff', 0),
    mix('#204060', '#ffffff', 1),
    mix('#204060', '#000000', 0.5),
    mix('#FF0001', '#000000', 0.01),
  ]).toEqual(['#204060', '#ffffff', '#102030', '#fc0001']);
});
