/**
 * Makes changes, and consumes all that are made, until it is killed: `node consuming-worker.ts <database> <ledger> <round>`. Each change
 * that it was handed is a line of the ledger.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { controllerOn } from './consumer-kills.ts';

const [, , file = '', ledger = '', round = ''] = process.argv;
// Of a lease that a killed worker held nothing is left by the clock of the next.
await using controller = await controllerOn(file, Number(round) * 60_000);
controller.changes.consume('ledger', ({ revision }) => appendFileSync(ledger, `${revision}\n`), { at: 'oldest' });
writeSync(1, 'ready\n');
for (let index = 0; ; index++) {
  await controller.api.configTypes.create({ body: { name: `${round}-${index}` } });
  await setTimeout(Math.random() * 5);
}
