/**
 * One export that goes on searched the whole log again at each write of anybody, and held a hundred megabytes for a reader that stalled.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { config } from '../../src/contract/api/configs.ts';
import { compileMatcher, type Document } from '../../src/query/index.ts';
import { onEveryStore } from '../support/app.ts';
import { partsOfExport } from '../support/audit-export.ts';
import { overheard } from '../support/overheard.ts';
import { until } from '../support/until.ts';

onEveryStore('streams of the audit', (open, store) => {
  test('an export that continues does not search again what it has searched, and misses nothing', async () => {
    const { storage, asked } = overheard(store);
    await using app = await open({ storage });
    const write = (name: string, actor: string) =>
      app.controller.api.services.create({ body: { name, encryptionRequired: true } }, { actor });
    await write('before', 'sso:others');
    const parts = await partsOfExport(app, '?follow=true&actor=sso:wanted');
    const first = parts.next();
    const searches = () => asked.filter(({ where }) => JSON.stringify(where).includes('sso:wanted'));
    await until(() => searches().length > 0);
    const [searched] = (await app.rows('change')).slice(-1);
    assert.ok(searched);
    for (let i = 0; i < 5; i++) {
      const before = searches().length;
      await write(`other ${i}`, 'sso:others');
      await until(() => searches().length > before);
    }
    // The record of an earlier time, as if the wanted actor had written it.
    const early = { ...searched, actor: 'sso:wanted' } as unknown as Document;
    const again = searches()
      .slice(1)
      .filter(({ where }) => compileMatcher(where)(early));
    assert.equal(again.length, 0, 'searches that reach back');
    await write('wanted', 'sso:wanted');
    const { value } = await first;
    const lines = new TextDecoder().decode(value).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).entityName),
      ['wanted'],
    );
    await parts.return?.();
  });

  test('an export ends when its reader loses the right to it', async () => {
    await using app = await open();
    const { api } = app.controller;
    const auditor = await app.user({ permissions: ['admin_readonly'] });
    for (let i = 0; i < 120; i++) await api.services.create({ body: { name: `s${i}`, encryptionRequired: true } });
    const { body } = await app.controller.as(await auditor.login()).audit.export();
    assert.ok(typeof body === 'object' && Symbol.asyncIterator in body);
    const parts = body[Symbol.asyncIterator]();
    assert.equal((await parts.next()).done, false);
    await api.identities.patch({ id: auditor.id, body: { permissions: [] } });
    await assert.rejects(parts.next(), { code: 'UNAUTHORIZED' });
  });

  test('the parts of an export are small, however large its records are', async () => {
    await using app = await open();
    const [{ id: configTypeId } = { id: '' }] = (await app.controller.api.configTypes.list()).data;
    const RECORDS = 40;
    await app.inStore('write', async (entities) => {
      for (let i = 0; i < RECORDS; i++)
        await entities.insert(config, { name: `large ${i}`, configTypeId, data: { text: 'x'.repeat(200_000) } });
    });
    const parts = await partsOfExport(app, '?kind=config');
    let [largest, records] = [0, 0];
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      largest = Math.max(largest, part.value.length);
      records += new TextDecoder().decode(part.value).trim().split('\n').length;
    }
    assert.equal(records, RECORDS);
    assert.ok(largest < 2_500_000, `${largest} bytes in a part`);
  });
});
