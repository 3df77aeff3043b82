import { createSigner } from '../../src/store/signer.ts';

/** SIGNING_SECRET of everything that tests start. */
export const SIGNING_SECRET = 'a-signing-secret-for-tests-only-0123456789';
export const signer = createSigner(SIGNING_SECRET);
