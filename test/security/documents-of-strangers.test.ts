import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StateDocument } from '../../src/index.ts';
import { onEveryStore } from '../support/app.ts';
import { policyBody } from '../support/policies.ts';

const wiki = { name: 'wiki', encryptionRequired: true };
/** No text, and no value that a conversion to text accepts. */
const NO_TEXT = { toString: 1 };
const METHODS = policyBody('', { cert: { allowed: false, allowExpiredCerts: false }, updb: { allowed: false } }).primary;

/** Signers and authentication policies, each of which refers to the next. */
const chain = (length: number): StateDocument => {
  const numbers = Array.from({ length }, (_, i) => i);
  return {
    externalJwtSigners: numbers.map((i) => ({
      name: `signer ${i}`,
      issuer: `https://${i}.example.com`,
      audience: 'overlay',
      enabled: true,
      jwksEndpoint: 'https://example.com/keys',
      enrollAuthPolicy: `policy ${i}`,
    })),
    authPolicies: numbers.map((i) => ({
      name: `policy ${i}`,
      primary: METHODS,
      secondary: { requireTotp: false, ...(i + 1 < length ? { requireExtJwtSigner: `signer ${i + 1}` } : {}) },
    })),
  };
};

onEveryStore('a hostile state document', (open) => {
  for (const [what, document] of Object.entries({
    'an owner label': { owner: 'us', services: [{ ...wiki, tags: { managedBy: NO_TEXT } }] },
    'the end of a role attribute': {
      identities: [{ name: 'ann', roleAttributes: ['staff'], roleAttributeGrants: { staff: { validUntil: NO_TEXT } } }],
    },
    'the type of a posture check': { postureChecks: [{ name: 'check', typeId: NO_TEXT }] },
  } satisfies Record<string, StateDocument>))
    test(`is refused with its place if ${what} is an object`, async () => {
      await using app = await open();
      await assert.rejects(app.controller.api.state.plan({ body: { document } }), { code: 'COULD_NOT_VALIDATE', status: 400 });
    });

  test('may have a chain of references as long as a body can hold', async () => {
    await using app = await open();
    const { operations } = await app.controller.api.state.plan({ body: { document: chain(700), access: false } });
    assert.equal(operations.length, 1400);
  });

  test('keeps names that look like escaped references of batches', async () => {
    await using app = await open();
    const { api } = app.controller;
    const names = ['$1.id', '$$1.id', '$$$1.id', '@$1.id', '@$$1.id'];
    const document = { services: names.map((name) => ({ ...wiki, name })) };
    await api.state.apply({ body: { document } });
    assert.deepEqual((await api.services.list()).data.map(({ name }) => name).toSorted(), names.toSorted());
    assert.deepEqual((await api.state.plan({ body: { document } })).operations, []);
  });
});
