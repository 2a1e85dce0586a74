import * as z from 'zod';
import { mapOf } from './bounded.ts';

/** Schemas of the fields that every entity shows, and of references between entities. */

/** A string in answers. Client input has a maximum length: `shortText`, `pem`. */
export const string = z.string();

/** A timestamp as stored and shown: in UTC, with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A relative address. */
export const link = z
  .object({
    /** Relative to the address of the API, e.g. `./identities/abc`. */
    href: string,
  })
  .meta({ id: 'Link' });
export type Link = z.infer<typeof link>;
export const links = z
  .record(z.string(), link)
  .meta({ id: 'Links', description: 'Relative addresses of the entity and of related resources.' });

export const entityReference = z
  .object({
    /** Relative addresses of the entity and of related resources. */
    _links: links,
    /** Collection of the entity: `identities`. */
    entity: string,
    /** Id of the entity. */
    id: string,
    /** Name of the entity, if it has one. */
    name: string.optional(),
    /** Collection of the entity, as in addresses. */
    urlName: string.optional(),
  })
  .meta({ id: 'EntityReference', description: 'A reference to another entity.' });

export type EntityReference = z.infer<typeof entityReference>;

/** Tags in answers. Numbers occur only if the setting `numericTags` is or was on. */
export const shownTags = z.record(string, z.union([string, z.number(), z.boolean(), z.null()]));
export type Tags = Readonly<z.infer<typeof shownTags>>;

/** Maximum number of tags of an entity. Tools that store their state in tags need only a few short ones. */
const MAX_TAGS = 200;
const MAX_TAG_NAME_LENGTH = 256;
const MAX_TAG_LENGTH = 4096;
/** Maximum size of all tags of an entity, as JSON in UTF-8. */
const MAX_TAG_BYTES = 65_536;

/** The reason why tags are invalid; undefined if they are valid. */
const tagFault = (given: Readonly<Record<string, unknown>>): string | undefined => {
  const entries = Object.entries(given);
  if (entries.length > MAX_TAGS) return `an entity has at most ${MAX_TAGS} tags, got ${entries.length}`;
  for (const [key, value] of entries) {
    if (key === '') return 'the names of tags must not be empty';
    if (key.length > MAX_TAG_NAME_LENGTH) return `names of tags have at most ${MAX_TAG_NAME_LENGTH} characters, got ${key.length}`;
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value))
      return `tags must be text, booleans or null, but ${key} is a ${Array.isArray(value) ? 'list' : typeof value}`;
    if (typeof value === 'string' && value.length > MAX_TAG_LENGTH)
      return `tags have at most ${MAX_TAG_LENGTH} characters, but ${key} has ${value.length}`;
  }
  const bytes = new TextEncoder().encode(JSON.stringify(given)).length;
  return bytes > MAX_TAG_BYTES ? `the tags of an entity have at most ${MAX_TAG_BYTES} bytes as JSON, got ${bytes}` : undefined;
};

/** User-defined names with values: text, boolean or null (specification, "Conventions" 4), or a number. */
export const tags = mapOf(z.unknown().meta({ type: ['string', 'number', 'boolean', 'null'] }), MAX_TAGS)
  .superRefine((value, context) => {
    const message = tagFault(value);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({
    id: 'Tags',
    description: `A map of user-defined names to text, booleans or null, and to numbers if the setting \`numericTags\` is on: at most ${MAX_TAGS} tags, with names of at most ${MAX_TAG_NAME_LENGTH} and texts of at most ${MAX_TAG_LENGTH} characters, and at most ${MAX_TAG_BYTES} bytes in total.`,
    maxProperties: MAX_TAGS,
  }) as z.ZodType<Tags, Tags>; // the refinement accepts only values of this type

export const created = z
  .object({
    /** Relative addresses of the new entity and of related resources. */
    _links: links,
    /** Id of the new entity. */
    id: string,
  })
  .meta({ id: 'Created', description: 'The id and the address of a new entity.' });
/** An empty answer. */
export const empty = z.object({}).meta({ id: 'Empty' });

/** Fields that every entity shows. */
export const entityBase = {
  /** Relative addresses of the entity and of related resources. */
  _links: links,
  /** When the entity was created: ISO 8601, UTC. */
  createdAt: timestamp,
  /** Id of the entity: unique within the kind, and assigned by the controller. */
  id: string,
  /** User-defined names with values. */
  tags,
  /** When the entity last changed: ISO 8601, UTC. */
  updatedAt: timestamp,
} as const;
