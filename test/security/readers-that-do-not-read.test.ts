/** Clients that ask for long pages and do not read them must not end the process, whatever HTTP host it has. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Served } from '../support/unread/hosts.ts';

const HEAP_MIB = 512;
/** Connections to each of seven hosts, which ask for a page of 8 MB each. */
const CONNECTIONS = 12;
const PAGE = '/edge/client/v1/services?limit=500&configTypes=all';

const request = (token: string): string => `GET ${PAGE} HTTP/1.1\r\nHost: x\r\nzt-session: ${token}\r\nConnection: close\r\n\r\n`;

/** Asks, and reads no more than the beginning of the answer. @returns its status; undefined if the connection was closed without one */
const asking = async (port: number, token: string): Promise<number | undefined> => {
  const socket = net.connect(port, '127.0.0.1');
  socket.on('error', () => undefined).write(request(token));
  await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  const head: Buffer | null = socket.read(12);
  return head ? Number(String(head).slice(9)) : undefined;
};

/** Asks, and reads some of the answer now and then. @returns once it has begun, the whole of it */
const readingSlowly = async (port: number, token: string): Promise<{ readonly whole: Promise<string> }> => {
  const socket = net.connect(port, '127.0.0.1');
  socket.setEncoding('latin1').write(request(token));
  await once(socket, 'readable');
  const read = async () => {
    let text = '';
    for await (const part of socket) {
      text += part;
      await sleep(10);
    }
    return text;
  };
  return { whole: read() };
};

const servicesIn = (answer: string): number => {
  assert.match(answer, /^HTTP\/1\.1 200 /);
  const chunked = answer.slice(answer.indexOf('\r\n\r\n') + 4);
  let [json, at] = ['', 0];
  for (let size = Number.NaN; size !== 0; ) {
    const end = chunked.indexOf('\r\n', at);
    size = Number.parseInt(chunked.slice(at, end), 16);
    json += chunked.slice(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
  }
  return JSON.parse(json).data.length;
};

test('connections that do not read leave a process with a heap of 512 MiB alive, and others their answers', async (t) => {
  const child = fork(resolve(import.meta.dirname, '../support/unread/hosts.ts'), {
    execArgv: [`--max-old-space-size=${HEAP_MIB}`],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'exit').then(() => assert.fail('the process has ended'));
  const [{ ports, ann, bob }] = (await Promise.race([once(child, 'message'), ended])) as [Served];
  // Some of the same session, some of another one.
  const slow = [];
  for (const port of Object.values(ports)) for (const token of [ann, bob]) slow.push(await readingSlowly(port, token));
  const asked = Object.values(ports).flatMap((port) => Array.from({ length: CONNECTIONS }, () => asking(port, ann)));
  const statuses = await Promise.race([Promise.all(asked), ended]);
  const seen = new Set(statuses);
  assert.ok(
    seen.has(200) && [...seen].every((status) => status === 200 || status === 429 || status === 503),
    `${[...seen]}: undefined where the process has ended`,
  );
  for (const { whole } of slow) assert.equal(servicesIn(await Promise.race([whole, ended])), 100);
  for (const port of Object.values(ports)) {
    const answer = await fetch(`http://127.0.0.1:${port}${PAGE}`, { headers: { 'zt-session': bob } });
    assert.equal(JSON.parse(await answer.text()).data.length, 100);
  }
  child.disconnect();
});
