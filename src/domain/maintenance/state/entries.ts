import { OWNER_TAG, type SectionName, sectionNames } from '../../../api/declared-kinds.ts';
import type { StateDocument } from '../../../api/state.ts';
import { invalidField, shownValue } from '../../../errors/index.ts';
import type { Row } from '../../../storage/port.ts';
import { kindIn } from './lookup.ts';
import { declaredFieldsOf, IMPLIED, isDocument, type Values } from './values.ts';

/** An entity in a document. */
export interface Declaration {
  readonly section: SectionName;
  readonly name: string;
  /** Its place in the document, for errors: `services.wiki`. */
  readonly place: string;
  /** Its fields by their labels, as given, without those that are null. */
  readonly given: Values;
  /** The entity of that name in the network. */
  existing?: Row | undefined;
}

/** Names become parts of messages. No kind has longer ones. */
const MAX_NAME_LENGTH = 2048;

/** Fields that count only when the entity is created, and that no document shows. */
const ONLY_ON_CREATE: Readonly<Record<string, readonly string[]>> = { identity: ['enrollment'] };

/**
 * The entities of a document, in its order.
 * @param now ISO text
 * @throws ApiError `COULD_NOT_VALIDATE` with the place, for a missing or duplicate name and an unknown field
 */
export const entriesOf = (document: StateDocument, now: string): readonly Declaration[] => {
  const entries: Declaration[] = [];
  for (const section of sectionNames) {
    const names = new Set<string>();
    for (const [i, entity] of (document[section] ?? []).entries()) {
      const given = Object.fromEntries(Object.entries(entity).filter(([, value]) => value !== null && value !== undefined));
      const { name } = given;
      if (typeof name !== 'string' || name === '')
        throw invalidField(`${section}[${i}].name`, `${section}[${i}] needs a name, a text`, name);
      if (name.length > MAX_NAME_LENGTH)
        throw invalidField(`${section}[${i}].name`, `names have at most ${MAX_NAME_LENGTH} characters, got ${name.length}`, undefined);
      const place = `${section}.${name}`;
      if (names.has(name)) throw invalidField(place, `${section} has two entities with the name ${name}`, name);
      names.add(name);
      refuseUnknownFields(section, place, given);
      entries.push({ section, name, place, given: { ...IMPLIED[kindIn(section).kind], ...given, ...openGrantsIn(given, now) } });
    }
  }
  return entries;
};

/** The role attributes with an end without those that have ended: they grant nothing, and an identity cannot be created with them. */
const openGrantsIn = ({ roleAttributeGrants: grants }: Values, now: string): Values =>
  isDocument(grants)
    ? {
        roleAttributeGrants: Object.fromEntries(Object.entries(grants).filter(([, grant]) => !hasEnded(Object(grant).validUntil, now))),
      }
    : {};

/** @param validUntil any value: what is no date has not ended, and is refused later */
const hasEnded = (validUntil: unknown, now: string): boolean => typeof validUntil === 'string' && Date.parse(validUntil) <= Date.parse(now);

const refuseUnknownFields = (section: SectionName, place: string, given: Values): void => {
  const kind = kindIn(section);
  const labels = declaredFieldsOf(kind, given).map(({ label }) => label);
  const known = new Set([...labels, 'tags', ...(ONLY_ON_CREATE[kind.kind] ?? [])]);
  const unknown = Object.keys(given).find((label) => !known.has(label));
  if (unknown !== undefined)
    throw invalidField(`${place}.${unknown}`, `${place} has an unknown field ${unknown}: it may have ${[...known].join(', ')}`, unknown);
};

/**
 * The tags that an entity should have: those given, with its owner label.
 * @throws ApiError `COULD_NOT_VALIDATE` if it has the label of another owner
 */
export const wantedTags = ({ given, place, existing }: Declaration, owner: string | undefined): unknown => {
  const tags: unknown = given.tags ?? {};
  if (!isDocument(tags)) return tags;
  const stored = existing?.tags as Values | undefined; // every row has tags
  const labels = [stored?.[OWNER_TAG], tags[OWNER_TAG]].filter((label) => label !== undefined && label !== null);
  // Both count: a document that gives its own label to an entity of another owner would take it, and could then delete it.
  const other = owner === undefined ? undefined : labels.find((label) => label !== owner);
  if (other !== undefined)
    throw invalidField(
      `${place}.tags.${OWNER_TAG}`,
      `${place} belongs to ${shownValue(OWNER_TAG, other)}, and the document to ${owner}`,
      other,
    );
  const kept = labels.at(-1) ?? (existing ? undefined : owner);
  return kept === undefined ? tags : { ...tags, [OWNER_TAG]: kept };
};
