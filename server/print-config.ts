import { join } from 'node:path';
import { defaultSettings } from '../src/call/settings.ts';
import { namesOf, urlOf } from './addresses.ts';
import type { Given, OptionTable } from './arguments.ts';
import type { ServerOptions } from './server-options.ts';
import { serverSettings } from './setting-options.ts';
import { memberOf } from './sources.ts';
import { dataFolderOf } from './storage-option.ts';

/** One line for each effective option and setting: its name in a configuration file, its value, and its source. */
export const printed = (options: ServerOptions, given: Given<string>, table: OptionTable): string => {
  const defaults = defaultValues(options);
  const rows = Object.entries(table)
    .filter(([option]) => option !== 'print-config')
    .map(([option, { value: placeholder, shown = String, default: defaultValue = defaults[memberOf(option)] ?? '-' }]) => {
      const source = given.source(option);
      const texts = given.all(option).map(shown);
      const value = source === undefined ? defaultValue : placeholder === undefined ? String(texts.length > 0) : texts.join(' ; ');
      return [memberOf(option), value, source ?? 'default'];
    });
  if (options.secretKey !== undefined) rows.push(['secretKey', '***', 'SECRET_KEY']);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => Math.min(row[column]?.length ?? 0, 50))));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
};

/** Defaults that derive from other options, and the defaults of settings. */
const defaultValues = (options: ServerOptions): Readonly<Record<string, string>> => {
  const { tls, host, port, storage, secretKey } = options;
  const folder = dataFolderOf(storage);
  const settings = { ...defaultSettings, ...serverSettings({ ...options, settings: {} }) };
  return {
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value) || '-'])),
    address: urlOf(tls.is !== 'off', namesOf(host).advertised, port),
    snapshots: join(folder, 'snapshots'),
    health: 'false',
    ...(secretKey === undefined && storage.is !== 'memory' ? { secretKeyFile: join(folder, 'secret.key') } : {}),
  };
};
