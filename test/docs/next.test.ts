/** The files of the guide to Next.js, without Next.js: they are loaded as its server does, and called as its router does. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { NextHandlers } from '../../adapters/http/next.ts';
import type { ManagementController } from '../../src/index.ts';
import { temporaryFolder } from '../examples/child.ts';
import { newSchema, postgresUrl } from '../support/postgres.ts';
import { commands } from './commands.ts';
import { asSourceAnywhere, blockWith, filesOf } from './documents.ts';

const GUIDE = 'docs/guides/next.md';

interface Overlay {
  overlay(): Promise<ManagementController>;
}
interface People {
  GET(request: Request, context: { readonly params: Promise<{ readonly id: string }> }): Promise<Response>;
}
interface Instrumentation {
  register(): Promise<void>;
}

/** The members of answers that are read here. */
interface Body {
  readonly data: { readonly id: string; readonly token: string };
  readonly error: { readonly code: string };
}
const bodyOf = (response: Response) => response.json() as Promise<Body>;

/** The modules of an application that has the files of the guide. `copy` is loaded anew, as for another route. */
const application = (folder: string) => {
  const at = (path: string) => pathToFileURL(join(folder, path)).href;
  for (const [path, code] of filesOf(GUIDE)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const source = asSourceAnywhere(code).replace(/'@\/(.*?)'/g, (_, name: string) => `'${at(name)}.ts'`);
    writeFileSync(file, postgresUrl ? source : onSqlite(source, join(folder, 'overlay.db')));
  }
  // What each file exports is declared above.
  const load = async <T>(path: string, copy = ''): Promise<T> => (await import(`${at(path)}?${copy}`)) as T;
  return {
    overlay: (copy?: string) => load<Overlay>('lib/overlay.ts', copy),
    api: () => load<NextHandlers>('app/overlay/[[...path]]/route.ts'),
    people: () => load<People>('app/people/[id]/route.ts'),
    instrumentation: () => load<Instrumentation>('instrumentation.ts'),
  };
};

const onSqlite = (code: string, file: string): string =>
  code.replaceAll('postgresStorage', 'sqliteStorage').replace("connectionString: process.env.DATABASE_URL ?? ''", `file: '${file}'`);

/** Sets variables until the test is over. */
const setEnvironment = (t: TestContext, variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    t.after(() => delete process.env[name]);
  }
};

/** What is posted to it. */
const receiver = async (t: TestContext) => {
  const server = createServer((request, response) => void request.resume().once('end', () => response.writeHead(204).end()));
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return { url: `http://127.0.0.1:${port}`, next: () => once(server, 'request') };
};

test('an application of Next.js opens one controller when it is first called, and none while it is built', async (t) => {
  await using place = postgresUrl ? await newSchema() : undefined;
  const folder = temporaryFolder(t);
  const webhook = await receiver(t);
  const database = place ? place.connectionString : `sqlite:${join(folder, 'overlay.db')}`;
  const secretKey = commands(folder, `${blockWith(GUIDE, 'sh', 'create-admin')}\necho $SECRET_KEY`, { DATABASE_URL: database })
    .trim()
    .split('\n')
    .at(-1);
  setEnvironment(t, { DATABASE_URL: database, SECRET_KEY: secretKey ?? '', WEBHOOK_URL: webhook.url });
  assert.match(commands(folder, blockWith(GUIDE, 'sh', 'migrate --apply')), /: nothing was pending; /);

  const app = application(folder);
  const [{ overlay }, api, people, { register }] = await Promise.all([app.overlay(), app.api(), app.people(), app.instrumentation()]);
  assert.ok(!globalThis.overlayController, 'nothing is opened by loading what is built');
  setEnvironment(t, { NEXT_PHASE: 'phase-production-build' });
  await assert.rejects(overlay(), /not opened by `next build`/);
  delete process.env.NEXT_PHASE;
  setEnvironment(t, { NEXT_RUNTIME: 'edge' });
  await register();
  assert.ok(!globalThis.overlayController, 'nothing is opened on the edge runtime');

  process.env.NEXT_RUNTIME = 'nodejs';
  await register();
  const controller = await overlay();
  await using _ = { [Symbol.asyncDispose]: () => controller.close() }; // before the schema goes
  assert.equal(await (await app.overlay('copy')).overlay(), controller, 'one for all copies of the module');

  const call = async (method: 'GET' | 'POST', path: string, init: RequestInit = {}) =>
    bodyOf(await api[method](new Request(`http://localhost:3000/overlay/edge/management/v1${path}`, { method, ...init })));
  const headers = { 'content-type': 'application/json' };
  const login = JSON.stringify({ username: 'admin', password: 'a-good-password' });
  const { token } = (await call('POST', '/authenticate?method=password', { headers, body: login })).data;
  const told = webhook.next();
  const ann = JSON.stringify({ name: 'ann', type: 'User', isAdmin: false });
  const { id } = (await call('POST', '/identities', { headers: { ...headers, 'zt-session': token }, body: ann })).data;
  await told;

  const person = (of: string) => people.GET(new Request(`http://localhost:3000/people/${of}`), { params: Promise.resolve({ id: of }) });
  assert.deepEqual(await (await person(id)).json(), { name: 'ann' });
  const refused = await person('nobody');
  assert.deepEqual([refused.status, (await bodyOf(refused)).error.code], [404, 'NOT_FOUND']);
});

declare global {
  var overlayController: Promise<ManagementController> | undefined;
}
