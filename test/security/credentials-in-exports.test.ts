/** Files travel further than pages: an export of the console has no credential that the API shows to those who may enroll others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Format, textOfFile } from '../../console/app/export.ts';
import { credentialsOf } from '../../src/call/resources/credential-fields.ts';
import { allKinds } from '../../src/call/resources/kinds.ts';
import { openApp } from '../support/app.ts';

const FORMATS: readonly Format[] = ['csv', 'json'];

test('an export has no field that a kind declares as a credential', () => {
  for (const name of allKinds.flatMap(credentialsOf))
    for (const format of FORMATS) assert.doesNotMatch(textOfFile(format, [{ id: 'a', [name]: 'classified' }]), /classified/, name);
});

test('an export of identities, of enrollments and of routers has no token to enroll with', async () => {
  await using app = await openApp('memory');
  await app.create('/identities', { name: 'phone', type: 'Device', isAdmin: false, enrollment: { ott: true } });
  await app.create('/edge-routers', { name: 'edge' });
  for (const path of ['/identities', '/enrollments', '/edge-routers']) {
    const { data } = (await app.request('GET', path)).body;
    assert.match(JSON.stringify(data), /"[^"]*(token|jwt)":"/i, path);
    for (const format of FORMATS) {
      const text = textOfFile(format, data);
      assert.match(text, /expiresAt|enrollmentExpiresAt/i, path);
      assert.doesNotMatch(text, /"?(token|jwt)"?:|eyJ/i, path);
    }
  }
});
