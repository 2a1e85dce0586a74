import { OWNER_TAG, type SectionName, sectionNames } from '../../contract/api/declared-kinds.ts';
import type { Kind } from '../../contract/api/kit/index.ts';
import type { StateDocument } from '../../contract/api/state.ts';
import { type ApiError, invalidField, shownValue } from '../../contract/errors/index.ts';
import type { Row } from '../../store/storage/port.ts';
import { kindIn } from './lookup.ts';
import { declaredFieldsOf, isDocument, type Values } from './values.ts';

/** An entity in a document. */
export interface Declaration {
  readonly section: SectionName;
  readonly name: string;
  /** Its position in the document, for errors: `services.wiki`. */
  readonly place: string;
  /** Its declared fields by label, without null values. */
  readonly given: Values;
  /** The length of its line in a document in lines. */
  readonly characters?: number;
  /** The existing entity with that name. */
  existing?: Row | undefined;
}

/** The entities of a document, section by section. Each may be read anew whenever it is needed. */
export interface Declared extends Iterable<Declaration> {
  has(place: string): boolean;
  at(place: string): Declaration | undefined;
}

/** The position of an entity with a name. */
export const placeOf = (section: SectionName, name: string): string => `${section}.${name}`;

/**
 * The entities of a document.
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` with the place, for a missing or duplicate name and an unknown field
 */
export const declaredIn = (document: StateDocument, now: string): Declared => {
  const entries = new Map<string, Declaration>();
  for (const section of sectionNames) {
    for (const [i, entity] of (document[section] ?? []).entries()) {
      const entry = readDeclaration(section, entity, `${section}[${i}]`, now);
      if (entries.has(entry.place)) throw declaredTwice(entry.place, entry);
      entries.set(entry.place, entry);
    }
  }
  return { has: (place) => entries.has(place), at: (place) => entries.get(place), [Symbol.iterator]: () => entries.values() };
};

/** Names become parts of messages. No kind has longer ones. */
const MAX_NAME_LENGTH = 2048;

/**
 * Reads an entity of a document.
 * @param where its position, for errors: a list and an index, or a line
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` for a missing name and an unknown field
 */
export const readDeclaration = (section: SectionName, entity: Values, where: string, now: string): Declaration => {
  const given = Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null && value !== undefined));
  const { name } = given;
  if (typeof name !== 'string' || name === '') throw invalidField(`${where}.name`, `${where} must have a name`, name);
  if (name.length > MAX_NAME_LENGTH)
    throw invalidField(`${where}.name`, `a name may have at most ${MAX_NAME_LENGTH} characters, got ${name.length}`, undefined);
  const place = placeOf(section, name);
  refuseUnknownFields(section, place, given);
  const kind = kindIn(section);
  return { section, name, place, given: { ...defaultsIn(kind), ...given, ...openGrantsIn(kind, given, now) } };
};

/** @param field the position of the second one */
export const declaredTwice = (field: string, { section, name }: Declaration): ApiError =>
  invalidField(field, `${section} has two entities with the name ${name}`, name);

/** The values of fields that bodies require, but documents may omit. */
const defaultsIn = ({ fields }: Kind): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { declaredDefault }]) => (declaredDefault === undefined ? [] : [[name, declaredDefault]])),
  );

/** The grants that have not ended: an entity cannot be created with an ended one. */
const openGrantsIn = ({ fields }: Kind, given: Values, now: string): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { endsOf }]) => {
      const grants = endsOf === undefined ? undefined : given[name];
      return isDocument(grants)
        ? [[name, Object.fromEntries(Object.entries(grants).filter(([, grant]) => !isPast(Object(grant).validUntil, now)))]]
        : [];
    }),
  );

/** @param time any value: one that is not a date is refused later */
const isPast = (time: unknown, now: string): boolean => typeof time === 'string' && Date.parse(time) <= Date.parse(now);

const refuseUnknownFields = (section: SectionName, place: string, given: Values): void => {
  const kind = kindIn(section);
  const labels = declaredFieldsOf(kind, given).map(({ label }) => label);
  // Used only when the entity is created, and not exported.
  const onlyOnCreate = Object.entries(kind.fields).flatMap(([name, { write }]) => (write === 'createOnlyOptional' ? [name] : []));
  const known = new Set([...labels, 'tags', ...onlyOnCreate]);
  const unknown = Object.keys(given).find((label) => !known.has(label));
  if (unknown !== undefined)
    throw invalidField(`${place}.${unknown}`, `${place} has an unknown field ${unknown}: it may have ${[...known].join(', ')}`, unknown);
};

/**
 * The desired tags of an entity: its declared tags, with its owner label.
 * @throws ApiError `COULD_NOT_VALIDATE` if it has the label of another owner
 */
export const wantedTags = ({ given, place, existing }: Declaration, owner: string | undefined): unknown => {
  const tags: unknown = given.tags ?? {};
  if (!isDocument(tags)) return tags;
  const stored = existing?.tags as Values | undefined; // every row has tags
  const labels = [stored?.[OWNER_TAG], tags[OWNER_TAG]].filter((label) => label !== undefined && label !== null);
  // Both are checked, because a document that sets its own label on an entity of another owner could then delete it.
  const other = owner === undefined ? undefined : labels.find((label) => label !== owner);
  if (other !== undefined)
    throw invalidField(
      `${place}.tags.${OWNER_TAG}`,
      `${place} belongs to ${shownValue(OWNER_TAG, other)}, but the document belongs to ${owner}`,
      other,
    );
  const kept = labels.at(-1) ?? (existing ? undefined : owner);
  return kept === undefined ? tags : { ...tags, [OWNER_TAG]: kept };
};
