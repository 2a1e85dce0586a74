import type { MigrationPlan } from '../../adapters/storage/kysely/index.ts';
import { type Inspection, inspectStore, type KindName } from '../../src/index.ts';
import { StartFailure } from '../failure.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import { defineCommand, storageOption } from './command.ts';

export const inspect = defineCommand({
  summary: 'show the schema version of a database, the number of entities of each kind, or entities that match a filter',
  options: {
    list: { value: 'KIND', about: 'list entities of this kind, such as identity, one JSON object per line' },
    filter: { value: 'FILTER', about: 'filter, as in lists: \'name contains "ann" sort by name\' (docs/filters.md)' },
    limit: { value: 'COUNT', about: 'maximum number of entities, 1 to 500, or all (default 100)' },
    storage: storageOption,
  },
  notes:
    'Servers may keep running. Nothing is written or migrated, and the secret key is not needed. Neither hashes nor secrets are shown. The database may be of another release.',
  run: async (given) => {
    const { adapter, name } = await prepareKept(parseKeptStorage(given.get('storage')), { readOnly: true });
    const plan = await adapter.plan();
    if (plan.version === 0)
      throw new StartFailure(`there are no tables in ${name}: create them with the command migrate --apply, or by starting the server`);
    const kind = given.get('list');
    if (kind === undefined && (given.has('filter') || given.has('limit')))
      throw new StartFailure('--filter and --limit need --list KIND; see --help');
    const inspection = await inspectStore({ storage: adapter });
    const text =
      kind === undefined ? summarize(inspection, plan, name) : listEntities(inspection, kind, given.get('filter'), given.get('limit'));
    return text.finally(() => inspection.close());
  },
});

const summarize = async (inspection: Inspection, { version, target, applied, pending }: MigrationPlan, name: string): Promise<string> => {
  const [last, counts] = [await inspection.lastChange(), await inspection.counts()];
  const { appliedAt = '', software = null } = applied.at(-1) ?? {};
  const schema = version === target ? '' : `, and this release has ${target}${pending.length > 0 ? ': see migrate --plan' : ''}`;
  const row = (label: string, value: unknown) => `${label.padEnd(28)}${value}`;
  return [
    row('database', name),
    row('schema version', `${version}${schema}`),
    row('migrated', `${appliedAt}${software === null ? '' : ` by ${software}`}`),
    row('last change', last ? `revision ${last.revision}, ${last.at}` : 'none'),
    ...Object.entries(counts).map(([kind, count]) => row(kind, count)),
  ].join('\n');
};

const listEntities = async (inspection: Inspection, kind: string, filter: string | undefined, limit = '100'): Promise<string> => {
  const maxCount = limit === 'all' ? -1 : Number(limit);
  if (!Number.isInteger(maxCount) || maxCount === 0 || maxCount < -1 || maxCount > 500)
    throw new StartFailure(`--limit must be 1 to 500, or all, got '${limit}'`);
  // `list` rejects an unknown kind with the list of known ones.
  const { data } = await inspection.list(kind as KindName, { limit: maxCount, ...(filter === undefined ? {} : { filter }) });
  return data.map((entity) => JSON.stringify(entity)).join('\n');
};
