import type { Given, OptionTable } from '../arguments.ts';
import type { Environment } from '../sources.ts';

/** The declaration of a command for operators, from which its help derives. */
export interface Command {
  /** A few words for the list of commands. */
  readonly summary: string;
  readonly options: OptionTable;
  /** Sentences below the options. */
  readonly notes?: string;
  /** @returns the text to print, or also an exit status @throws StartFailure, and errors of the controller and the store */
  run(given: Given<string>, environment: Environment): Promise<string | Outcome>;
}

/** How a command ended that did not fail. */
export interface Outcome {
  /** The text to print. */
  readonly text: string;
  /** The exit status. */
  readonly status: number;
}

/** Declares a command, and gives `run` the types of its options. */
export const command = <const T extends OptionTable>(
  declared: Omit<Command, 'options' | 'run'> & {
    readonly options: T;
    run(given: Given<keyof T & string>, environment: Environment): Promise<string | Outcome>;
  },
): Command => declared;

/** The option that selects the store a command works on. */
export const storage = {
  value: 'STORAGE',
  about: 'sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE (default sqlite:data/controller.db)',
} as const;
