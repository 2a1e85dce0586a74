/** Drives a headless Chromium, such as Debian's package, through the DevTools protocol. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The content of a response or event of the protocol. Each method and event has its own shape. */
// biome-ignore lint/suspicious/noExplicitAny: https://chromedevtools.github.io/devtools-protocol/ has the shapes
export type ProtocolContent = any;

/** One tab of the browser. */
export interface Target {
  send(method: string, parameters?: object): Promise<ProtocolContent>;
  /** Calls `listener` on each event with this name. */
  on(event: string, listener: (content: ProtocolContent) => void): void;
}

export interface Chromium extends AsyncDisposable {
  newTarget(): Promise<Target>;
}

/** @param command the command that starts the browser @throws Error if it does not start */
export const startChromium = async (command = process.env.CHROMIUM ?? 'chromium'): Promise<Chromium> => {
  const folder = await mkdtemp(join(tmpdir(), 'overlay-chromium-'));
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--no-proxy-server'];
  const options = [
    '--headless',
    '--remote-debugging-port=0',
    '--hide-scrollbars',
    '--disable-lcd-text',
    `--user-data-dir=${folder}`,
    ...quiet,
    ...root,
  ];
  const browser = spawn(command, [...options, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exit = once(browser, 'exit');
  const socket = new WebSocket(await addressIn(createInterface(browser.stderr), exit));
  await once(socket, 'open');
  const waiting = new Map<number, PromiseWithResolvers<ProtocolContent>>();
  const listeners: ((session: string | undefined, event: string, content: ProtocolContent) => void)[] = [];
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error, method, params, sessionId } = JSON.parse(String(data));
    if (id === undefined) for (const listener of listeners) listener(sessionId, method, params);
    else if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  let serial = 0;
  const send = (method: string, params: object = {}, sessionId?: string): Promise<ProtocolContent> => {
    const answer = Promise.withResolvers<ProtocolContent>();
    waiting.set(++serial, answer);
    socket.send(JSON.stringify({ id: serial, method, params, ...(sessionId ? { sessionId } : {}) }));
    return answer.promise;
  };
  return {
    newTarget: async () => {
      const { targetId } = await send('Target.createTarget', { url: 'about:blank' });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      return {
        send: (method, parameters) => send(method, parameters, sessionId),
        on: (event, listener) =>
          void listeners.push((session, name, content) => (session === sessionId && name === event ? listener(content) : undefined)),
      };
    },
    [Symbol.asyncDispose]: async () => {
      browser.kill();
      await exit;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

const addressIn = async (lines: AsyncIterable<string>, exit: Promise<unknown>): Promise<string> => {
  exit.catch(() => undefined); // if the browser does not start, the lines end
  for await (const line of lines) {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error("the browser did not start: install Debian's package `chromium`, or name another in CHROMIUM");
};
