import { expect, test } from 'vitest';
import { parseRedisUrl, redactUrl } from '../../src/runtime/redis.ts';

test('a single server, with or without TLS and login, is left to the client as it stands', () => {
  for (const url of ['redis://127.0.0.1:6379', 'rediss://user:p%40ss@redis.example:6380/2', 'redis://[::1]:6379']) {
    expect(parseRedisUrl(url)).toEqual({ kind: 'single', url });
  }
});

test('a Sentinel group has nodes, a name, and perhaps a login', () => {
  expect(parseRedisUrl('redis+sentinel://:p%40ss@10.0.0.1:26380,sentinel.example/main')).toEqual({
    kind: 'sentinel', name: 'main', password: 'p@ss', nodes: [{ host: '10.0.0.1', port: 26380 }, { host: 'sentinel.example', port: 26379 }],
  });
});

test('a Cluster is told by some of its nodes', () => {
  expect(parseRedisUrl('redis+cluster://app:secret@10.0.0.1,[fe80::2]:7001')).toEqual({
    kind: 'cluster', username: 'app', password: 'secret', nodes: [{ host: '10.0.0.1', port: 6379 }, { host: 'fe80::2', port: 7001 }],
  });
});

test('[R12] what is no address is refused, not guessed', () => {
  for (const url of ['', 'localhost:6379', 'http://127.0.0.1', 'redis://', 'redis://a b', 'redis+sentinel://10.0.0.1:26379', 'redis+cluster://',
    'redis+cluster://10.0.0.1:x', 'redis+cluster://10.0.0.1,,10.0.0.2', 'redis+ring://10.0.0.1']) {
    expect(parseRedisUrl(url), url).toBeUndefined();
  }
});

test('a password does not reach the log', () => {
  expect(redactUrl('redis://user:secret@127.0.0.1:6379/0')).toBe('redis://127.0.0.1:6379/0');
});
