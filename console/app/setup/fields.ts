/** Fields of setups: those of the API, and those from which a setup derives several values. */
import { type Entry, type FormField, formsOf } from '../schema.ts';
import type { Session } from '../session.ts';
import { texts } from '../texts.ts';

const PLAIN: FormField = {
  name: '',
  entry: 'text',
  isRequired: false,
  mayBeEmpty: false,
  description: undefined,
  choices: [],
  constant: undefined,
  maxLength: undefined,
  minimum: undefined,
  maximum: undefined,
  minItems: 0,
  isSecret: false,
  fields: [],
  item: undefined,
  isAddable: false,
  isMerged: false,
  target: undefined,
  valueTypes: [],
  schemaFrom: undefined,
};

/** A field that only the setup has. */
export const ownField = (name: string, entry: Entry, facts: Partial<FormField> = {}): FormField => ({
  ...PLAIN,
  name,
  entry,
  description: texts.setup.fieldHints[name],
  ...facts,
});

/** The fields of the body that creates an entity of a group, in the given order. Those that the session may not write are missing. */
export const fieldsOfGroup = (session: Session, group: string, names: readonly string[]): readonly FormField[] => {
  const fields = formsOf(session, group, 'create').flatMap((form) => form.fields);
  return names.flatMap((name) => fields.find((field) => field.name === name) ?? []);
};
