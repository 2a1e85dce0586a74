import { type Given, givenBy, type OptionDeclaration, type OptionTable, readArguments, type Source } from './arguments.ts';
import { StartFailure } from './failure.ts';
import { checkSetting } from './setting-options.ts';
import { type Environment, environmentSource, fileSource } from './sources.ts';

export const config = {
  value: 'FILE',
  about:
    'JSON file with options, each a member: {"port": 8443, "sessionTimeoutMinutes": 15}. The environment (OVERLAY_PORT=8443) counts more, and the command line most',
} as const satisfies OptionDeclaration;

/** The sources of options beside the command line. */
export interface Surroundings {
  readonly environment: Environment;
  /** The options that the environment and a configuration file may set: those of the server, for every command. */
  readonly configurable: OptionTable;
}

/**
 * The options of the command line, which override those of the environment, which override those of the file of `--config`.
 * @returns `help` if that was requested
 * @throws StartFailure for an unknown option, with the nearest known one
 */
export const givenOptions = (
  args: readonly string[],
  table: OptionTable,
  { environment, configurable }: Surroundings,
): Given<string> | 'help' => {
  const line = readArguments(args, table);
  if (line === 'help') return 'help';
  const variables = environmentSource(environment, configurable);
  const file = givenBy(line, variables).get('config');
  const { config: _, ...inFiles } = configurable;
  const files = file === undefined ? [] : [fileSource(file, inFiles, checkSetting)];
  return givenBy(line, variables, usualVariables(environment), ...files);
};

/** Variables without the prefix `OVERLAY_`. */
const usualVariables = ({ ADMIN_PASSWORD }: Environment): Source => ({
  values: new Map(ADMIN_PASSWORD ? [['admin-password', [ADMIN_PASSWORD]]] : []),
  label: () => 'ADMIN_PASSWORD',
});

/** Renames the option in a refusal, which calls it as the command line does, to its name in the source that set it. */
export const asGiven = (error: unknown, given: Given<string>): unknown => {
  const [, option = ''] = (error instanceof StartFailure && /^--([a-z-]+)/.exec(error.message)) || [];
  const source = given.source(option);
  return error instanceof StartFailure && source !== undefined
    ? new StartFailure(error.message.replace(`--${option}`, () => source))
    : error;
};
