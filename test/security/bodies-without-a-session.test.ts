/**
 * GHSA-q8g9-jc4c-jp6q, GHSA-j952-6x8x-jmj6: bodies were buffered whole, and at the older path of enrollment twice, before anything was
 * asked of their sender.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchHandler } from '../../adapters/http/fetch.ts';
import { openApp } from '../support/app.ts';

const LIMIT = 1_048_576;
const CHUNK = 65_536;

const [C, M, OIDC] = ['/edge/client/v1', '/edge/management/v1', '/oidc'];
const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const PEM = 'application/x-pem-file';

/** Operations that need no session, and the media type of a body that they take. */
const OPEN: readonly (readonly [path: string, contentType: string])[] = [
  [`${C}/authenticate?method=password`, JSON_TYPE],
  [`${M}/authenticate?method=password`, JSON_TYPE],
  [`${M}/authenticate?method=ext-jwt`, JSON_TYPE],
  ...['ott', 'ottca', 'ca', 'erott', 'trott', 'token'].map((method) => [`${C}/enroll?method=${method}&token=x`, JSON_TYPE] as const),
  [`${C}/enroll?method=ott&token=x`, PEM],
  [`${C}/enroll?method=token`, PEM],
  [`${C}/enroll/ott`, JSON_TYPE],
  [`${C}/enroll/erott`, JSON_TYPE],
  [`${C}/enroll/updb?token=x`, JSON_TYPE],
  [`${C}/enroll/token`, JSON_TYPE],
  [`${OIDC}/oauth/token`, FORM],
  [`${OIDC}/authorize`, FORM],
  [`${OIDC}/login/username`, FORM],
  [`${OIDC}/login/username`, JSON_TYPE],
  [`${OIDC}/login/ext-jwt`, JSON_TYPE],
  [`${OIDC}/revoke`, FORM],
];

test('a stranger who sends without end is read up to the limit of a body, and no further', async () => {
  await using app = await openApp('memory');
  const handle = fetchHandler(app.controller);
  for (const [path, contentType] of OPEN) {
    let sent = 0;
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          sent += CHUNK;
          controller.enqueue(new Uint8Array(CHUNK).fill(32));
        },
        cancel: () => {
          isCancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    const init = { method: 'POST', headers: { 'content-type': contentType }, body, duplex: 'half' } as const;
    const { status } = await handle(new Request(`https://ctrl.test${path}`, init));
    assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
    assert.ok(sent <= LIMIT + 2 * CHUNK, `${path}: ${sent} bytes were read`);
    assert.ok(isCancelled || sent === 0, path);
  }
});

test('a body that is announced above the limit is 413, and nothing of it is read', async () => {
  await using app = await openApp('memory');
  const handle = fetchHandler(app.controller);
  for (const [path, contentType] of OPEN) {
    let isRead = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: () => {
          isRead = true;
        },
      },
      { highWaterMark: 0 },
    );
    const headers = { 'content-type': contentType, 'content-length': String(LIMIT + 1) };
    const { status } = await handle(new Request(`https://ctrl.test${path}`, { method: 'POST', headers, body, duplex: 'half' }));
    assert.deepEqual([status, isRead], [413, false], path);
  }
});
