import { test } from 'node:test';
import { surviveKills } from './consumer-kills.ts';

test('a consumer that is killed again and again misses no change', () => surviveKills(10));
