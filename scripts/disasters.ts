/**
 * Rehearses disasters: `npm run disasters` all of them, `npm run disasters -- NAME...` some, `--seconds 60` each for 60 s instead of 20.
 * While clients create, change and delete, something breaks; afterwards the controllers must show all that was acknowledged, and the hash
 * chain of the audit log must be whole. Prints a line for each: what happened, how many operations were acknowledged, failed and lost,
 * and the longest time in which none succeeded. Exits with 1 if anything was lost, or a controller did not go on. What a disaster needs,
 * and the machine lacks, is printed instead.
 */
import { parseArgs } from 'node:util';
import { DISASTERS } from './disasters/index.ts';
import { type Outcome, rehearsed } from './disasters/trial.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { seconds: { type: 'string', default: '20' } } });
const seconds = Number(values.seconds);
if (!(seconds > 0)) throw new TypeError(`--seconds ${values.seconds}: a number above 0 was expected`);
const unknown = positionals.filter((name) => !Object.hasOwn(DISASTERS, name));
if (unknown.length > 0) throw new TypeError(`no disaster is named ${unknown.join(', ')}: there are ${Object.keys(DISASTERS).join(', ')}`);

const line = ({ happened, acknowledged, failed, lost, longestSilence, records }: Outcome): string =>
  `${happened}; ${acknowledged} operations acknowledged, ${failed} failed, ${lost} lost; the longest time without success ${(longestSilence / 1000).toFixed(1)} s; ${records} audit records verified`;

for (const [name, disaster] of Object.entries(DISASTERS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  const missing = disaster.missing();
  if (missing) {
    console.log(`- ${name}: not rehearsed: ${missing}`);
    continue;
  }
  try {
    const outcome = await rehearsed(disaster, seconds * 1000);
    console.log(`${outcome.lost === 0 ? '✔' : '✘'} ${name}: ${line(outcome)}`);
    if (outcome.lost > 0) process.exitCode = 1;
  } catch (error) {
    console.error(`✘ ${name}:`, error);
    process.exitCode = 1;
  }
}
process.exit();
