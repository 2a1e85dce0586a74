import * as z from 'zod';
import { mapOf, textUpTo } from './kit/bounded.ts';

/** Nested schemas that several kinds share, each named once. Limits are those of the specification, section "Limits". */

/** What people and programs write by hand: ids, names, addresses, tokens. */
export const shortText = textUpTo(4096);

/** Certificates and certificate requests in PEM: those of whole authorities have a few KiB each. */
export const pem = textUpTo(524_288);

/** Unique within a kind, compared exactly. */
export const name = shortText
  .min(1)
  .refine((value) => value === '' || /\P{Default_Ignorable_Code_Point}/u.test(value), 'name must hold a character that can be seen')
  .meta({ description: 'Not empty, unique within the kind, compared exactly; at most 2,048 bytes in UTF-8.' });

/** A text that says something. */
export const notBlank = shortText.refine((value) => value.trim() !== '', 'must not be blank').meta({ minLength: 1 });

/** Blank text is no value. */
export const blankIsNull = shortText.transform((value): string | null => (value.trim() === '' ? null : value));

/** A text that is an http or https address. */
export const isWebAddress = (value: string): boolean => /^https?:$/.test(URL.parse(value)?.protocol ?? '');

export const flag = z.boolean();
/** In answers. What clients send has a bound: `shortText`, `pem`. */
export const text = z.string();

/** As stored and shown: UTC, three decimals. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** A date with its offset (RFC 3339), kept as `timestamp`. */
export const moment = z.iso
  .datetime({ offset: true })
  .max(64, { abort: true })
  .transform((given): string => new Date(given).toISOString());

/** 0 to 65535 (specification, "Limits"). */
export const cost = z.int().min(0).max(65535);

export const precedence = z.enum(['default', 'required', 'failed']);

/** 4 to 100 characters, counted as characters, not as UTF-16 units (specification, "Limits"). What a new one may hold: `domain/authentication/usernames.ts`. */
export const username = characters(4, 100);
/** 5 to 100 characters (specification, "Limits"). */
export const password = characters(5, 100);

function characters(min: number, max: number) {
  return shortText
    .superRefine((value, context) => {
      const { length } = [...value];
      if (length < min) context.addIssue({ code: 'too_small', minimum: min, origin: 'string', inclusive: true, input: value });
      if (length > max) context.addIssue({ code: 'too_big', maximum: max, origin: 'string', inclusive: true, input: value });
    })
    .meta({ minLength: min, maxLength: max });
}

export type Tags = Readonly<Record<string, string | boolean | null>>;

/** What the tags of one entity hold at most. Tools that keep their state in tags use a few short ones. */
const MOST_TAGS = 200;
const LONGEST_TAG_NAME = 256;
const LONGEST_TAG = 4096;
/** Bytes of all tags together, as JSON in UTF-8. */
const MOST_TAG_BYTES = 65_536;

/** What is wrong with some tags; undefined for good ones. */
const tagFault = (given: Readonly<Record<string, unknown>>): string | undefined => {
  const entries = Object.entries(given);
  if (entries.length > MOST_TAGS) return `an entity has at most ${MOST_TAGS} tags, got ${entries.length}`;
  for (const [key, value] of entries) {
    if (key === '') return 'tags must have names that are not empty';
    if (key.length > LONGEST_TAG_NAME) return `names of tags have at most ${LONGEST_TAG_NAME} characters, got ${key.length}`;
    if (value !== null && typeof value !== 'string' && typeof value !== 'boolean')
      return `tags may hold text, booleans and null, but ${key} holds a ${Array.isArray(value) ? 'list' : typeof value}`;
    if (typeof value === 'string' && value.length > LONGEST_TAG)
      return `tags have at most ${LONGEST_TAG} characters, but ${key} has ${value.length}`;
  }
  const bytes = new TextEncoder().encode(JSON.stringify(given)).length;
  return bytes > MOST_TAG_BYTES ? `the tags of an entity have at most ${MOST_TAG_BYTES} bytes as JSON, got ${bytes}` : undefined;
};

/** User-defined names with values: text, boolean or null (specification, "Conventions" 4). */
export const tags = mapOf(z.unknown(), MOST_TAGS)
  .superRefine((value, context) => {
    const message = tagFault(value);
    if (message) context.addIssue({ code: 'custom', message });
  })
  .meta({
    id: 'Tags',
    description: `A map of user-defined names to text, boolean or null: at most ${MOST_TAGS} of them, with names of at most ${LONGEST_TAG_NAME} and texts of at most ${LONGEST_TAG} characters, ${MOST_TAG_BYTES} bytes in all.`,
    maxProperties: MOST_TAGS,
  }) as unknown as z.ZodType<Tags, Tags>; // what the refinement lets through

/** Any JSON value by name. */
export const jsonMap = mapOf(z.unknown(), 10_000).meta({ id: 'JsonMap', description: 'A map of names to any JSON values.' });

/** A relative address. */
export const link = z
  .object({
    /** Relative to the address of the API, e.g. `./identities/abc`. */
    href: text,
  })
  .meta({ id: 'Link' });
export type Link = z.infer<typeof link>;
export const links = z
  .record(z.string(), link)
  .meta({ id: 'Links', description: 'Relative addresses of the entity and of what belongs to it.' });

export const entityReference = z
  .object({
    /** Relative addresses of the entity and of what belongs to it. */
    _links: links,
    /** Collection of the entity: `identities`. */
    entity: text,
    /** Id of the entity. */
    id: text,
    /** Name of the entity, if it has one. */
    name: text.optional(),
    /** Collection of the entity in addresses. */
    urlName: text.optional(),
  })
  .meta({ id: 'EntityReference', description: 'Points to another entity.' });

export type EntityReference = z.infer<typeof entityReference>;

/** Facts about the client's surroundings, told at login. */
export const envInfo = z
  .object({
    /** Architecture of the processor. */
    arch: textUpTo(255),
    /** Domain that the machine has joined. */
    domain: textUpTo(253),
    /** Name of the machine. */
    hostname: textUpTo(253),
    /** Operating system. */
    os: textUpTo(255),
    /** Release of the operating system. */
    osRelease: textUpTo(255),
    /** Version of the operating system. */
    osVersion: textUpTo(255),
  })
  .partial()
  .meta({ id: 'EnvInfo' });

/** Facts about the client's software, told at login. */
export const sdkInfo = z
  .object({
    /** Name of the application. */
    appId: textUpTo(255),
    /** Version of the application. */
    appVersion: textUpTo(255),
    /** Branch that the SDK was built from. */
    branch: textUpTo(255),
    /** Commit that the SDK was built from. */
    revision: textUpTo(255),
    /** Name of the SDK. */
    type: textUpTo(255),
    /** Version of the SDK. */
    version: textUpTo(255),
  })
  .partial()
  .meta({ id: 'SdkInfo' });

export const created = z
  .object({
    /** Relative addresses of the new entity and of what belongs to it. */
    _links: links,
    /** Id of the new entity. */
    id: text,
  })
  .meta({ id: 'Created', description: 'The id and the place of a new entity.' });
/** An answer that holds nothing. */
export const empty = z.object({}).meta({ id: 'Empty' });

/** What every entity shows of itself. */
export const entityBase = {
  /** Relative addresses of the entity and of what belongs to it. */
  _links: links,
  /** When it was created: ISO 8601, UTC. */
  createdAt: timestamp,
  /** Unique within the kind, and given by the controller. */
  id: text,
  /** User-defined names with values. */
  tags,
  /** When it last changed: ISO 8601, UTC. */
  updatedAt: timestamp,
} as const;
