import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { StartFailure } from './failure.ts';

/** Where a password comes from: never a command-line argument, which other users see in the list of processes. */
export interface PasswordSource {
  /** The environment variable that may hold it. */
  readonly variable: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The username, for the prompt. */
  readonly whose: string;
  /** Asks at the terminal, without echo. Default: prompts on standard error if standard input is a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
}

/**
 * Reads a new password from the environment, from a terminal (typed twice, without echo), or from the first line of standard input.
 * @throws StartFailure if there is none, or if the two typed passwords differ
 */
export const readPassword = async ({
  variable,
  environment,
  whose,
  ask = process.stdin.isTTY ? prompt : undefined,
}: PasswordSource): Promise<string> => {
  const given = environment[variable];
  if (given) return given;
  const password = ask ? await typed(ask, whose) : await firstLine();
  if (password === '')
    throw new StartFailure(`no password was given: set ${variable}, type it, or pass it as the first line of standard input`);
  return password;
};

const typed = async (ask: NonNullable<PasswordSource['ask']>, whose: string): Promise<string> => {
  const password = await ask(`New password of ${whose}: `);
  if (password !== '' && (await ask('Once more: ')) !== password) throw new StartFailure('the two passwords differ: nothing was changed');
  return password;
};

/** Prompts on standard error, so that standard output holds only the command's result; input is not echoed. */
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
