import { resolve } from 'node:path';
import { test } from 'node:test';
import { rollingUpgrade } from '../support/rolling-upgrade.ts';

// The built package, or a published one, does the same in test/package/rolling-upgrade.check.ts.
test('a server of this release keeps running beside the next one, which migrates its database, until the one after that', (t) =>
  rollingUpgrade(t, resolve(import.meta.dirname, '../../server/main.ts')));
