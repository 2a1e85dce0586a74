/**
 * Plays eight virtual hours of a network in process, and checks that nothing grows: heap after collection, handles, rows of every kind.
 * Prints a line per virtual half hour, and exits with 1 if something grows. An hour by default:
 *
 *     npm run soak -- --minutes 10 --store sqlite --rounds 2
 */
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openApp } from '../test/support/app.ts';
import { growthIn, SOAKED, soak } from '../test/support/soak.ts';

const { values } = parseArgs({
  options: {
    /** Real time. */
    minutes: { type: 'string', default: '60' },
    /** Virtual time. */
    hours: { type: 'string', default: '8' },
    store: { type: 'string', default: 'sqlite' },
    /** How often the work of a virtual minute is done. */
    rounds: { type: 'string', default: '2' },
  },
});
const minutes = Number(values.hours) * 60;
const paceMs = (Number(values.minutes) * 60_000) / minutes;
const BOUNDED = ['change', 'apiSession', 'session', 'identity', 'enrollment', 'authenticator'];

await using app = await openApp(values.store, { settings: SOAKED });
console.log(
  `| virtual minute | heap, MiB | handles | ${BOUNDED.join(' | ')} | all rows |\n|---:|---:|---:|${'---:|'.repeat(BOUNDED.length + 1)}`,
);
const started = performance.now();
const measurements = await soak(app, {
  minutes,
  every: 30,
  rounds: Number(values.rounds),
  pause: (minute) => delay(Math.max(0, started + minute * paceMs - performance.now())).then(() => undefined),
  measured: (minute, { heap, handles, rows }) => {
    const all = Object.values(rows).reduce((sum, count) => sum + count, 0);
    console.log(`| ${minute} | ${(heap / 2 ** 20).toFixed(1)} | ${handles} | ${BOUNDED.map((kind) => rows[kind]).join(' | ')} | ${all} |`);
  },
});
const growing = growthIn(measurements);
console.log(growing.length === 0 ? 'nothing grows' : `these grow: ${growing.join(', ')}`);
process.exitCode = growing.length === 0 ? 0 : 1;
