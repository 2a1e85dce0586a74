import type { Operation } from '../contract/api/kit/operation.ts';
import type { Surface } from '../contract/api/surfaces/surface.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../contract/wire/media-types.ts';

/** The media types of an operation's answer; none if it never has a body. */
export const offersOf = ({ envelope }: Pick<Surface, 'envelope'>, { answer }: Pick<Operation, 'answer'>): readonly string[] => {
  if (answer.is === 'raw' || answer.is === 'response') return answer.contentTypes;
  return [answer.is === 'events' ? EVENTS_TYPE : envelope.contentType];
};

/**
 * The offered media type that a client prefers by its `Accept` header (RFC 9110, 12.5.1): the most specific range that matches a type
 * decides its weight, `q=0` excludes it, and among equals the first offered wins. A missing or empty header accepts everything; so does one
 * that accepts JSON, which clients of this API send with every operation.
 * @returns undefined if the client accepts none of them
 */
export const negotiate = (accept: string | undefined, offered: readonly string[]): string | undefined => {
  const first = offered[0];
  if (accept === undefined || accept === '' || accept === '*/*' || accept === first) return first;
  const ranges = accept.split(',').map(parseRange);
  let best: string | undefined;
  let bestWeight = 0;
  for (const type of offered) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) [best, bestWeight] = [type, weight];
  }
  return best ?? (weightOf(JSON_TYPE, ranges) > 0 ? first : undefined);
};

/** The media type of a `Content-Type` header, lower-case and without parameters. */
export const mediaType = (contentType: string): string => {
  if (contentType === JSON_TYPE) return JSON_TYPE;
  const end = contentType.indexOf(';');
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
};

interface Range {
  readonly type: string;
  readonly weight: number;
}

const parseRange = (text: string): Range => {
  const [type = '', ...parameters] = text.split(';');
  const q = parameters.map((parameter) => parameter.trim().toLowerCase()).find((parameter) => parameter.startsWith('q='));
  const weight = q === undefined ? 1 : Number(q.slice(2));
  return { type: type.trim().toLowerCase(), weight: weight >= 0 && weight <= 1 ? weight : 0 };
};

const weightOf = (type: string, ranges: readonly Range[]): number => {
  const family = `${type.slice(0, type.indexOf('/'))}/*`;
  let weight = 0;
  let specificity = 0;
  for (const range of ranges) {
    const specific = range.type === type ? 3 : range.type === family ? 2 : range.type === '*/*' ? 1 : 0;
    if (specific > specificity) [weight, specificity] = [range.weight, specific];
  }
  return weight;
};
