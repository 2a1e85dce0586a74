import { type Given, givenBy, type OptionDeclaration, type OptionTable, readArguments, type Source } from './arguments.ts';
import { StartFailure } from './failure.ts';
import { checkSetting } from './setting-options.ts';
import { type Environment, environmentSource, fileSource } from './sources.ts';

export const config = {
  value: 'FILE',
  about:
    'JSON file with options, each a member: {"port": 8443, "sessionTimeoutMinutes": 15}. The environment (OVERLAY_PORT=8443) takes precedence, and the command line over both',
} as const satisfies OptionDeclaration;

/** Sources of options other than the command line. */
export interface Surroundings {
  readonly environment: Environment;
  /**
   * The options that the environment and a configuration file may set: always those of the server, even for another command. Without the option `config`,
   * there is no such file.
   */
  readonly configurable: OptionTable;
}

/**
 * Reads the options from the command line, the environment, and the file of `--config`, in this order of precedence.
 * @returns `help` if that was requested
 * @throws StartFailure for an unknown option, with the nearest known one
 */
export const givenOptions = (
  args: readonly string[],
  table: OptionTable,
  { environment, configurable }: Surroundings,
): Given<string> | 'help' => {
  const commandLine = readArguments(args, table);
  if (commandLine === 'help') return 'help';
  // A command may have an option `config` of its own.
  const { config: own, ...fileOptions } = configurable;
  const variables = environmentSource(environment, own ? configurable : fileOptions);
  const file = own && givenBy(commandLine, variables).get('config');
  const files = file === undefined ? [] : [fileSource(file, fileOptions, checkSetting)];
  return givenBy(commandLine, variables, unprefixedVariables(environment), ...files);
};

/** Variables without the prefix `OVERLAY_`. */
const unprefixedVariables = ({ ADMIN_PASSWORD }: Environment): Source => ({
  values: new Map(ADMIN_PASSWORD ? [['admin-password', [ADMIN_PASSWORD]]] : []),
  label: () => 'ADMIN_PASSWORD',
});

/** Replaces the command-line spelling of the option at the start of an error message with its spelling in the source that set it. */
export const asGiven = (error: unknown, given: Given<string>): unknown => {
  const [, option = ''] = (error instanceof StartFailure && /^--([a-z-]+)/.exec(error.message)) || [];
  const source = given.source(option);
  return error instanceof StartFailure && source !== undefined
    ? new StartFailure(error.message.replace(`--${option}`, () => source))
    : error;
};
