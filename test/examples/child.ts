import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestContext } from 'node:test';

const root = resolve(import.meta.dirname, '../..');

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  /** All that it said until it was ready. */
  readonly said: string;
  /** E.g. `https://127.0.0.1:41234`. */
  readonly url: string;
  /** What follows a label of the greeting, e.g. `root certificate`. */
  told(label: string): string | undefined;
  request(method: string, path: string, options?: { readonly body?: unknown; readonly token?: string }): Promise<Reply>;
  /** A session token of the administrator. */
  login(password: string): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<Ended>;
}

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** A folder of its own, gone after the test. */
export const temporaryFolder = (t: Pick<TestContext, 'after'>): string => {
  const folder = mkdtempSync(join(tmpdir(), 'overlay-controller-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A port that nobody listens on. */
export const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, 'localhost');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo; // a TCP server that listens has one
  probe.close();
  await once(probe, 'close');
  return port;
};

/** Printed last: as a sentence, or with `--log` as an event. */
const LISTENING = /^listening on (\S+)$|^\{"listening":"([^"]+)".*"message":"listening"\}$|^\S+ INFO {2}listening listening=(\S+)/m;

type Environment = Readonly<Record<string, string>>;

const programOf = (example: string): string => (example === 'server' ? 'server/main.ts' : `examples/${example}.ts`);

/** Starts the server, or an example, without waiting for it. What it says is collected. */
export const launch = (
  cwd: string,
  args: readonly string[],
  environment: Environment,
  example = 'server',
  limits: readonly string[] = [],
) => {
  const { ADMIN_PASSWORD: _, ...inherited } = process.env;
  const command = [process.execPath, join(root, programOf(example)), ...args];
  const set = limits.map((limit) => `ulimit ${limit} && `).join('');
  const [file = '', ...rest] = limits.length === 0 ? command : ['sh', '-c', `${set}exec "$@"`, 'sh', ...command];
  const child = spawn(file, rest, {
    cwd,
    env: { ...inherited, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (part: Buffer) => (said.out += part));
  child.stderr.on('data', (part: Buffer) => (said.err += part));
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...said }));
  return { child, said, ended };
};

/** Runs the server with options that end it, or one of the commands beside it. @param input its standard input */
export const runServer = (cwd: string, args: readonly string[], environment: Environment = {}, input = ''): Promise<Ended> => {
  const { child, ended } = launch(cwd, args, environment);
  child.stdin.on('error', () => undefined).end(input);
  return ended;
};

/**
 * Starts the server on a free port, and ends it after the test at the latest.
 * @param example the file in `examples/` that is run; default: the server itself
 * @param limits what `ulimit` is called with before
 */
export const startServer = async (
  t: Pick<TestContext, 'after'>,
  cwd: string,
  args: readonly string[] = [],
  environment: Environment = {},
  example = 'server',
  limits: readonly string[] = [],
): Promise<Running> => {
  const { child, said, ended } = launch(cwd, args.includes('--port') ? args : ['--port', '0', ...args], environment, example, limits);
  t.after(() => child.kill('SIGKILL'));
  child.stdin.end();
  const ready = new Promise<void>((resolve) => child.stdout.on('data', () => LISTENING.test(said.out) && resolve()));
  const early = await Promise.race([ready, ended]);
  if (early) throw new Error(`the server ended with ${early.code}: ${early.out}${early.err}`);
  const told = (label: string) => new RegExp(`^${label} +(.+?)(?: {3}|$)`, 'm').exec(said.out)?.[1];
  const url = LISTENING.exec(said.out)?.slice(1).find(Boolean) ?? '';
  const trust = told('root certificate') ?? /[" ]certificate"?[:=]"?([^" ]+)/.exec(said.out)?.[1];
  const ca = trust === undefined ? undefined : readFileSync(trust, 'utf8');

  const request: Running['request'] = (method, path, { body, token } = {}) =>
    new Promise((done, fail) => {
      const headers = {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { 'zt-session': token }),
      };
      const options = { method, headers, agent: false } as const;
      const address = `${url}/edge/management/v1${path}`;
      const asked = ca === undefined ? http.request(address, options) : https.request(address, { ...options, ca });
      asked.on('error', fail).on('response', (answer) => {
        let text = '';
        answer
          .on('data', (part: Buffer) => (text += part))
          .on('end', () => done({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
      });
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });

  return {
    child,
    said: said.out,
    url,
    told,
    request,
    login: async (password) =>
      (await request('POST', '/authenticate?method=password', { body: { username: 'admin', password } })).body.data.token,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return ended;
    },
  };
};
