/**
 * Tests the controller with unmodified routers, hosts and clients: `ROUTER_BIN=/path/to/ziti npm run try:routers`. With several binaries,
 * separated by `:` or `,`, routers and clients of different versions meet; in the reverse order, they change places. It runs the commands
 * in the README, and then typical events in the life of a network: a second router with a link, a killed controller, a right that is
 * revoked while it is in use, a thousand circuits, usage compared with what was carried, a second controller that takes over. Prints
 * measurements; exits with 1 if something does not work. Uses the ports 1280, 1281, 3022 to 3025, 6001 to 6004 and 9000 to 9002 of this
 * machine.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binariesIn, installBinaries } from './try-routers/binaries.ts';
import { exampleServer, startController } from './try-routers/controller.ts';
import { createProcesses } from './try-routers/processes.ts';
import { steps } from './try-routers/steps.ts';

const binaries = binariesIn(process.env.ROUTER_BIN ?? '');
if (binaries.length === 0) throw new TypeError('ROUTER_BIN must name the program `ziti`, v1.7.2 or v2.0.3, or several, separated by `:`');

const folder = mkdtempSync(join(tmpdir(), 'try-routers-'));
console.log(installBinaries(folder, binaries));
const processes = createProcesses(folder);
try {
  const controller = await startController(processes, exampleServer(join(folder, 'network.db')));
  for (const [name, step] of Object.entries(steps)) {
    const measured = await step({ folder, processes, controller });
    console.log(`✔ ${name}${measured ? `: ${measured}` : ''}`);
  }
} catch (error) {
  console.error(error, `\nthe logs are in ${folder}`);
  process.exitCode = 1;
} finally {
  processes.end();
  if (!process.exitCode) rmSync(folder, { recursive: true });
}
