import type { KyselyStorage, MigrationPlan } from '../../adapters/storage/kysely/index.ts';
import { StartFailure } from '../failure.ts';
import { prepareKept } from '../storage.ts';
import { parseKeptStorage } from '../storage-option.ts';
import { defineCommand, storageOption } from './command.ts';

export const migrate = defineCommand({
  summary: 'show, print or run the migrations that the database lacks',
  options: {
    plan: { about: 'show completed and pending migrations; change nothing' },
    sql: { about: 'print the SQL of the pending migrations, for another tool to run in one transaction; change nothing' },
    apply: { about: 'run the pending migrations, in one transaction' },
    storage: storageOption,
  },
  notes:
    'Take a snapshot first. Servers of the previous release keep working during the migration and after it: see docs/guides/upgrading.md.',
  run: async (given) => {
    const [mode, ...otherModes] = (['plan', 'sql', 'apply'] as const).filter((option) => given.has(option));
    if (mode === undefined || otherModes.length > 0) throw new StartFailure('migrate needs one of --plan, --sql and --apply; see --help');
    const { adapter, name } = await prepareKept(parseKeptStorage(given.get('storage')), mode === 'apply' ? {} : { readOnly: true });
    if (mode === 'apply') return apply(adapter, name);
    const plan = await adapter.plan();
    if (mode === 'plan') return planText(plan, name);
    return plan.sql === '' ? '-- nothing is pending' : plan.sql.trimEnd();
  },
});

const apply = async (adapter: KyselyStorage, name: string): Promise<string> => {
  const { pending, missing } = await adapter.plan();
  await adapter.migrate();
  const { version } = await adapter.plan();
  const ran = pending.length + missing.length === 0 ? 'nothing was pending' : `ran ${pending.map(titleOf).join(', ') || 'missing steps'}`;
  return `${name}: ${ran}; the schema version is ${version}`;
};

const titleOf = ({ version, name }: { readonly version: number; readonly name: string }): string => `${version}-${name}`;

const planText = (plan: MigrationPlan, name: string): string => {
  const { version, target, applied, pending, missing } = plan;
  return [
    `${name}: schema version ${version}${version > target ? '' : `, and this release migrates to ${target}`}`,
    ...applied.map((step) => `  ran      ${titleOf(step)}, ${step.appliedAt}${step.software === null ? '' : `, by ${step.software}`}`),
    ...pending.map((step) => `  pending  ${titleOf(step)}: ${step.changes.join('; ')}${step.canWait ? ' (can wait)' : ''}`),
    ...missing.map((advice) => `  missing  ${advice}`),
    consequenceOf(plan),
  ].join('\n');
};

/** A sentence on the releases that can use the database. */
const consequenceOf = ({ version, target, pending, missing, oldestBeside }: MigrationPlan): string => {
  if (version > target)
    return `A newer release has migrated the database. Releases with schema version ${oldestBeside} or later can still use it; this one has ${target}.`;
  return pending.length + missing.length === 0
    ? 'Nothing is pending.'
    : `Servers with schema version ${oldestBeside} or later keep working on the migrated database; writes of older ones are refused.`;
};
