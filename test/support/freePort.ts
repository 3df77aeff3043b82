export { freePort } from '../../src/runtime/embedded/freePort.ts';
