/** Which field of a form an error means. */

import { ApiError } from '../../src/client/index.ts';
import { FieldInvalid, isShownObject, type Shown, type ShownEntry } from './entered.ts';
import type { FormField } from './schema.ts';
import { labelOf } from './words.ts';

/** What is wrong with a field, beside which it is shown. */
export interface FieldProblem {
  /** The names and positions that lead to the field, with dots between them. */
  readonly path: string;
  readonly text: string;
}

/** The field that an error names, such as `operatingSystems.1.type` or `allowedSigners[0]`, and what it says; undefined if it names none. */
const namedBy = (error: unknown): { readonly named: string; readonly reason: string } | undefined => {
  if (error instanceof FieldInvalid) return { named: error.field, reason: error.message };
  if (!(error instanceof ApiError)) return undefined;
  const { field, reason, message } = Object(error.cause) as Readonly<Record<string, unknown>>; // missing members are undefined
  if (typeof field === 'string') return { named: field, reason: typeof reason === 'string' ? reason : error.message };
  // What has the wrong type is named in the message only.
  return error.status === 400 && typeof message === 'string' ? { named: message.split(' ', 1)[0] ?? '', reason: message } : undefined;
};

interface Found {
  readonly path: string;
  readonly label: string;
}

/** The innermost field of a form that is on the way to what is named. */
const innermost = (field: FormField, shown: Shown | undefined, rest: string, found: Found): Found => {
  if (rest === '') return found;
  const { entry, fields, item } = field;
  if (entry === 'object') return among(fields, shown, rest, `${found.path}.`) ?? found;
  if (!item || !Array.isArray(shown)) return found;
  const keyOf = (each: Shown, at: number): string => (entry === 'map' ? (each as ShownEntry).key : String(at));
  const at = shown.findIndex((each: Shown, index) => `${rest}.`.startsWith(`${keyOf(each, index)}.`));
  if (at === -1) return found;
  const each: Shown = shown[at];
  const inside = entry === 'map' ? (each as ShownEntry).value : each;
  return innermost(item, inside, rest.slice(keyOf(each, at).length + 1), { ...found, path: `${found.path}.${at}` });
};

const among = (fields: readonly FormField[], shown: Shown | undefined, named: string, path = ''): Found | undefined => {
  const [name = ''] = named.split('.', 1);
  const field = fields.find((each) => each.name === name);
  const part = isShownObject(shown) ? shown[name] : undefined;
  return field && innermost(field, part, named.slice(name.length + 1), { path: path + name, label: labelOf(name) });
};

/** Where in a form an error belongs; undefined if it is not about a field of the form. */
export const fieldProblem = (fields: readonly FormField[], shown: Shown, error: unknown): FieldProblem | undefined => {
  const about = namedBy(error);
  const found = about && among(fields, shown, about.named.replaceAll(/\[(\d+)\]/g, '.$1'));
  if (!found) return undefined;
  const { named, reason } = about;
  // People know the field by its label.
  const text = reason.startsWith(`${named} `) ? found.label + reason.slice(named.length).replace(/^ in body/, '') : reason;
  return { path: found.path, text };
};
