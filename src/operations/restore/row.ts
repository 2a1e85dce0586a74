/** Validates rows of a snapshot against the field tables of their kinds: a row that this version would not have written is refused. */

import * as z from 'zod';
import { reasonOf } from '../../call/pipeline/decode.ts';
import { kinds } from '../../contract/api/index.ts';
import {
  type Field,
  type Fields,
  fieldsOf,
  isAlwaysSet,
  type Kind,
  tags,
  timestamp,
  withDerived,
  word,
} from '../../contract/api/kit/index.ts';
import { invalidField } from '../../contract/errors/index.ts';
import { keyNameOf } from '../../runtime/platform/secrets.ts';
import { isInView, tableOf } from '../../store/changelog/views.ts';
import type { Row } from '../../store/storage/port.ts';
import { isSameJson } from '../../store/storage/same-json.ts';

type Values = Readonly<Record<string, unknown>>;

const kindsOfTable: ReadonlyMap<string, readonly Kind[]> = Map.groupBy(Object.values<Kind>(kinds), tableOf);

/** The kind of a table, and its views. */
export const kindsIn = (table: string): readonly Kind[] => kindsOfTable.get(table) ?? [];

/** The schemas for rows of one form: a variant of a table, and the views that contain it. */
interface Form {
  readonly fields: Fields;
  readonly schema: z.ZodType<Values>;
  readonly defaults: Values;
}

/**
 * Indexed texts may be as long as the database takes: an adopted network has names that no operation of this one would write.
 * @returns the row, with defaults for the fields that its version did not have, except in change records
 * @throws ApiError with the field that this version would not have written in this form
 */
export const checkedRow = (table: string, given: Values): Row => {
  const form = formOf(table, given);
  const { fields, schema, defaults } = form;
  const { data, error } = schema.safeParse(given, { reportInput: true });
  if (error) throw faultOf(table, error.issues);
  // A stored value is the output of a schema, so parsing it again must not change it.
  for (const [name, value] of Object.entries(given))
    if (!isSameJson(data[name], value)) throw invalidField(name, `${name} is not in the form in which it is stored`, undefined);
  // Change records are hashed as they are.
  const isComplete = table === kinds.change.kind || Object.keys(defaults).every((name) => name in given);
  if (isComplete) return given as Row; // just checked
  // Keeps the order of the snapshot, so that the next snapshot has the same lines.
  return { ...given, ...withDerived(fields, { ...defaults, ...given }), ...given } as Row; // just checked
};

const formOf = (table: string, row: Values): Form => {
  const matching = kindsIn(table).filter((kind) => isInView(kind, row));
  const tables = matching.map((kind) => fieldsOf(kind, row));
  // There is one field table for each variant of a kind, and one kind for each table and view.
  const formsBySize = forms.get(tables[0] ?? {}) ?? new Map<number, Form>();
  if (tables[0]) forms.set(tables[0], formsBySize);
  let form = formsBySize.get(tables.length);
  if (!form) formsBySize.set(tables.length, (form = newForm(Object.assign({}, ...tables))));
  return form;
};

const forms = new WeakMap<Fields, Map<number, Form>>();

const newForm = (fields: Fields): Form => {
  const stored = Object.entries(fields).filter(([, { keep }]) => keep !== 'computed');
  const shape = { ...base, ...Object.fromEntries(stored.map(([name, field]) => [name, storedSchema(field)])) };
  const defaults = stored
    .filter(([, field]) => field.keep !== 'input' && !isAlwaysSet(field))
    .map(([name, field]) => [name, field.default]);
  return { fields, schema: z.strictObject(shape), defaults: { tags: {}, ...Object.fromEntries(defaults) } };
};

const base = { id: word.min(1), version: z.int().min(1), createdAt: timestamp, updatedAt: timestamp, tags: tags.optional() } as const;

/** Input fields are allowed, too: the first version stored some secrets in plain text, which are sealed when the network is opened. */
const storedSchema = (field: Field): z.ZodType => {
  const schema = field.sealedFor ? z.string().refine((text) => keyNameOf(text) !== undefined, 'is not sealed') : field.schema;
  if (isAlwaysSet(field) && field.keep !== 'input') return schema;
  return field.default === null ? schema.nullish() : schema.optional();
};

const faultOf = (table: string, issues: readonly z.core.$ZodIssue[]) => {
  const issue = issues.find(({ code }) => code !== 'unrecognized_keys') ?? issues[0];
  if (issue?.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const quoted = JSON.stringify(name.slice(0, 64));
    return invalidField(
      name,
      `${quoted} is not a field of this ${table}: restore the snapshot with the version that took it, or a newer one`,
      undefined,
    );
  }
  const path = issue?.path.join('.') ?? '';
  return invalidField(path, `${path} ${issue && reasonOf(issue)}`, undefined);
};
