export { freePort } from '../../src/platform/embedded/freePort.ts';
