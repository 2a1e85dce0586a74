import { test } from 'node:test';
import { surviveKills } from './consumer-kills.ts';

// It starts a hundred processes, one after the other.
test('a consumer that is killed a hundred times misses no change', { timeout: 40 * 60_000 }, () => surviveKills(100));
