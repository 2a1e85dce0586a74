/** The envelope of a page: `{ data, meta }`, where `meta` says which part of the list it is. */
import { spendTimeSlice, yieldToEventLoop } from '../../concurrency/event-loop.ts';
import { META } from '../../wire/meta.ts';
import type { Page } from './answer.ts';
import { isLarge, jsonParts, PART, type Texts, Written } from './json-parts.ts';

/** Maximum number of items serialized in one go: fewer if they are large, and one at first. */
const SLICE = 10;
/** Characters up to which an answer is sent whole, with its length. A longer one is sent part by part, and other requests are served in between. */
const WHOLE = 524_288;
/** Characters of such a part, at least. */
const SENT = 262_144;

export const pageEnvelope = (page: Page<unknown>): string | AsyncIterable<string> => wholeOrParts(slicesOf(page));

/** A text that is made slice by slice. */
export const wholeOrParts = (slices: Iterator<string>): string | AsyncIterable<string> => {
  let text = '';
  for (let slice = slices.next(); !slice.done; slice = slices.next()) {
    text += slice.value;
    if (text.length > WHOLE) return partsOf(text, slices);
  }
  spendTimeSlice(text.length / WHOLE);
  return text;
};

async function* partsOf(begun: string, rest: Iterator<string>): AsyncGenerator<string> {
  let part = begun;
  for (let slice = rest.next(); !slice.done; slice = rest.next()) {
    part += slice.value;
    if (part.length < SENT) continue;
    spendTimeSlice(part.length / WHOLE);
    yield part;
    part = '';
    await yieldToEventLoop();
  }
  yield part;
}

function* slicesOf({ data, filterableFields, pagination: { limit, offset, totalCount } }: Page<unknown>): Generator<string> {
  yield '{"data":[';
  const texts: Texts = new WeakMap();
  for (let i = 0, count = 1; i < data.length; ) {
    const separator = i > 0 ? ',' : '';
    const item = data[i];
    if (item instanceof Written) {
      yield separator + item.text;
      i++;
      continue;
    }
    const items = data.slice(i, i + count);
    const large = items.findIndex((each) => each instanceof Written || isLarge(each));
    if (large === 0) {
      yield separator;
      yield* jsonParts(data[i++] as object, texts); // only objects are large
      continue;
    }
    const slice = large < 0 ? items : items.slice(0, large);
    const text = JSON.stringify(slice).slice(1, -1);
    yield separator + text;
    i += slice.length;
    count = Math.max(1, Math.min(SLICE, Math.floor((PART * slice.length) / text.length)));
  }
  const pagination = `{"limit":${limit === Infinity ? NO_LIMIT : limit},"offset":${offset},"totalCount":${totalCount}}`;
  // A list without a filter does not report filterable fields.
  const fields = filterableFields.length === 0 ? '' : `"filterableFields":${JSON.stringify(filterableFields)},`;
  yield `],"meta":{${VERSIONS},${fields}"pagination":${pagination}}}`;
}

/** How an endless list reports its limit: the largest signed 64-bit integer, which no double can hold. */
const NO_LIMIT = '9223372036854775807';

/** The members of every `meta`. */
export const VERSIONS = JSON.stringify(META).slice(1, -1);
