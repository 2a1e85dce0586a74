import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { writeEventsFile } from '../../server/events-file.ts';
import { readOptions } from '../../server/options.ts';
import { testNetwork } from '../../testing/index.ts';
import { until } from '../support/until.ts';

const inFolder = async (work: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'events-'));
  try {
    await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const SILENT = { warn: () => undefined };

test('events are lines of JSON; a full file is kept under the next number, and the oldest is dropped', () =>
  inFolder(async (folder) => {
    const network = await testNetwork();
    const { api } = network.controller;
    const file = join(folder, 'events.jsonl');
    const close = writeEventsFile(network.controller, { file, maxBytes: 4000, backups: 2 }, SILENT);
    const lines = () =>
      readdirSync(folder).flatMap((name) =>
        readFileSync(join(folder, name), 'utf8')
          .trim()
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      );
    for (let i = 0; i < 30; i++) {
      await api.services.create({ body: { name: `service-${i}`, encryptionRequired: true } });
      await until(() => lines().some(({ finalState }) => finalState?.name === `service-${i}`));
    }
    await close();
    assert.deepEqual(readdirSync(folder).toSorted(), ['events.jsonl', 'events.jsonl.1', 'events.jsonl.2']);
    for (const name of readdirSync(folder)) assert.ok(statSync(join(folder, name)).size <= 4000, name);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const names = lines().flatMap(({ finalState }) => (finalState ? [finalState.name] : []));
    assert.ok(!names.includes('service-0') && names.includes('service-29'));
    await network.close();
  }));

test('without former files, a full file begins again', () =>
  inFolder(async (folder) => {
    const network = await testNetwork();
    const file = join(folder, 'events.jsonl');
    const close = writeEventsFile(network.controller, { file, maxBytes: 3000, backups: 0 }, SILENT);
    for (let i = 0; i < 12; i++) {
      await network.controller.api.services.create({ body: { name: `service-${i}`, encryptionRequired: true } });
      await until(() => readdirSync(folder).length > 0 && readFileSync(file, 'utf8').includes(`"service-${i}"`));
    }
    await close();
    assert.deepEqual(readdirSync(folder), ['events.jsonl']);
    assert.ok(statSync(file).size <= 3000);
    await network.close();
  }));

test('the option has a file, and optionally its size in megabytes and the number of former files', () => {
  const read = (value: string) => readOptions(['--events-file', value], {})?.eventsFile;
  assert.deepEqual(read('events.jsonl'), { file: 'events.jsonl', maxBytes: 10_000_000, backups: 1 });
  assert.deepEqual(read('/var/log/events.jsonl,50,7'), { file: '/var/log/events.jsonl', maxBytes: 50_000_000, backups: 7 });
  for (const wrong of ['', ',5', 'file,0', 'file,5,101', 'file,x', 'file,1,2,3'])
    assert.throws(() => read(wrong), /--events-file must be FILE, FILE,MEGABYTES or FILE,MEGABYTES,FILES/, wrong);
});
