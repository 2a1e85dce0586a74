import type { KyselyStorage, MigrationPlan } from '../../adapters/storage/kysely/index.ts';
import { StartFailure } from '../failure.ts';
import { prepareKept } from '../storage.ts';
import { keptStorageOf } from '../storage-option.ts';
import { command, storage } from './command.ts';

export const migrate = command({
  summary: 'show, print or run the migrations that the database lacks',
  options: {
    plan: { about: 'show what was run, and what is pending; change nothing' },
    sql: { about: 'print the SQL of what is pending, to be run in one transaction by other means; change nothing' },
    apply: { about: 'run what is pending, in one transaction' },
    storage,
  },
  notes:
    'Take a snapshot first. Servers of the previous release keep working during the migration and after it: see docs/guides/upgrading.md.',
  run: async (given) => {
    const [what, ...more] = (['plan', 'sql', 'apply'] as const).filter((name) => given.has(name));
    if (what === undefined || more.length > 0) throw new StartFailure('migrate needs one of --plan, --sql and --apply; see --help');
    const { adapter, name } = await prepareKept(keptStorageOf(given.get('storage')), what === 'apply' ? {} : { readOnly: true });
    if (what === 'apply') return apply(adapter, name);
    const plan = await adapter.plan();
    if (what === 'plan') return shown(plan, name);
    return plan.sql === '' ? '-- nothing is pending' : plan.sql.trimEnd();
  },
});

const apply = async (adapter: KyselyStorage, name: string): Promise<string> => {
  const { pending, missing } = await adapter.plan();
  await adapter.migrate();
  const { version } = await adapter.plan();
  const ran = pending.length + missing.length === 0 ? 'nothing was pending' : `ran ${pending.map(titled).join(', ') || 'what was missing'}`;
  return `${name}: ${ran}; the schema version is ${version}`;
};

const titled = ({ version, name }: { readonly version: number; readonly name: string }): string => `${version}-${name}`;

const shown = ({ version, target, applied, pending, missing, oldestBeside }: MigrationPlan, name: string): string =>
  [
    `${name}: schema version ${version}, and this release migrates to ${Math.max(version, target)}`,
    ...applied.map((one) => `  ran      ${titled(one)}, ${one.appliedAt}${one.software === null ? '' : `, by ${one.software}`}`),
    ...pending.map((one) => `  pending  ${titled(one)}: ${one.changes.join('; ')}${one.canWait ? ' (can wait)' : ''}`),
    ...missing.map((advice) => `  missing  ${advice}`),
    version > target
      ? `A newer release has migrated the database. Releases from schema version ${oldestBeside} on can still use it; this one has ${target}.`
      : pending.length + missing.length === 0
        ? 'Nothing is pending.'
        : `Servers from schema version ${oldestBeside} on keep working on the migrated database; older ones are refused every write.`,
  ].join('\n');
