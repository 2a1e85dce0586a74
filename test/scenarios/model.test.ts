import { test } from 'node:test';
import fc from 'fast-check';
import { proves } from '../specification.ts';
import { onEveryStore } from '../support/app.ts';
import { anyCommand, someNetwork } from '../support/model/commands.ts';
import { assertAgreeInAll, systemOf } from '../support/model/system.ts';

/** Maximum number of commands in a run. Those that are impossible in their turn are skipped, so that a run takes about fifty steps. */
const COMMANDS = 135;
/** Runs by store. `MODEL_RUNS=10000 npx node --test test/scenarios/model.test.ts` searches longer. */
const runs: Readonly<Record<string, number>> = { memory: Number(process.env.MODEL_RUNS ?? 60), sqlite: 8, postgres: 4 };

onEveryStore('the model', (open, store) => {
  test(
    'whatever happens to a network, everybody sees what the specification says',
    proves(11, 12, 13, 14, 15, 16, 245, 246, 247, 248, 249, 250, 251, 252),
    async (context) => {
      let steps = 0;
      const commands = fc.commands([anyCommand], { maxCommands: COMMANDS, size: 'max' });
      const property = fc.asyncProperty(commands, async (drawn) => {
        await using app = await open();
        const system = systemOf(app);
        const model = await someNetwork(system);
        await fc.asyncModelRun(() => ({ model, real: system }), drawn);
        await assertAgreeInAll(model, system);
        steps += system.steps;
      });
      await fc.assert(property, { numRuns: runs[store] ?? 1 });
      context.diagnostic(`${steps} steps`);
    },
  );
});
