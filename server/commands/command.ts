import type { OptionTable, OptionValues } from '../arguments.ts';
import { secretKeyFile } from '../secret-key.ts';
import type { Environment } from '../sources.ts';
import { dataFolder } from '../storage-option.ts';

/** The declaration of a command for operators. Its help is derived from it. */
export interface Command {
  /** A few words for the list of commands. */
  readonly summary: string;
  readonly options: OptionTable;
  /** The text below the options in the help. */
  readonly notes?: string;
  /**
   * @returns the text to print, with exit status 0, or an outcome with another status
   * @throws StartFailure, and errors of the controller and the store
   */
  run(given: OptionValues<string>, environment: Environment): Promise<string | Outcome>;
}

/** The result of a command that did not fail. */
export interface Outcome {
  /** The text to print; nothing is printed if it is empty. */
  readonly text: string;
  /** The exit status of the process. */
  readonly status: number;
}

/** Declares a command. The types of `given` in `run` are inferred from its options. */
export const defineCommand = <const T extends OptionTable>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: T;
    run(given: OptionValues<keyof T & string>, environment: Environment): Promise<string | Outcome>;
  },
): Command => command;

/** The option that selects the store a command works on. */
export const storageOption = {
  value: 'STORAGE',
  about: 'sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE (default sqlite:data/controller.db)',
} as const;

/** The options of commands that open an existing network. */
export const networkOptions = { storage: storageOption, 'data-folder': dataFolder, 'secret-key-file': secretKeyFile } as const;
