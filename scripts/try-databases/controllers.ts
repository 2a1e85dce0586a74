import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processes } from '../try-routers/processes.ts';
import { until } from '../try-routers/until.ts';

/** The command `overlay-controller` of this repository. */
export const MAIN = join(import.meta.dirname, '../../server/main.ts');
/** The administrator's, as in `createProcesses`. */
const PASSWORD = 'administrator';
/** How often a list of all identities is asked for again. */
const MOST_REFUSED = 20;

/** What a controller answers. */
export interface Answer {
  readonly status: number;
  /** The body. The scripts read what any release answers, so it has no type. */
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
}

/** The server of a release, in a process of its own. */
export interface Controller {
  readonly name: string;
  readonly process: ChildProcess;
  /** @throws Error if there is no answer */
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /** All identities. */
  identities(): Promise<readonly Identity[]>;
}

export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly tags: { readonly step?: string };
}

export interface ControllerOptions {
  readonly storage: string;
  /** The file of its command. Default: that of this repository. */
  readonly main?: string;
  /** The command that starts it, such as `['prlimit', '--nofile=64']`. Default: none. */
  readonly through?: readonly string[];
}

/** Starts a server, which must find `secret.key` in the folder, and logs in. */
export const startController = async (
  folder: string,
  processes: Processes,
  name: string,
  { storage, main = MAIN, through = [] }: ControllerOptions,
): Promise<Controller> => {
  const [command, ...args] = [...through, process.execPath, main] as const;
  const process_ = processes.start(
    name,
    command,
    ...args,
    ...['--port', '0', '--tls', 'off', '--address', 'https://overlay.example', '--health'],
    ...['--secret-key-file', 'secret.key', '--storage', storage],
  );
  let address = '';
  await until(`${name} listens`, async () => {
    address = [...readFileSync(join(folder, `${name}.log`), 'utf8').matchAll(/listening on (http\S+)/g)].at(-1)?.[1] ?? '';
    return address !== '';
  });
  let token = '';
  const askOnce: Controller['ask'] = async (method, path, body) => {
    const answer = await fetch(`${address}/edge/management/v1${path}`, {
      method,
      headers: { 'zt-session': token, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(40_000),
    });
    return { status: answer.status, body: JSON.parse(await answer.text()) };
  };
  const logIn = async (): Promise<boolean> => {
    const { status, body } = await askOnce('POST', '/authenticate?method=password', { username: 'admin', password: PASSWORD });
    if (status === 200) token = body.data.token;
    return status === 200;
  };
  await until(`${name} logs in`, logIn);
  const controller: Controller = {
    name,
    process: process_,
    // A session may end while the clock of a server is wrong.
    async ask(method, path, body) {
      const answer = await askOnce(method, path, body);
      return answer.status === 401 && (await logIn()) ? askOnce(method, path, body) : answer;
    },
    async identities() {
      const found: Identity[] = [];
      let refused = 0;
      for (;;) {
        const { status, body } = await controller.ask('GET', `/identities?limit=500&offset=${found.length}`);
        // Connections that an outage has left silent are noticed one by one.
        if (status === 503 && ++refused < MOST_REFUSED) continue;
        if (status !== 200) throw new Error(`${name} answers with ${status}: ${JSON.stringify(body)}`);
        found.push(...body.data);
        if (body.data.length < 500) return found;
      }
    },
  };
  return controller;
};
