/**
 * Writes the next migration of the SQL stores, from the difference between the existing migrations and the storage schema.
 *
 *     node scripts/migration.ts add-services
 *     node scripts/migration.ts drop-old-names --contract    (drops everything that a migration of an earlier release has retired)
 *     node scripts/migration.ts initial --anew               (only before the first release: replaces all existing migrations)
 */
import { execFileSync } from 'node:child_process';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Migration, migrations, nextContraction, nextMigration } from '../adapters/storage/kysely/index.ts';
import { storageSchema } from '../src/store/storage/schema.ts';
import { literal, quoted } from './literal.ts';

const FOLDER = new URL('../adapters/storage/kysely/migrations/', import.meta.url);

/** The file of a migration. */
const migrationFile = ({ version, name, steps }: Migration): string =>
  [
    "import type { Migration } from '../migration.ts';",
    '',
    'export const migration: Migration = {',
    `  version: ${version},`,
    `  name: ${quoted(name)},`,
    '  steps: [',
    ...steps.map((step) => `    ${literal(step)},`),
    '  ],',
    '};',
    '',
  ].join('\n');

/** The list of all migrations. */
const indexFile = (all: readonly Pick<Migration, 'version' | 'name'>[]): string =>
  [
    '/** The migrations in order. Written by `scripts/migration.ts`. */',
    "import type { Migration } from '../migration.ts';",
    ...all.map((migration) => `import { migration as ${variable(migration)} } from './${fileName(migration)}';`),
    '',
    `/** All migrations, in order. */\nexport const migrations: readonly Migration[] = [${all.map(variable).join(', ')}];`,
    '',
  ].join('\n');

const fileName = ({ version, name }: Pick<Migration, 'version' | 'name'>): string => `${String(version).padStart(4, '0')}-${name}.ts`;
const variable = ({ version }: Pick<Migration, 'version'>): string => `m${String(version).padStart(4, '0')}`;

const main = async (name: string | undefined, option: string | undefined): Promise<string> => {
  if (name === undefined || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new Error(`a migration is named by words joined with hyphens, as in add-services, got '${name ?? ''}'`);
  const isAnew = option === '--anew';
  const recorded = isAnew ? [] : migrations;
  if (isAnew) await removeAll();
  const next = option === '--contract' ? nextContraction(recorded, name) : nextMigration(recorded, storageSchema, name);
  if (!next)
    return option === '--contract'
      ? 'nothing was retired that is not dropped yet: there is nothing to write'
      : 'the migrations add up to the storage schema: there is nothing to write';
  const [file, index] = [new URL(fileName(next), FOLDER), new URL('index.ts', FOLDER)];
  await writeFile(file, migrationFile(next));
  await writeFile(index, indexFile([...recorded, next]));
  execFileSync('npx', ['biome', 'format', '--write', fileURLToPath(file), fileURLToPath(index)], { stdio: 'ignore' });
  const { length } = next.steps;
  return `wrote adapters/storage/kysely/migrations/${fileName(next)} with ${length} step${length === 1 ? '' : 's'}`;
};

const removeAll = async (): Promise<void> => {
  for (const file of await readdir(FOLDER)) if (/^\d{4}-/.test(file)) await rm(new URL(file, FOLDER));
};

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await main(process.argv[2], process.argv[3]));
