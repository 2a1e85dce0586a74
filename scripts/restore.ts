/**
 * Fills an empty store from a snapshot: `npm run restore -- --snapshot FILE --storage sqlite:FILE|postgres://...`.
 * No server may run on the store. Where secrets are sealed, the server that is started on it needs the secret key of the network.
 */
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { fileTrouble, StartFailure, sentenceOf } from '../server/failure.ts';
import { readOptions } from '../server/options.ts';
import { prepareStorage } from '../server/storage.ts';
import { restoreSnapshot } from '../src/index.ts';

const restore = async (): Promise<string> => {
  const { values } = parseArgs({ options: { snapshot: { type: 'string' }, storage: { type: 'string' } } });
  const { snapshot, storage } = values;
  if (!snapshot || !storage)
    throw new StartFailure('usage: npm run restore -- --snapshot FILE --storage sqlite:FILE|postgres://HOST/DATABASE');
  const chosen = readOptions([`--storage=${storage}`], {})?.storage;
  if (!chosen || chosen.is === 'memory')
    throw new StartFailure('--storage must be one that stays: a store in memory would be gone at once');
  await access(snapshot).catch((error: unknown) => {
    throw new StartFailure(`cannot read the snapshot ${snapshot}: ${fileTrouble(error)}`);
  });
  const { adapter, name } = await prepareStorage(chosen);
  const { rows, takenAt, revision } = await restoreSnapshot({ storage: adapter, snapshot: createReadStream(snapshot) });
  return `restored ${rows} rows of ${takenAt}, revision ${revision}, into ${name}`;
};

try {
  console.log(await restore());
} catch (error) {
  console.error(`error: ${sentenceOf(error)}`);
  process.exitCode = 1;
}
