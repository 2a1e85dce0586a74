import { createContext } from 'preact';

/** The values of the whole form: what the entity has, and over it what has been entered. Fields may depend on others. */
export const WholeForm = createContext<Readonly<Record<string, unknown>>>({});
