import { hintOf, type OptionDeclaration, type OptionTable, type Source } from './arguments.ts';
import { StartFailure, sentenceOf } from './failure.ts';
import { readText } from './files.ts';

/** The environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** An option has one name in three spellings: `--drain-time`, `OVERLAY_DRAIN_TIME` in the environment, and `drainTime` in a file. */
export const memberOf = (option: string): string => option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
export const optionOf = (member: string): string => member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const PREFIX = 'OVERLAY_';
const variableOf = (option: string): string => PREFIX + option.replaceAll('-', '_').toUpperCase();

/**
 * Checks the value of an option in a file before it is converted to text.
 * @throws StartFailure that uses the option's spelling in its source
 */
export type CheckMember = (option: string, value: unknown, source: string) => void;

/**
 * Reads the options in a file: a JSON object with a member for each.
 * @throws StartFailure that names the file and the invalid member, with a hint
 */
export const fileSource = (file: string, table: OptionTable, check: CheckMember): Source => {
  const label = (option: string) => `${memberOf(option)} in ${file}`;
  const members = new Map(Object.keys(table).map((option) => [memberOf(option), memberOf(option)]));
  const values = Object.entries(objectIn(file)).map(([member, value]) => {
    const option = optionOf(member);
    if (!members.has(member)) throw new StartFailure(`${file} has an unknown member '${member}'${hintOf(member, members)}`);
    check(option, value, label(option));
    return [option, textsOf(value, table[option], label(option))] as const;
  });
  return { values: new Map(values), label };
};

const objectIn = (file: string): object => {
  const text = readText(file);
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (error) {
    // The rest of the message quotes the file, which may contain a password.
    const [, position = ''] = /( at .*?)$/.exec(sentenceOf(error)) ?? [];
    throw new StartFailure(`${file} is not valid JSON${/^[ a-z0-9()]+$/.test(position) ? position : ''}`);
  }
  throw new StartFailure(`${file} must contain a JSON object, such as {"port": 1280}`);
};

/** Error messages omit the value, which may be a password. */
const textsOf = (value: unknown, { value: placeholder, list }: OptionDeclaration = { about: '' }, label: string): readonly string[] => {
  if (placeholder === undefined) {
    if (typeof value === 'boolean') return value ? [''] : [];
    throw new StartFailure(`${label} must be true or false`);
  }
  const texts = list && Array.isArray(value) ? value.map((item) => textOf(item, placeholder)) : [textOf(value, placeholder)];
  if (texts.every((text) => text !== undefined)) return list === 'commas' ? [texts.join()] : texts;
  if (list) throw new StartFailure(`${label} must be a string, or a list of strings`);
  throw new StartFailure(`${label} must be ${placeholder === SWITCH ? '"on", "off", true or false' : 'a string or a number'}`);
};

/** The placeholder of options that may also be booleans in a file. */
const SWITCH = 'on|off';

const textOf = (value: unknown, placeholder: string): string | undefined => {
  if (typeof value === 'boolean' && placeholder === SWITCH) return value ? 'on' : 'off';
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};

/**
 * Reads the options in the environment. Several values of one option are separated by semicolons; a flag is `true` or `false`. Empty
 * variables count as absent.
 * @throws StartFailure for a variable with the prefix that is not an option
 */
export const environmentSource = (environment: Environment, table: OptionTable): Source => {
  const options = new Map(Object.keys(table).map((option) => [normalized(option), option]));
  const spellings = new Map([...options].map(([name, option]) => [name, variableOf(option)]));
  const values = new Map<string, readonly string[]>();
  const variables = new Map<string, string>();
  for (const [variable, value = ''] of Object.entries(environment)) {
    if (value === '' || !variable.toUpperCase().startsWith(PREFIX) || isServiceLink(variable, value)) continue;
    const name = normalized(variable.slice(PREFIX.length));
    const option = options.get(name);
    if (option === undefined) throw new StartFailure(`unknown environment variable ${variable}${hintOf(name, spellings)}`);
    const other = variables.get(option);
    if (other !== undefined)
      throw new StartFailure(`the environment variables ${other} and ${variable} set the same option: keep one of them`);
    variables.set(option, variable);
    values.set(option, variableTexts(value, table[option], variable));
  }
  return { values, label: (option) => variables.get(option) ?? variableOf(option) };
};

/** Variables without the prefix, which hold secrets. */
const SECRETS: ReadonlySet<string> = new Set(['ADMIN_PASSWORD', 'NEW_PASSWORD', 'SECRET_KEY', 'NEW_SECRET_KEY']);

/**
 * Replaces variables that name a file by the content of the file, without a line break at its end, because container platforms mount
 * secrets as files: `ADMIN_PASSWORD_FILE` sets `ADMIN_PASSWORD`, and `OVERLAY_STORAGE_FILE` sets `OVERLAY_STORAGE`.
 * @throws StartFailure if a file cannot be read or is empty, or if the variable is also set itself
 */
export const withFileVariables = (environment: Environment, table: OptionTable): Environment => {
  const options = new Set(Object.keys(table).map(normalized));
  const isSettable = (variable: string) =>
    SECRETS.has(variable) || (variable.startsWith(PREFIX) && options.has(normalized(variable.slice(PREFIX.length))));
  const result: Record<string, string | undefined> = { ...environment };
  for (const [fileVariable, file] of Object.entries(environment)) {
    const variable = /^(.+)_FILE$/.exec(fileVariable)?.[1];
    // `secret-key-file` is an option itself.
    if (!file || variable === undefined || isSettable(fileVariable) || !isSettable(variable)) continue;
    if (environment[variable])
      throw new StartFailure(`the environment variables ${variable} and ${fileVariable} set the same option: keep one of them`);
    const text = readText(file).replace(/\r?\n$/, '');
    if (text === '') throw new StartFailure(`the file ${file} of the environment variable ${fileVariable} is empty`);
    delete result[fileVariable];
    result[variable] = text;
  }
  return result;
};

const normalized = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();

/** True for variables that Kubernetes derives from a service called `overlay`, which are not options. */
const isServiceLink = (variable: string, value: string): boolean =>
  /^(tcp|udp|sctp):\/\//.test(value) || /_SERVICE_(HOST|PORT)(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/.test(variable);

const variableTexts = (
  value: string,
  { value: placeholder, list }: OptionDeclaration = { about: '' },
  variable: string,
): readonly string[] => {
  if (placeholder !== undefined) return list === 'repeated' ? value.split(';') : [value];
  if (value === 'true' || value === 'false') return value === 'true' ? [''] : [];
  throw new StartFailure(`${variable} must be true or false, got '${value}'`);
};
