import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '../..');
export const PASSWORD = 'the-password-of-the-fuzzer';

export interface Memory {
  /** Bytes in use once garbage is collected. */
  readonly heap: number;
  readonly rss: number;
}

type Message =
  | { readonly is: 'blocked'; readonly id: number }
  | { readonly is: 'block'; readonly id: number; readonly ms: number; readonly collecting: number; readonly steps: readonly string[] }
  | ({ readonly is: 'memory' } & Memory);

/** MiB. The read cache, which may have a part of it, is full before half of a long run is over. */
const HEAP = 512;

/** The example server in a process of its own, watched from inside. */
export interface FuzzedServer {
  readonly port: number;
  /** Undefined once it has ended. */
  memory(): Promise<Memory | undefined>;
  stop(): Promise<void>;
}

export interface Watching {
  /**
   * @param ms processor time during which nothing else was served
   * @param collecting how much of it was garbage collection
   * @param about what was asked when it ended
   * @param steps the requests that began and ended in between, each with the processor time until then
   */
  block(ms: number, collecting: number, about: string, steps: readonly string[]): void;
  /** The current requests. */
  about(): string;
  ended(how: string): void;
  /** Errors in its log until it is stopped: work that a stop cuts off is not an error of the server. */
  logged(line: string): void;
}

export const startServer = async (folder: string, storage: string, { block, about, ended, logged }: Watching): Promise<FuzzedServer> => {
  const probe = pathToFileURL(join(root, 'scripts/fuzz/probe.ts')).href;
  const node = ['--expose-gc', `--max-old-space-size=${HEAP}`, '--import', probe];
  const options = ['--port', '0', '--storage', storage, '--admin-password', PASSWORD];
  const child = spawn(process.execPath, [...node, join(root, 'server/main.ts'), ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const asked = new Map<number, string>();
  child.on('message', (message: Message) => {
    if (message.is === 'blocked') asked.set(message.id, about());
    if (message.is !== 'block') return;
    block(message.ms, message.collecting, asked.get(message.id) ?? '', message.steps);
    asked.delete(message.id);
  });
  const port = await listening(child);
  const stopped = once(child, 'close');
  const tell = (code: number | null, signal: string | null) => ended(`the server ended with ${code ?? signal}`);
  child.on('exit', tell);
  let stopping = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (part: Buffer) => {
      for (const line of part.toString().split('\n')) if (!stopping && /"level":"error"|unhandled/i.test(line)) logged(line.slice(0, 2000));
    });
  child.send('watch');
  return {
    port,
    memory: () => {
      const measured = Promise.withResolvers<Memory | undefined>();
      const take = (message: Message) => (message.is === 'memory' ? measured.resolve(message) : undefined);
      child.on('message', take);
      void stopped.then(() => measured.resolve(undefined));
      child.send('memory');
      return measured.promise.finally(() => child.off('message', take));
    },
    stop: async () => {
      stopping = true;
      child.off('exit', tell);
      child.kill();
      await stopped;
    },
  };
};

const listening = (child: ChildProcess): Promise<number> =>
  new Promise((ready, fail) => {
    let said = '';
    const hear = (part: Buffer) => {
      said += part.toString();
      const port = /^listening on \S+:(\d+)$/m.exec(said)?.[1];
      if (port) ready(Number(port));
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => fail(new Error(`the server did not start:\n${said}`)));
  });
