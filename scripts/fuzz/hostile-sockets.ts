import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { M } from './network.ts';

/** Clients that violate HTTP and TLS: each opens its own connections, sends invalid input, and disconnects. */
export interface Attack {
  readonly name: string;
  run(port: number, random: () => number): Promise<string>;
}

const GET = (more = '') => `GET ${M}/version HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const POST = (more: string) =>
  `POST ${M}/authenticate?method=password HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more}\r\n`;

const secure = (port: number) => tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
const plain = (port: number) => net.connect({ port, host: '127.0.0.1' });

/** Sends parts with pauses. @returns everything received until the connection is closed or the time is over */
const talk = async (socket: net.Socket, parts: readonly (string | Uint8Array)[], pauseMs = 0, timeoutMs = 3000): Promise<string> => {
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString('latin1'))).on('error', () => undefined);
  const closed = once(socket, 'close').catch(() => undefined);
  for (const part of parts) {
    if (socket.destroyed) break;
    socket.write(part);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  await Promise.race([closed, sleep(timeoutMs)]);
  socket.destroy();
  return text;
};

const noise = (random: () => number, length: number) => Uint8Array.from({ length }, () => Math.floor(random() * 256));
/** An attack over TLS. */
const overTls = (
  name: string,
  parts: (random: () => number) => readonly (string | Uint8Array)[],
  pauseMs = 0,
  timeoutMs = 1500,
): Attack => ({
  name,
  run: (port, random) => talk(secure(port), parts(random), pauseMs, timeoutMs),
});
/** An attack over plain TCP. */
const overTcp = (name: string, parts: (random: () => number) => readonly (string | Uint8Array)[]): Attack => ({
  name,
  run: (port, random) => talk(plain(port), parts(random), 0, 1000),
});

export const attacks: readonly Attack[] = [
  overTls('pipelined requests', (random) => [GET().repeat(50 + Math.floor(random() * 200)), GET('Connection: close\r\n')]),
  overTls('pipelined logins', () => [`${POST('Content-Length: 39\r\n')}{"username":"admin","password":"wrong1"}`.repeat(20)], 0, 100),
  overTls('a body that is cut off', () => [POST('Content-Length: 1000\r\n'), '{"username":'], 0, 50),
  overTls('a body that dribbles', () => [POST('Content-Length: 1000\r\n'), ...'{"username"'], 100, 100),
  overTls('headers that dribble', () => [...'GET /version HTTP/1.1\r\nHost: x'], 50, 100),
  overTls('headers without end', () => [GET().slice(0, -2), `X: ${'a'.repeat(1000)}\r\n`.repeat(100)]),
  overTls('one long header', () => [GET(`X: ${'a'.repeat(20_000)}\r\n`)]),
  overTls('many headers', () => [GET('a: b\r\n'.repeat(2500))]),
  overTls('a long target', () => [`GET /${'a/'.repeat(7000)} HTTP/1.1\r\nHost: x\r\n\r\n`]),
  overTls('a long query', () => [`GET ${M}/services?${'roleFilter=%23a&'.repeat(900)} HTTP/1.1\r\nHost: x\r\n\r\n`]),
  overTls('chunks that are none', () => [POST('Transfer-Encoding: chunked\r\n'), 'zz\r\nhello\r\n0\r\n\r\n']),
  overTls('a chunk larger than it says', () => [POST('Transfer-Encoding: chunked\r\n'), '2\r\n{"a":1}\r\n0\r\n\r\n']),
  overTls('a chunk without end', () => [POST('Transfer-Encoding: chunked\r\n'), 'ffffffff\r\n{"a"'], 0, 100),
  overTls('chunks of one byte', () => [POST('Transfer-Encoding: chunked\r\n'), '1\r\n \r\n'.repeat(170_000), '0\r\n\r\n']),
  overTls('extensions of chunks', () => [POST('Transfer-Encoding: chunked\r\n'), `1;${'a'.repeat(50_000)}\r\n{\r\n0\r\n\r\n`]),
  overTls('trailers', () => [POST('Transfer-Encoding: chunked\r\n'), `2\r\n{}\r\n0\r\n${'a: b\r\n'.repeat(3000)}\r\n`]),
  overTls('two lengths', () => [POST('Content-Length: 2\r\nContent-Length: 3\r\n'), '{}']),
  overTls('a length and chunks', () => [POST('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n'), '{}']),
  overTls('a length that is none', (random) => [POST(`Content-Length: ${random() < 0.5 ? '-1' : '99999999999999999999'}\r\n`), '{}']),
  overTls(
    'an expectation',
    (random) => [POST(`Content-Length: 2\r\nExpect: ${random() < 0.5 ? '100-continue' : 'a miracle'}\r\n`)],
    0,
    300,
  ),
  overTls('an upgrade', () => [GET('Connection: Upgrade\r\nUpgrade: h2c\r\n')], 0, 300),
  overTls(
    'other methods',
    (random) => [
      `${['CONNECT x:1', 'TRACE /', 'PRI *', 'OPTIONS *', 'HEAD /version', 'get /'][Math.floor(random() * 6)]} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    0,
    300,
  ),
  overTls('a tunnel of bytes', (random) => [noise(random, 5000)]),
  overTls('a body beyond the limit', () => [POST('Content-Length: 9000000\r\n'), '{'.repeat(2_000_000)], 0, 1000),
  overTls('answers that are never read', () => [GET().repeat(2000)], 0, 1),
  overTcp('no TLS at all', () => [GET()]),
  overTcp('noise instead of TLS', (random) => [noise(random, 2000)]),
  overTcp('a greeting that is cut off', () => [Uint8Array.of(0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3)]),
  overTcp('a record that is too long', () => [Uint8Array.of(0x16, 3, 1, 0xff, 0xff), new Uint8Array(70_000)]),
  overTcp('an alert', () => [Uint8Array.of(0x15, 3, 3, 0, 2, 2, 40)]),
  {
    name: 'many slow bodies at once',
    run: async (port) => {
      const sockets = Array.from({ length: 150 }, () => secure(port).on('error', () => undefined));
      for (const socket of sockets) socket.write(`${POST('Content-Length: 1000\r\n')}{`);
      await sleep(300);
      const text = await talk(secure(port), [GET('Connection: close\r\n')], 0, 5000);
      for (const socket of sockets) socket.destroy();
      return text;
    },
  },
  {
    name: 'handshakes that are left',
    run: async (port) => {
      const sockets = Array.from({ length: 20 }, () => secure(port).on('error', () => undefined));
      await sleep(5);
      for (const socket of sockets) socket.destroy();
      return '';
    },
  },
];
