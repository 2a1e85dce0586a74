import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = resolve(import.meta.dirname, '../..');
export const PASSWORD = 'the-password-of-the-fuzzer';

export interface Memory {
  /** Bytes in use after garbage collection. */
  readonly heap: number;
  readonly rss: number;
}

type Message =
  | { readonly is: 'blocked'; readonly id: number }
  | { readonly is: 'block'; readonly id: number; readonly ms: number; readonly collecting: number; readonly steps: readonly string[] }
  | ({ readonly is: 'memory' } & Memory);

/** Maximum heap size in MiB. The read cache, which may use a part of it, is full before the first half of a long run is over. */
const MAX_HEAP = 512;

/** The example server in a separate process, watched by a probe in it. */
export interface FuzzedServer {
  readonly port: number;
  /** The current memory; undefined if the server has ended. */
  memory(): Promise<Memory | undefined>;
  stop(): Promise<void>;
}

export interface Watching {
  /**
   * Called after a block of the event loop.
   * @param ms the processor time of the block
   * @param collecting the part of it that was garbage collection
   * @param about the request that was current when the block ended
   * @param steps the requests that began and ended during the block, each with the processor time until then
   */
  block(ms: number, collecting: number, about: string, steps: readonly string[]): void;
  /** Describes the current request. */
  about(): string;
  ended(how: string): void;
  /** Called for errors in the log, until the server is stopped: work that is interrupted by the stop is not an error of the server. */
  logged(line: string): void;
}

export const startServer = async (folder: string, storage: string, { block, about, ended, logged }: Watching): Promise<FuzzedServer> => {
  const probe = pathToFileURL(join(root, 'scripts/fuzz/probe.ts')).href;
  const node = ['--expose-gc', `--max-old-space-size=${MAX_HEAP}`, '--import', probe];
  const options = ['--port', '0', '--storage', storage, '--admin-password', PASSWORD];
  const child = spawn(process.execPath, [...node, join(root, 'server/main.ts'), ...options], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const requests = new Map<number, string>();
  child.on('message', (message: Message) => {
    if (message.is === 'blocked') requests.set(message.id, about());
    if (message.is !== 'block') return;
    block(message.ms, message.collecting, requests.get(message.id) ?? '', message.steps);
    requests.delete(message.id);
  });
  const port = await listening(child);
  const stopped = once(child, 'close');
  const reportExit = (code: number | null, signal: string | null) => ended(`the server ended with ${code ?? signal}`);
  child.on('exit', reportExit);
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
      child.off('exit', reportExit);
      child.kill();
      await stopped;
    },
  };
};

const listening = (child: ChildProcess): Promise<number> =>
  new Promise((ready, fail) => {
    let output = '';
    const read = (part: Buffer) => {
      output += part.toString();
      const port = /^listening on \S+:(\d+)$/m.exec(output)?.[1];
      if (port) ready(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', () => fail(new Error(`the server did not start:\n${output}`)));
  });
