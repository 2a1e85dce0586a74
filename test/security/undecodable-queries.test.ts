import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Operation } from '../../src/contract/api/kit/operation.ts';
import { entries } from '../../src/controller/entries.ts';
import { onEveryStore } from '../support/app.ts';
import { assertInvalid } from '../support/refusals.ts';

/** What is no text in UTF-8 once it is decoded, or may have been meant as two parameters. */
const UNDECODABLE = ['%ff', '%zz', '%', 'name%3D%22a%22%', '%c3%28', 'a;b', 'false;limit=5', 'name="a;b"'];

onEveryStore('queries that cannot be decoded', (open) => {
  test('a filter or sort that cannot be decoded is refused by its name, never dropped', async () => {
    await using app = await open();
    await app.create('/services', { name: 'hidden', encryptionRequired: true });
    for (const name of ['filter', 'sort', 'roleFilter', 'roleSemantic', 'asIdentity', 'configTypes', 'limit', 'offset'])
      for (const value of UNDECODABLE) assertInvalid(await app.request('GET', `/services?${name}=${value}`), name);
    assertInvalid(await app.request('GET', '/services?other=1;filter=false'), 'filter');
    assertInvalid(await app.request('GET', '/services?%66ilter=%ff'), 'filter');
  });

  test('what the operation does not ask for is ignored, whatever it is', async () => {
    await using app = await open();
    for (const value of UNDECODABLE.filter((each) => !each.includes('limit')))
      assert.equal((await app.request('GET', `/services?other=${value}&%ff`)).status, 200, value);
    assert.equal((await app.request('GET', '/services?filter=name%3D%22a%3Bb%22')).status, 200);
  });

  test('who has no session learns nothing of it', async () => {
    await using app = await open();
    assert.equal((await app.request('GET', '/services?filter=%ff', { as: null })).status, 401);
  });
});

describe('every operation with a query', () => {
  test('declares filter and sort where it takes a list, so that both are refused there', () => {
    const lists = entries.filter(({ operation: { query } }) => query && 'filter' in query.shape);
    // The records of the change log have two orders; a stream and an export of the journal have one.
    const isOrdered = ({ operationId, answer, query }: Operation) =>
      answer.is === 'events' || operationId === 'exportJournal' || (query && ('sort' in query.shape || 'order' in query.shape));
    assert.ok(lists.length > 50);
    assert.deepEqual(
      lists.filter(({ operation }) => !isOrdered(operation)).map(({ operation }) => operation.operationId),
      [],
    );
  });
});
