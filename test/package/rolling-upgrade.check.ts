import { join } from 'node:path';
import { test } from 'node:test';
import { rollingUpgrade } from '../support/rolling-upgrade.ts';
import { install } from './pack.ts';

/**
 * The older release is a package: the one that `PREVIOUS_RELEASE` names (`npm pack overlay-controller@VERSION` fetches it), or this tree as
 * it is packed, for which the sources with a further migration stand in as the next one.
 */
test('the package of the previous release keeps running beside the next one, which migrates its database, until the one after that', (t) =>
  rollingUpgrade(t, join(install(t, [], process.env.PREVIOUS_RELEASE), 'node_modules/overlay-controller/dist/server/main.js')));
