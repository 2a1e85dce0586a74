import { invalidField } from '../errors/index.ts';

/** The entity tag of a version (RFC 9110, 8.8.3). */
export const entityTag = (version: number): string => `"${version}"`;

/** One entity tag, weak or strong, and what separates it from the next. */
const TAG = /\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/y;

/**
 * The versions that an `If-Match` header names (RFC 9110, 13.1.1). Weak tags and those that this controller does not make match nothing.
 * @returns undefined where any version will do: there is no header, or it is `*`
 * @throws ApiError `COULD_NOT_VALIDATE` for what is no list of entity tags
 */
export const versionsIn = (header: string | undefined): readonly number[] | undefined => {
  if (header === undefined || header.trim() === '*') return undefined;
  const versions: number[] = [];
  for (TAG.lastIndex = 0; TAG.lastIndex < header.length; ) {
    const tag = TAG.exec(header);
    if (!tag) throw invalidField('If-Match', 'If-Match must be entity tags like "12", or *', header);
    const [, weak, value = ''] = tag;
    if (weak === undefined && /^[1-9]\d{0,15}$/.test(value)) versions.push(Number(value));
  }
  return versions;
};
