import { createContext } from 'preact';

/** All values of a form: those of the entity, replaced by what has been entered. A field may depend on the values of other fields. */
export const FormValues = createContext<Readonly<Record<string, unknown>>>({});
