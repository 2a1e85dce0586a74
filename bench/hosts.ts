/**
 * Measures the processor time per request of a controller in each framework, compared with a plain route of the framework with a fixed
 * body: `node bench/hosts.ts [--seconds 3] [--results bench/HOSTS.md]`. Hono runs on a simple bridge to web-standard requests, not on
 * `@hono/node-server`.
 */
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createClient } from './load.ts';
import { type MeasuredServer, measure, startServer } from './measure.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' }, results: { type: 'string' } } });
const effort = { seconds: Number(values.seconds), connections: 8 };
const M = '/edge/management/v1';

const lines = [
  '# What a controller costs in each framework',
  '',
  `Node ${process.version}, ${cpus().length} cores, ${effort.connections} connections, ${effort.seconds} s each, HTTPS, memory store. Milliseconds of processor time per request, with the ratio in brackets to`,
  "a route of the framework's own with a fixed body of 1.8 KB.",
  '',
  '| framework | own route | GET /version | identity by id |',
  '| --- | ---: | ---: | ---: |',
];
for (const host of ['node', 'express', 'fastify', 'koa', 'hono']) {
  const server = await startServer<MeasuredServer & { readonly id: string }>('host.ts', [host]);
  const client = createClient({ port: server.port }, 1);
  const login = { username: 'admin', password: 'bench-password' };
  const { text } = await client.send({ method: 'POST', path: `${M}/authenticate?method=password`, body: login });
  client.close();
  const cost = async (path: string) => (await measure(server, JSON.parse(text).data.token, () => ({ method: 'GET', path }), effort)).cpuMs;
  const bare = await cost('/bare');
  const compared = async (path: string) => {
    const cpuMs = await cost(path);
    return `${cpuMs.toFixed(3)} (${(cpuMs / bare).toFixed(1)}x)`;
  };
  lines.push(`| ${host} | ${bare.toFixed(3)} | ${await compared(`${M}/version`)} | ${await compared(`${M}/identities/${server.id}`)} |`);
  server.child.disconnect();
}
console.log(lines.join('\n'));
if (values.results) writeFileSync(values.results, `${lines.join('\n')}\n`);
