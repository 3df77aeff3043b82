import { optionalPackages } from '../process/optionalPackage.ts';

/** PGlite and what serves it. @throws PackageMissing */
export async function importPglite() {
  const [{ PGlite }, { PGLiteSocketServer }, { SharedSession }] = await optionalPackages(
    'the embedded database (without DATABASE_URL)',
    ['@electric-sql/pglite', '@electric-sql/pglite-socket'],
    () =>
      Promise.all([
        import('@electric-sql/pglite'),
        import('@electric-sql/pglite-socket'),
        import('./sharedSession.ts'),
      ]),
  );
  return { PGlite, PGLiteSocketServer, SharedSession };
}
