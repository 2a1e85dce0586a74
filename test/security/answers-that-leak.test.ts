import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { serve } from '../../adapters/http/node.ts';
import { invalidField } from '../../src/contract/errors/index.ts';
import { entries } from '../../src/controller/entries.ts';
import { connect } from '../adapters/http/sockets.ts';
import { onEveryStore } from '../support/app.ts';
import { callSample } from '../support/calls.ts';
import { sampleOf } from '../support/samples/index.ts';
import { withUniqueNames } from '../support/unique-names.ts';

const shown = (field: string, value: unknown): string => {
  const { cause } = invalidField(field, 'is wrong', value);
  return cause && 'value' in cause ? cause.value : '';
};

/** Beside those that answer without an envelope, one of each kind: the others share their way. */
const TYPICAL = [
  'listIdentities',
  'detailIdentity',
  'createIdentity',
  'patchIdentity',
  'deleteIdentity',
  'authenticate',
  'enrollOtt',
  'listRoot',
];

onEveryStore('headers of answers', (open) => {
  test('no answer may be kept or taken for another type, and none names a version', async () => {
    await using app = await open();
    const unique = withUniqueNames(app);
    const good = new Set<string>();
    for (const entry of entries) {
      const { operation } = entry;
      const isShown = operation.answer.is === 'raw' || TYPICAL.includes(operation.operationId);
      const sample = isShown ? await sampleOf(unique, entry) : {};
      // What nobody may do, is not there or is no good is refused by every operation.
      const answers = [
        await callSample(app, operation, { ...sample, as: null, body: {} }),
        ...(isShown ? [await callSample(app, operation, sample)] : []),
      ];
      if ((answers.at(-1)?.status ?? 0) < 300) good.add(operation.operationId);
      for (const { headers } of answers)
        assert.deepEqual(
          [headers['cache-control'], headers['x-content-type-options'], headers['server']],
          ['no-store', 'nosniff', 'overlay-controller'],
          operation.operationId,
        );
    }
    for (const operationId of TYPICAL) assert.ok(good.has(operationId), operationId);
  });
});

test('what is refused below the controller has these headers, too', async (t) => {
  const failing = { handle: () => Promise.reject(new Error('no')) };
  const serving = await serve({ controller: failing });
  t.after(() => serving.close(50));
  for (const request of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    `GET / HTTP/1.1\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
  ]) {
    const bare = connect(serving);
    bare.write(request);
    const { text } = await bare.closed;
    assert.match(text, /^x-content-type-options: nosniff\r$/im, request.slice(0, 40));
    assert.match(text, /^cache-control: no-store\r$/im, request.slice(0, 40));
  }
  const { headers } = await fetchHandler(failing)(new Request('https://ctrl.test/'));
  assert.deepEqual([headers.get('x-content-type-options'), headers.get('cache-control')], ['nosniff', 'no-store']);
});

test('a value at fault is shown as clients of the field know it, and shortly', () => {
  assert.deepEqual(
    [undefined, ['a', 'b'], { b: 1, a: { c: [true, null] } }, {}, 65536].map((value) => shown('field', value)),
    ['<nil>', '[a b]', 'map[a:map[c:[true <nil>]] b:1]', 'map[]', '65536'],
  );
  const long = [
    shown('field', 'x'.repeat(1e6)),
    shown('field', Array(1000).fill('x'.repeat(1000))),
    shown('field', { [`${'k'.repeat(1e6)}`]: 1 }),
  ];
  for (const text of long) assert.equal(text.length, 256);
  assert.equal(shown('field', 'x'.repeat(256)), 'x'.repeat(256));
});

test('a value that may be a secret is not shown, by its field, by a name within it or by its look', () => {
  for (const field of ['password', 'primary.currentPassword', 'code', 'token', 'certPem', 'identitySecret', 'jwksEndpoint', 'data.apiKey'])
    assert.equal(shown(field, 'hunter2'), '***', field);
  assert.equal(
    shown('auth', { username: 'ann', password: 'hunter2', more: { code: 'hunter2' } }),
    'map[more:map[code:***] password:*** username:ann]',
  );
  for (const value of ['-----BEGIN PRIVATE KEY-----\nhunter2', 'eyJhbGciOiJub25lIn0.hunter2.x', 'ftp://ann:hunter2@example.org'])
    assert.equal(shown('name', value), '***');
});

onEveryStore('values at fault', (open) => {
  test('an object at fault is shown as text, without the secrets in it', async () => {
    await using app = await open();
    const refused = await app.request('POST', '/config-types', { body: { name: 'a', schema: { type: 'nonsense', apiKey: 'hunter2' } } });
    assert.equal(refused.status, 400);
    assert.match(refused.body.error.cause.value, /^map\[/);
    assert.doesNotMatch(refused.text, /hunter2/);
    for (const body of [
      { username: 'ann-ann', password: 'hu2' },
      { username: 'ann-ann', password: { hunter2: 'hunter2' } },
    ])
      assert.doesNotMatch((await app.request('POST', '/authenticate?method=password', { as: null, body })).text, /hu2|hunter2/);
    assert.ok(app.log.every((line) => !line.includes('hunter2')));
  });
});
