/** The component of the guide to the typed client. The part of React is played by `react-part.ts`. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { createClient } from '../../client/index.ts';
import { temporaryFolder } from '../examples/child.ts';
import { openApp } from '../support/app.ts';
import { ann } from '../support/client.ts';
import { asSourceAnywhere, blockWith } from './documents.ts';
import { show } from './react-part.ts';

interface Components {
  People(props: object): string;
}

test('a component shows what the client reads, or why it was refused, and aborts its request when it is removed', async (t) => {
  const folder = temporaryFolder(t);
  const file = join(folder, 'people.js');
  const { outputText } = ts.transpileModule(asSourceAnywhere(blockWith('docs/guides/typed-client.md', 'tsx', 'useEffect')), {
    compilerOptions: { jsx: ts.JsxEmit.ReactJSX, module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  const part = new URL('react-part.ts', import.meta.url).href;
  writeFileSync(file, outputText.replace(/"react\/jsx-runtime"|'react'/g, `'${part}'`));
  const { People }: Components = await import(pathToFileURL(file).href);

  await using app = await openApp('memory');
  await app.controller.api.identities.create({ body: ann });
  const answer = fetchHandler(app.controller);
  const signals: (AbortSignal | null | undefined)[] = [];
  const clientOf = (session: string) => {
    const fetch = (url: string, init: RequestInit) => {
      signals.push(init.signal);
      return answer(new Request(url, init));
    };
    return createClient({ baseUrl: 'https://overlay.example.com', credentials: { session }, fetch });
  };

  const shown = show(People, { client: clientOf(app.admin) });
  assert.equal(shown.html(), '<ul></ul>');
  assert.equal(await shown.next(), '<ul><li>ann</li></ul>');
  assert.match(await show(People, { client: clientOf('no session') }).next(), /^<p>.+<\/p>$/);

  const left = show(People, { client: clientOf(app.admin) });
  while (signals.length < 3) await setImmediate();
  left.remove();
  assert.deepEqual(
    signals.map((signal) => signal?.aborted),
    [false, false, true],
  );
});
