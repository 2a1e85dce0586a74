/**
 * Compares the controller with the reference implementation, in one run on one machine: the cost of circuits over an unmodified router, the
 * effects of failures on circuits, and the processor time of API calls. `ROUTER_BIN` is the path of the program `ziti`, v1.7.2, which is
 * the reference controller and, for both controllers, the router, the command line, the host and the client.
 *
 *     ROUTER_BIN=/path/to/ziti npm run bench:beside -- --seconds 3 --results bench/BESIDE.md
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compareCalls } from './beside/calls.ts';
import { measures } from './beside/circuits.ts';
import { startContenders } from './beside/controllers.ts';
import { makeNetwork } from './beside/network.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    /** Numbers of identities, ascending. */
    identities: { type: 'string', default: '2000,50000' },
    results: { type: 'string' },
  },
});
const binary = process.env.ROUTER_BIN;
if (!binary) throw new TypeError('ROUTER_BIN must be the path of the program `ziti`, v1.7.2');

const lines: string[] = [];
const print = (...more: readonly string[]) => {
  lines.push(...more);
  console.log(more.join('\n'));
};
const folder = mkdtempSync(join(tmpdir(), 'bench-beside-'));
const contenders = await startContenders(resolve(binary), folder);
try {
  const ours = await makeNetwork(contenders.ours);
  const reference = await makeNetwork(contenders.reference);
  print('# Beside the reference controller', '');
  print(
    `\`npm run bench:beside\`: Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)} at the start. Both on this machine, each with its own router, host and client (\`ziti\` v1.7.2, clients that log in with OpenID`,
    'Connect); this one on SQLite. The two take turns.',
    '',
    '| | overlay-controller | reference |',
    '| --- | ---: | ---: |',
  );
  for (const measure of measures) {
    const [own, other] = [await measure(ours), await measure(reference)];
    for (const [name, figure] of Object.entries(own)) print(`| ${name} | ${figure} | ${other[name]} |`);
  }
  print(
    '',
    'Processor time of the controller for a call, milliseconds, 200 services, 40 policies, 8 connections, the least of three rounds:',
  );
  const effort = { seconds: Number(values.seconds), connections: 8 };
  for await (const [size, figures] of compareCalls({ ours, reference }, values.identities.split(',').map(Number), effort)) {
    print('', `| call, ${size.toLocaleString('en')} identities | overlay-controller | reference | reference / ours |`);
    print('| --- | ---: | ---: | ---: |');
    for (const { name, ...cost } of figures)
      print(`| ${name} | ${cost.ours.toFixed(3)} | ${cost.reference.toFixed(3)} | ${(cost.reference / cost.ours).toFixed(1)}x |`);
  }
  if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
} finally {
  for (const { processes } of Object.values(contenders)) processes.end();
  if (!process.exitCode) rmSync(folder, { recursive: true, force: true });
}
process.exit();
