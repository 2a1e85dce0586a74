/** The test files, and which of them belong to which suite. */
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { LONG } from './long-tests.ts';

export const root = resolve(import.meta.dirname, '..');

/** Tests that often start the server as a process. Of these, only `server.test.ts` is a short test. */
export const OF_SERVERS = /^test\/examples\/(?!server\.test)/;

/** Tests that can share a process. The exceptions observe their process or its event loop, or count the steps of all that it has loaded. */
const IS_ISOLATED =
  /^test\/(unit\/(?!query\/parse-properties)|contract|scenarios|console|adoption|adapters\/(http|memory|observability|routers)|security\/(?!bodies-in-tiny-chunks|fat-certificate-chains|floods-of-logins|folder-modes|frames-of-routers|metrics-for-another-host|outbound-to-loopback|strangers-fill-no-memory|withdrawn-keys))/;

/** Those of the project: folders of packages below `test/` have tests of their own. */
export const testFiles: readonly string[] = globSync('test/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).map((file) =>
  file.replaceAll('\\', '/'),
);

/** Tests that a contributor waits for: units, scenarios, rights, and what holds for the tree and for its texts as a whole. */
const IS_SHORT =
  /^test\/([^/]+\.test\.ts|docs\/(addresses|glossary|identifiers|links|security|wording)|unit\/|scenarios\/|security\/(rights|permissions|scoped-permissions|what-parts-may-do))/;

/** Of these, tests that take five seconds or more. */
const IS_SLOW =
  /^test\/(scenarios\/(adopted-authority|audit-secrets|authority-rotation|console|lost-updates|mutated-snapshots|read-cache-answers|reseal|role-index)|security\/rights-over-entities|unit\/domain\/catalogue\/configs\/hostile|unit\/platform\/password-hashers)\.test\.ts$/;

export const isLong = (file: string): boolean => LONG.includes(file) || OF_SERVERS.test(file);
export const isShared = (file: string): boolean => IS_ISOLATED.test(file) && !isLong(file);
export const isShort = (file: string): boolean => IS_SHORT.test(file) && !IS_SLOW.test(file) && !isLong(file);
/** True if no test of a file runs without PostgreSQL. */
export const needsPostgres = (file: string): boolean => /\/postgres[^/]*\.test\.ts$/.test(file);
