import { join } from 'node:path';
import { defaultSettings } from '../src/call/settings.ts';
import { namesOf, urlOf } from './addresses.ts';
import {
  HELP,
  helpOfOptions,
  mergeSources,
  type OptionTable,
  type OptionValues,
  readArguments,
  type Source,
  wrapped,
} from './arguments.ts';
import { StartFailure } from './failure.ts';
import { secretKeyIn } from './secret-key.ts';
import { type ParsedOptions, type ServerOption, type ServerOptions, serverTable } from './server-options.ts';
import { checkSetting, serverSettings, settingOptions, settingsOf } from './setting-options.ts';
import { type Environment, environmentSource, fileSource, memberOf, withFileVariables } from './sources.ts';
import { dataFolderOf } from './storage-option.ts';

/** The options of the server, and one option for each setting. */
const TABLE: OptionTable = { ...serverTable, ...settingOptions };

type Name = keyof typeof serverTable;

/** The environment of a command, in which variables that name a file are replaced by its content. */
export const environmentOf = (variables: Environment): Environment => withFileVariables(variables, TABLE);

/** The sources of options that all commands share. */
export const sharedSources = (environment: Environment): SharedSources => {
  const { 'print-config': _, ...configurable } = TABLE;
  return { environment, configurable };
};

/** The help of the server's options. */
export const helpOfServer = (): string => `${helpOfOptions({ ...serverTable, ...HELP })}

Settings:
${helpOfOptions(settingOptions)}

${NOTES.map((note) => wrapped(note).join('\n')).join('\n')}`;

const NOTES = [
  'Options can also be set by environment variables, and in the file of --config: --max-body-bytes is OVERLAY_MAX_BODY_BYTES in the environment, and maxBodyBytes in the file.',
  'A variable can also name a file that contains the value, such as a mounted secret: OVERLAY_STORAGE_FILE, ADMIN_PASSWORD_FILE, SECRET_KEY_FILE.',
  'SIGTERM and SIGINT shut the server down; a second signal ends it immediately. SIGHUP reloads certificates.',
  'Exit status: 0 after a complete shutdown, 1 if the start or the shutdown failed, 3 if the shutdown did not finish in time.',
];

/**
 * @returns undefined if help was requested
 * @throws StartFailure that names the option, the given value and the valid ones
 */
export const readOptions = (args: readonly string[], variables: Environment): ServerOptions | undefined => {
  const environment = environmentOf(variables);
  const given = collectOptions(args, TABLE, sharedSources(environment));
  if (given === 'help') return undefined;
  try {
    const options = optionsIn(given, environment);
    return given.has('print-config') ? { ...options, configuration: formatConfiguration(options, given) } : options;
  } catch (error) {
    throw withSourceSpelling(error, given);
  }
};

const optionsIn = (given: OptionValues<Name>, environment: Environment): ServerOptions => {
  // Routers authenticate with certificates.
  if (given.has('router-port') && given.get('tls') === 'off')
    throw new StartFailure('--router-port needs TLS: it cannot be combined with --tls off');
  const { migrations, console, ...parsed } = parsedOptions(given);
  if (console && !parsed.oidc)
    throw new StartFailure('--console on needs --oidc on, because users log in to the console through the OpenID provider');
  const [username, password] = [given.get('admin-username'), given.get('admin-password')];
  return {
    ...parsed,
    console: console ?? parsed.oidc,
    ...(migrations === 'wait' ? { waitsForMigrations: true } : {}),
    ...secretKeyIn(given, environment),
    administrator: { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) },
    administratorOptions: (['admin-username', 'admin-password'] as const).flatMap((name) => given.source(name) ?? []),
    settings: settingsOf(given),
  };
};

const parsedOptions = (given: OptionValues<Name>): ParsedOptions =>
  Object.fromEntries(
    Object.entries<ServerOption>(serverTable).flatMap(([name, { member = memberOf(name), parse, parseAll, default: defaultText }]) => {
      const texts = given.all(name as Name); // a key of the table
      const last = texts.at(-1) ?? defaultText;
      if (last === undefined) return [];
      if (parseAll) return [[member, parseAll(texts)]];
      return parse ? [[member, parse(last, name)]] : [];
    }),
  ) as ParsedOptions; // each member as its parser returned it

/** The sources of options other than the command line. */
interface SharedSources {
  readonly environment: Environment;
  /**
   * The options that the environment and a configuration file may set: always those of the server, even for another command. Without the
   * option `config`, there is no such file.
   */
  readonly configurable: OptionTable;
}

/**
 * Reads the options from the command line, the environment, and the file of `--config`, in this order of precedence.
 * @returns `help` if that was requested
 * @throws StartFailure for an unknown option, with the nearest known one
 */
export const collectOptions = (
  args: readonly string[],
  table: OptionTable,
  { environment, configurable }: SharedSources,
): OptionValues<string> | 'help' => {
  const commandLine = readArguments(args, table);
  if (commandLine === 'help') return 'help';
  // A command may have an option `config` of its own.
  const { config: own, ...fileOptions } = configurable;
  const variables = environmentSource(environment, own ? configurable : fileOptions);
  const file = own && mergeSources(commandLine, variables).get('config');
  const files = file === undefined ? [] : [fileSource(file, fileOptions, checkSetting)];
  return mergeSources(commandLine, variables, unprefixedVariables(environment), ...files);
};

/** Variables without the prefix `OVERLAY_`. */
const unprefixedVariables = ({ ADMIN_PASSWORD }: Environment): Source => ({
  values: new Map(ADMIN_PASSWORD ? [['admin-password', [ADMIN_PASSWORD]]] : []),
  label: () => 'ADMIN_PASSWORD',
});

/** Replaces the command-line spelling of the option at the start of an error message with its spelling in the source that set it. */
export const withSourceSpelling = (error: unknown, given: OptionValues<string>): unknown => {
  const [, option = ''] = (error instanceof StartFailure && /^--([a-z-]+)/.exec(error.message)) || [];
  const source = given.source(option);
  return error instanceof StartFailure && source !== undefined
    ? new StartFailure(error.message.replace(`--${option}`, () => source))
    : error;
};

/** The widest column that `formatConfiguration` pads other lines to. */
const MAX_PADDED_WIDTH = 50;

/** One line for each effective option and setting: its name in a configuration file, its value, and its source. */
const formatConfiguration = (options: ServerOptions, given: OptionValues<string>): string => {
  const defaults = defaultValues(options);
  const rows = Object.entries(TABLE)
    .filter(([option]) => option !== 'print-config')
    .map(([option, { value: placeholder, redact = String, default: defaultValue = defaults[memberOf(option)] ?? '-' }]) => {
      const source = given.source(option);
      if (source === undefined) return [memberOf(option), defaultValue, 'default'];
      const value = placeholder === undefined ? String(given.has(option)) : given.all(option).map(redact).join(' ; ');
      return [memberOf(option), value, source];
    });
  if (options.secretKey !== undefined) rows.push(['secretKey', '***', 'SECRET_KEY']);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => Math.min(row[column]?.length ?? 0, MAX_PADDED_WIDTH))));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
};

/** The defaults that depend on other options, and the defaults of settings. */
const defaultValues = (options: ServerOptions): Readonly<Record<string, string>> => {
  const { tls, host, port, storage, secretKey } = options;
  const folder = dataFolderOf(storage, options.dataFolder);
  const settings = { ...defaultSettings, ...serverSettings({ ...options, settings: {} }) };
  return {
    ...Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value) || '-'])),
    address: urlOf(tls.is !== 'off', namesOf(host).advertised, port),
    dataFolder: folder,
    snapshots: join(folder, 'snapshots'),
    health: 'false',
    ...(secretKey === undefined && storage.is !== 'memory' ? { secretKeyFile: join(folder, 'secret.key') } : {}),
  };
};
