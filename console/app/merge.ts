/** Three-way merge of form state: what an edit began with, what is stored now (theirs), and what was entered (mine). */
import { bodyIn, type FormEntry, type FormObject, type FormValue, isFormObject, isSame, partOf, withoutSecrets } from './entered.ts';
import { isObject } from './json-schema.ts';
import { type FormField, isTextList, labelOfField } from './schema.ts';
import { texts } from './texts.ts';
import { textOf } from './words.ts';

/** Whose value a field gets that both sides have changed. */
export type Choice = 'theirs' | 'mine' | 'both';

/** By the path of the field. */
export type Choices = Readonly<Record<string, Choice>>;

/** A field whose stored value has changed since the edit began. The values are texts for people. */
export interface Difference {
  /** A JSON pointer to the field (RFC 6901). */
  readonly path: string;
  readonly label: string;
  /** The group of the entities whose ids the values are, one a line. */
  readonly target: string | undefined;
  readonly base: string;
  readonly theirs: string;
  /** Undefined if only the stored value has changed: the merge takes it. */
  readonly mine?: string;
  /** The lines of both sides, for a list of texts. */
  readonly both?: string;
}

export interface Merge {
  readonly shown: FormObject;
  readonly differences: readonly Difference[];
}

interface Versions<T> {
  readonly base: T;
  readonly theirs: T;
  readonly mine: T;
}

interface Place {
  readonly path: string;
  readonly label: string;
  readonly target: string | undefined;
  readonly choices: Choices;
  readonly differences: Difference[];
}

/**
 * Merges field by field; objects, maps and JSON objects part by part. A part that a draft does not keep, such as a password, is taken from
 * what is stored.
 * @param choices for fields that both sides have changed; those without a choice keep mine
 */
export const mergeEntries = (fields: readonly FormField[], versions: Versions<FormObject>, choices: Choices = {}): Merge => {
  const differences: Difference[] = [];
  return { shown: mergeParts(fields, versions, { path: '', label: '', target: undefined, choices, differences }), differences };
};

const mergeParts = (fields: readonly FormField[], { base, theirs, mine }: Versions<FormObject>, place: Place): FormObject =>
  Object.fromEntries(
    fields.map((field) => {
      const { name } = field;
      const stored = partOf(theirs, field);
      const began = usable(base[name], stored);
      const entered = usable(mine[name], began);
      return [
        name,
        mergeField(
          field,
          { base: began, theirs: stored, mine: entered },
          {
            ...within(place, name, labelOfField(field)),
            target: NAMING.includes(field.entry) ? field.target : undefined,
          },
        ),
      ];
    }),
  );

/** A value; another one if it is missing, or of an earlier release whose field had another form. */
const usable = (value: FormValue | undefined, other: FormValue): FormValue =>
  value === undefined || (value !== null && other !== null && shapeOf(value) !== shapeOf(other)) ? other : value;

const shapeOf = (value: FormValue): string => (Array.isArray(value) ? 'list' : typeof value);

const within = ({ path, label, ...rest }: Place, name: string, partLabel: string): Place => ({
  ...rest,
  path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  label: label === '' ? partLabel : texts.review.part(label, partLabel),
});

const mergeField = (field: FormField, versions: Versions<FormValue>, place: Place): FormValue => {
  const { base, theirs, mine } = versions;
  if (isSame(base, theirs)) return mergeUnchanged(field, versions, place);
  const { entry, fields, item } = field;
  if (entry === 'object' && isFormObject(base) && isFormObject(theirs) && isFormObject(mine))
    return mergeParts(fields, { base, theirs, mine }, place);
  if ((entry === 'map' && item) || entry === 'values') return mergeMaps(field, versions, place);
  if (entry === 'json' || entry === 'data') return mergeTexts(field, versions, place);
  if (entry === 'lines' || isTextList(entry)) return mergeLines(field, versions, place);
  return chosen(versions, place, (value) => textOfField(field, value));
};

/** The stored value is as it was: mine stays, with the parts that a draft does not keep. */
const mergeUnchanged = ({ entry, fields }: FormField, { base, theirs, mine }: Versions<FormValue>, place: Place): FormValue =>
  entry === 'object' && isFormObject(base) && isFormObject(theirs) && isFormObject(mine)
    ? mergeParts(fields, { base, theirs, mine }, place)
    : mine;

/** The value that a merge takes; a difference is noted. */
const chosen = <T>({ base, theirs, mine }: Versions<T>, place: Place, show: (value: T) => string, both?: T): T => {
  if (isSame(base, theirs) || isSame(theirs, mine)) return mine;
  const { path, label, target, choices, differences } = place;
  const noted = { path, label, target, base: show(base), theirs: show(theirs) };
  if (isSame(base, mine)) {
    differences.push(noted);
    return theirs;
  }
  differences.push({ ...noted, mine: show(mine), ...(both === undefined ? {} : { both: show(both) }) });
  const choice = choices[path] ?? 'mine';
  return choice === 'theirs' ? theirs : choice === 'both' && both !== undefined ? both : mine;
};

/** Merges the parts that have a name in any of the versions. A part without a value is left out. */
const mergeNamed = <T>(
  { base, theirs, mine }: Versions<ReadonlyMap<string, T>>,
  place: Place,
  mergeOne: (versions: Versions<T | undefined>, place: Place) => T | undefined,
): readonly (readonly [string, T])[] =>
  [...new Set([...theirs.keys(), ...mine.keys(), ...base.keys()])].flatMap((name): [string, T][] => {
    const versions = { base: base.get(name), theirs: theirs.get(name), mine: mine.get(name) };
    const merged = mergeOne(versions, within(place, name, name));
    return merged === undefined ? [] : [[name, merged]];
  });

const mergeMaps = (field: FormField, versions: Versions<FormValue>, place: Place): FormValue => {
  const { item } = field;
  const [base, theirs, mine] = [versions.base, versions.theirs, versions.mine].map(entriesOf);
  if (!base || !theirs || !mine) return chosen(versions, place, (value) => textOfField(field, value));
  const merged = mergeNamed({ base, theirs, mine }, place, (entries, at) => {
    const [began, stored, entered] = [entries.base, entries.theirs, entries.mine];
    if (!item || !began || !stored || !entered) return chosen(entries, at, (entry) => textOfField(item, entry?.value));
    const value = mergeField(item, { base: began.value, theirs: stored.value, mine: entered.value }, at);
    return { ...entered, value };
  });
  return merged.map(([, entry]) => entry);
};

/** The entries of a map by their keys; undefined if a key occurs twice. */
const entriesOf = (shown: FormValue): ReadonlyMap<string, FormEntry> | undefined => {
  if (!Array.isArray(shown)) return undefined;
  const entries = new Map((shown as readonly FormEntry[]).map((entry) => [entry.key, entry])); // the field is a map
  return entries.size === shown.length ? entries : undefined;
};

const mergeTexts = (field: FormField, versions: Versions<FormValue>, place: Place): FormValue => {
  const [base, theirs, mine] = [versions.base, versions.theirs, versions.mine].map(parsed);
  if (base === undefined || theirs === undefined || mine === undefined)
    return chosen(versions, place, (value) => textOfField(field, value));
  const merged = mergeJson({ base, theirs, mine }, place);
  if (isSame(merged, mine)) return versions.mine;
  if (isSame(merged, theirs)) return versions.theirs;
  return merged === undefined ? '' : JSON.stringify(merged, null, 2);
};

/** The value of a JSON text; undefined if it is empty or invalid. */
const parsed = (text: FormValue): unknown => {
  try {
    return JSON.parse(String(text)) as unknown;
  } catch {
    return undefined;
  }
};

const mergeJson = (versions: Versions<unknown>, place: Place): unknown => {
  const { base, theirs, mine } = versions;
  if (![base, theirs, mine].every(isObject)) return chosen(versions, place, textOfJson);
  const [began, stored, entered] = [base, theirs, mine].map((value) => new Map(Object.entries(value as object))); // as `isObject` says
  if (!began || !stored || !entered) return mine;
  return Object.fromEntries(mergeNamed({ base: began, theirs: stored, mine: entered }, place, mergeJson));
};

const textOfJson = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value, null, 2) : textOf(value);

const mergeLines = (field: FormField, versions: Versions<FormValue>, place: Place): FormValue => {
  const [base = [], theirs = [], mine = []] = [versions.base, versions.theirs, versions.mine].map(linesOf);
  // The controller may answer the same lines in another order.
  if (isSame(theirs.toSorted(), mine.toSorted())) return versions.theirs;
  const kept = theirs.filter((line) => !base.includes(line) || mine.includes(line));
  const added = mine.filter((line) => !base.includes(line) && !theirs.includes(line));
  const both = [...kept, ...added];
  return chosen(versions, place, (value) => textOfField(field, value), field.entry === 'lines' ? both.join('\n') : both);
};

/** The texts of a list, without repetitions. */
const linesOf = (shown: FormValue): readonly string[] => {
  const lines = Array.isArray(shown) ? shown.map(String) : String(shown).split('\n');
  return [...new Set(lines.map((line) => line.trim()).filter(Boolean))];
};

/** The entries whose values are ids, or roles with ids. */
const NAMING: readonly string[] = ['reference', 'references', 'selectors'];

/** A form value as text, without secrets. */
const textOfField = (field: FormField | undefined, shown: FormValue | undefined): string => {
  if (shown === undefined || shown === null || shown === '') return textOf(null);
  if (field?.isSecret) return texts.review.secret;
  if (typeof shown === 'boolean') return textOf(shown);
  if (field?.entry === 'lines' || (field && isTextList(field.entry))) return linesOf(shown).join('\n') || textOf(null);
  if (typeof shown === 'string' || !field) return String(shown);
  const { name } = field;
  try {
    return JSON.stringify(bodyIn([field], withoutSecrets([field], { [name]: shown }))[name] ?? null, null, 2);
  } catch {
    return JSON.stringify(shown, null, 2);
  }
};
