import { adopt } from '../../adopt/command/adopt.ts';
import { entry, HELP, helpOfOptions, wrapped } from '../arguments.ts';
import { StartFailure } from '../failure.ts';
import { collectOptions, environmentOf, helpOfServer, sharedSources, withSourceSpelling } from '../options.ts';
import { configFile } from '../server-options.ts';
import type { Environment } from '../sources.ts';
import { applyCommand } from './apply.ts';
import { authority, rotateAuthorityCommand } from './authority.ts';
import { backup, backupKey } from './backup.ts';
import type { Command, Outcome } from './command.ts';
import { createAdmin } from './create-admin.ts';
import { exportCommand } from './export.ts';
import { inspect } from './inspect.ts';
import { migrate } from './migrate.ts';
import { planCommand } from './plan.ts';
import { reseal } from './reseal.ts';
import { resetPassword } from './reset-password.ts';
import { restore } from './restore.ts';
import { rotateCertificate } from './rotate-certificate.ts';
import { snapshot } from './snapshot.ts';

/** The commands of `overlay-controller`, by name. Without a command, it starts the server. */
const commands: Readonly<Record<string, Command>> = {
  migrate,
  adopt,
  'create-admin': createAdmin,
  'reset-password': resetPassword,
  snapshot,
  restore,
  backup,
  'backup key': backupKey,
  inspect,
  reseal,
  'rotate-certificate': rotateCertificate,
  authority,
  'authority rotate': rotateAuthorityCommand,
  export: exportCommand,
  plan: planCommand,
  apply: applyCommand,
};

/** The general help: the commands, and the options of the server. */
export const overview =
  (): string => `Usage: overlay-controller [options]             start the server (in its repository: npm start -- [options])
       overlay-controller COMMAND [options]     run a command; see overlay-controller COMMAND --help

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => entry(name, summary))
  .join('\n')}

Options of the server:
${helpOfServer()}
`;

/**
 * Runs a command.
 * @returns the text to print, and the exit status
 * @throws StartFailure for an unknown command or invalid options; errors of the command
 */
export const runCommand = async (firstWord: string, words: readonly string[], variables: Environment): Promise<Outcome> => {
  const environment = environmentOf(variables);
  const [secondWord, ...otherWords] = words;
  const twoWords = `${firstWord} ${secondWord}`;
  const [name, args] = Object.hasOwn(commands, twoWords) ? [twoWords, otherWords] : [firstWord, words];
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new StartFailure(`unknown command '${name}'; the commands are ${Object.keys(commands).join(', ')}; see --help`);
  const options = { config: configFile, ...command.options };
  const { configurable, ...others } = sharedSources(environment);
  const { config: _, ...withoutFile } = configurable;
  // A command with an option `config` of its own reads no file of options.
  const given = collectOptions(args, options, { ...others, configurable: command.options.config ? withoutFile : configurable });
  if (given === 'help') return { text: helpOf(name, { ...command, options }), status: 0 };
  const outcome = await command.run(given, environment).catch((error: unknown) => {
    throw withSourceSpelling(error, given);
  });
  return typeof outcome === 'string' ? { text: outcome, status: 0 } : outcome;
};

const helpOf = (name: string, { summary, options, notes }: Command): string =>
  [
    `Usage: overlay-controller ${name} [options]`,
    wrapped(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`).join('\n'),
    helpOfOptions({ ...options, ...HELP }),
    ...(notes === undefined ? [] : [wrapped(notes).join('\n')]),
  ].join('\n\n');
