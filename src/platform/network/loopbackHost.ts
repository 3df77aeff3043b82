const LOOPBACK = /^(?:localhost|127\.|\[::1\])/;

/** Whether other devices cannot reach it. @param host of an address, perhaps with port and path */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host);
}
