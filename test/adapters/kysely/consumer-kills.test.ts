import { test } from 'node:test';
import { surviveKills } from './consumer-kills.ts';

// Each kill is a process that starts, loads the sources, and works for a tenth of a second. Of thirty, some are killed while they begin and
// some in each part of their work.
const KILLS = Number(process.env.KILLS ?? 30);

test(`a consumer that is killed ${KILLS} times misses no change`, { timeout: 40 * 60_000 }, () => surviveKills(KILLS));
