/** The files of the console: the notices of the packages in them, their compression, and the sizes in the decision. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { memoryStorage } from '../../adapters/storage/memory/index.ts';
import { consoleHandler } from '../../console/index.ts';
import { ManagementController } from '../../src/index.ts';

const ADDRESS = 'https://overlay.example.com';
const COMPRESSED = ['app.js', 'german.js', 'app.css', 'descriptions.json'];
const root = new URL('../../', import.meta.url);

describe('the files of the console', () => {
  let controller: ManagementController;
  let handle: (request: Request) => Promise<Response>;

  before(async () => {
    controller = await ManagementController.open({ storage: memoryStorage(), settings: { address: ADDRESS } });
    handle = fetchHandler(consoleHandler(controller));
  });
  after(() => controller.close());

  const get = (name: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    handle(new Request(`${ADDRESS}/console/${name}`, { headers }));

  test('the script has the licences of Preact and of the library for QR codes', async () => {
    const script = await (await get('app.js')).text();
    for (const name of ['preact', 'uqr']) {
      const licence = await readFile(new URL(`node_modules/${name}/LICENSE`, root), 'utf8');
      assert.ok(script.includes(licence.trim()), name);
    }
    assert.match(script, /Copyright \(c\) Project Nayuki/);
  });

  test('a client that accepts gzip gets compressed files, with entity tags of their own', async () => {
    for (const name of COMPRESSED) {
      const [plain, compressed] = await Promise.all([get(name), get(name, { 'accept-encoding': 'gzip, deflate, br' })]);
      assert.equal(compressed.headers.get('content-encoding'), 'gzip', name);
      const [text, bytes] = [await plain.text(), new Uint8Array(await compressed.arrayBuffer())];
      assert.equal(gunzipSync(bytes).toString(), text);
      assert.ok(bytes.length < text.length / 2, `${name}: ${bytes.length} bytes of ${text.length}`);
      assert.equal(plain.headers.get('content-encoding'), null);
      for (const { headers } of [plain, compressed]) assert.equal(headers.get('vary'), 'accept-encoding');
      const etag = compressed.headers.get('etag') ?? '';
      assert.notEqual(etag, plain.headers.get('etag'));
      const again = await get(name, { 'accept-encoding': 'gzip', 'if-none-match': etag });
      assert.deepEqual([again.status, again.headers.get('vary')], [304, 'accept-encoding']);
      assert.equal((await get(name, { 'if-none-match': etag })).status, 200, 'a plain file is another representation');
    }
  });

  test('a client that refuses gzip gets plain files', async () => {
    const encodingOf = async (accepted: string): Promise<string | null> =>
      (await get('app.css', { 'accept-encoding': accepted })).headers.get('content-encoding');
    for (const accepted of ['identity', 'br', 'gzip;q=0', '*;q=0', 'gzip;q=0, *', 'gzip;q=0.5, identity', 'gzip;q=x', ''])
      assert.equal(await encodingOf(accepted), null, accepted);
    for (const accepted of ['gzip', '*', 'GZIP;q=0.1', 'x-gzip', 'identity;q=0.5, gzip;q=1.0'])
      assert.equal(await encodingOf(accepted), 'gzip', accepted);
  });

  test('a host without compression serves plain files', async (t) => {
    const { CompressionStream } = globalThis;
    t.after(() => Object.assign(globalThis, { CompressionStream }));
    Object.assign(globalThis, { CompressionStream: undefined });
    const plain = fetchHandler(consoleHandler(controller));
    const { status, headers } = await plain(new Request(`${ADDRESS}/console/app.css`, { headers: { 'accept-encoding': 'gzip' } }));
    assert.deepEqual([status, headers.get('content-encoding')], [200, null]);
  });

  test('the decision has the sizes of today, within a fifth', async () => {
    const decision = await readFile(new URL('docs/decisions/058-a-console-of-preact-bundled-by-esbuild.md', root), 'utf8');
    for (const name of ['app.js', 'descriptions.json']) {
      const written = Number(new RegExp(`\\| [^|]*\`${name}\`[^|]* \\| (\\d+) kB \\|`).exec(decision)?.[1]) * 1000;
      const { byteLength } = await (await get(name, { 'accept-encoding': 'gzip' })).arrayBuffer();
      assert.ok(Math.abs(byteLength / written - 1) < 0.2, `${name}: ${byteLength} bytes, and ${written} in the decision`);
    }
  });
});
