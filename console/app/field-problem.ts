/** The field of a form that an error means. */

import { ApiError } from '../../client/index.ts';
import { FieldInvalid, type FormEntry, type FormValue, isFormObject } from './entered.ts';
import { type FormField, isTextList, labelOfField } from './schema.ts';

/** The problem of a field, shown beside it. */
export interface FieldProblem {
  /** The names and positions that lead to the field, with dots between them. */
  readonly path: string;
  readonly text: string;
  /** The names and positions that lead to the value within free JSON; missing elsewhere. */
  readonly inside?: string;
}

/** The complaint of an error about a field. */
interface Complaint {
  /** The field, such as `operatingSystems.1.type` or `allowedSigners[0]`; undefined if only its value is known. */
  readonly named?: string;
  readonly reason: string;
  /** The value that was refused. */
  readonly value?: string;
}

/** Errors whose code says which field they are about. */
const FIELDS_OF_CODES: Readonly<Record<string, string>> = {
  INVALID_CERT_PEM: 'certPem',
  COULD_NOT_PARSE_PEM_BLOCK: 'certPem',
  EXPECTED_PEM_CERTIFICATE: 'certPem',
  MFA_INVALID_TOKEN: 'code',
  COULD_NOT_PARSE_DER_BLOCK: 'certPem',
};

/** A reason about an entity that does not exist: `no configType with id abc`, `config with id abc not found`. */
const OF_ID = / with id /;
const MISSING = / with id (.+) not found$/;

const complaintOf = (error: unknown): Complaint | undefined => {
  if (error instanceof FieldInvalid) return { named: error.field, reason: error.message };
  if (!(error instanceof ApiError)) return undefined;
  const { field, reason, message, value } = Object(error.cause) as Readonly<Record<string, unknown>>; // missing members are undefined
  if (typeof field === 'string')
    return { named: field, reason: typeof reason === 'string' ? reason : error.message, ...(typeof value === 'string' ? { value } : {}) };
  const named = FIELDS_OF_CODES[error.code];
  if (named !== undefined) return { named, reason: error.message };
  if (typeof message !== 'string') return undefined;
  const missing = MISSING.exec(message)?.[1];
  if (missing !== undefined) return { reason: message, value: missing };
  // A field of the wrong type is named in the message only.
  return error.status === 400 ? { named: message.split(' ', 1)[0] ?? '', reason: message } : undefined;
};

interface Found {
  readonly path: string;
  readonly label: string;
  readonly inside?: string;
}

/** The innermost field of a form that is on the way to what is named. */
const innermost = (field: FormField, shown: FormValue | undefined, rest: string, found: Found): Found => {
  if (rest === '') return found;
  const { entry, fields, item } = field;
  if (entry === 'data') return { ...found, inside: rest };
  if (entry === 'object') return among(fields, shown, rest, `${found.path}.`) ?? found;
  if (!item || !Array.isArray(shown)) return found;
  const keyOf = (each: FormValue, at: number): string => (entry === 'map' ? (each as FormEntry).key : String(at));
  const at = shown.findIndex((each: FormValue, index) => `${rest}.`.startsWith(`${keyOf(each, index)}.`));
  if (at === -1) return found;
  const each: FormValue = shown[at];
  const inside = entry === 'map' ? (each as FormEntry).value : each;
  return innermost(item, inside, rest.slice(keyOf(each, at).length + 1), { ...found, path: `${found.path}.${at}` });
};

const among = (fields: readonly FormField[], shown: FormValue | undefined, named: string, path = ''): Found | undefined => {
  const [name = ''] = named.split('.', 1);
  const field = fields.find((each) => each.name === name);
  const part = isFormObject(shown) ? shown[name] : undefined;
  return field && innermost(field, part, named.slice(name.length + 1), { path: path + name, label: labelOfField(field) });
};

/** The place of a value that was entered: as a text, a line, a role `@value`, or a key of a map. */
const placeOfValue = (field: FormField, shown: FormValue | undefined, value: string, path: string): Found | undefined => {
  const found = { path, label: labelOfField(field) };
  if (typeof shown === 'string' || isTextList(field.entry))
    return [shown ?? []].flat().some((text) => linesOf(text).includes(value)) ? found : undefined;
  if (isFormObject(shown)) return firstOf(field.fields, (part) => placeOfValue(part, shown[part.name], value, `${path}.${part.name}`));
  const { item } = field;
  if (!item || !Array.isArray(shown)) return undefined;
  const entries: readonly FormValue[] = shown;
  return firstOf([...entries.entries()], ([at, each]) => {
    const isMap = field.entry === 'map';
    const { key, value: inside } = isMap ? (each as FormEntry) : { key: undefined, value: each };
    return key === value ? { ...found, path: `${path}.${at}` } : placeOfValue(item, inside, value, `${path}.${at}`);
  });
};

/** The lines of a text, without the `@` of a role. */
const linesOf = (text: FormValue): readonly string[] =>
  String(text)
    .split('\n')
    .map((line) => line.trim().replace(/^@/, ''));

const firstOf = <T>(values: readonly T[], find: (value: T) => Found | undefined): Found | undefined => {
  for (const value of values) {
    const found = find(value);
    if (found) return found;
  }
  return undefined;
};

/** The field of free JSON in which the controller checks values by a schema of their own. Its errors name the parts without the field. */
const CHECKED_JSON = 'data';
/** The name of such a value as a whole. */
const ROOT = '(root)';

const placeOf = (fields: readonly FormField[], shown: FormValue, { named, reason, value }: Complaint): Found | undefined => {
  const name = named?.replaceAll(/\[(\d+)\]/g, '.$1');
  if (named === ROOT) return among(fields, shown, CHECKED_JSON);
  const inJson = named !== undefined && reason.startsWith(`${named}: `) ? among(fields, shown, `${CHECKED_JSON}.${name}`) : undefined;
  const byName = inJson ?? (name === undefined ? undefined : among(fields, shown, name));
  if (byName || value === undefined || !OF_ID.test(reason)) return byName;
  const state = isFormObject(shown) ? shown : {};
  return firstOf(fields, (field) => placeOfValue(field, state[field.name], value, field.name));
};

/** The place of an error in a form; undefined if it is not about a field of the form. */
export const fieldProblem = (fields: readonly FormField[], shown: FormValue, error: unknown): FieldProblem | undefined => {
  const complaint = complaintOf(error);
  const found = complaint && placeOf(fields, shown, complaint);
  if (!found) return undefined;
  const { named = '', reason } = complaint;
  // People know the field by its label.
  const text = named !== '' && reason.startsWith(`${named} `) ? found.label + reason.slice(named.length).replace(/^ in body/, '') : reason;
  return { path: found.path, text, ...(found.inside === undefined ? {} : { inside: found.inside }) };
};
