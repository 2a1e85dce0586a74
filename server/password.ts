import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { StartFailure } from './failure.ts';

/** The sources of a password. They exclude command-line arguments, which other users could see in the list of processes. */
export interface PasswordSource {
  /** The name of the environment variable that may contain the password. */
  readonly variable: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The user whose password it is; shown in the prompt. */
  readonly username: string;
  /** Prompts for a password without echo. Default: prompts on standard error if standard input is a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/**
 * Reads a new password from the environment, from a terminal (typed twice, without echo), or from the first line of standard input.
 * @throws StartFailure if there is none, or if the two typed passwords differ
 */
export const readPassword = async ({
  variable,
  environment,
  username,
  ask = process.stdin.isTTY ? prompt : undefined,
}: PasswordSource): Promise<string> => {
  const given = environment[variable];
  if (given) return given;
  const password = ask ? await askTwice(ask, username) : await firstLine();
  if (password === '')
    throw new StartFailure(`no password was given: set ${variable}, type it, or pass it as the first line of standard input`);
  return password;
};

const askTwice = async (ask: NonNullable<PasswordSource['ask']>, username: string): Promise<string> => {
  const password = await ask(`New password of ${username}: `);
  if (password !== '' && (await ask('Repeat the password: ')) !== password)
    throw new StartFailure('the two passwords differ: nothing was changed');
  return password;
};

/** Prompts on standard error, so that standard output contains only the result of the command. Input is not echoed. */
const prompt = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const discard = new Writable({ write: (_part, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: discard, terminal: true });
  terminal.once('SIGINT', () => process.exit(INTERRUPTED));
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
};

/** The exit status after SIGINT. */
const INTERRUPTED = 130;

const firstLine = async (): Promise<string> => {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) {
    lines.close();
    process.stdin.destroy();
    return line;
  }
  return '';
};
