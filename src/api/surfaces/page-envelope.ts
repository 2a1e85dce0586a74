/** The envelope of a page: `{ data, meta }`. `meta` has the position of the page in the list. */
import { spendTimeSlice, yieldToEventLoop } from '../../concurrency/event-loop.ts';
import { META } from '../../wire/meta.ts';
import type { Page } from './answer.ts';
import { isLarge, jsonParts, PART, SerializedJson, type Texts } from './json-parts.ts';

/** Maximum number of items serialized in one go. Large items are serialized in smaller batches, and the first item alone. */
const MAX_BATCH = 10;
/** Maximum number of characters of an answer that is sent as a whole, with its length. A longer one is sent in parts, yielding to other requests. */
const MAX_WHOLE = 524_288;
/** Minimum number of characters of such a part. */
const MIN_PART = 262_144;

export const pageEnvelope = (page: Page<unknown>): string | AsyncIterable<string> => wholeOrParts(slicesOf(page));

/** Joins the slices of a text. A long text is returned as parts instead. */
export const wholeOrParts = (slices: Iterator<string>): string | AsyncIterable<string> => {
  let text = '';
  for (let slice = slices.next(); !slice.done; slice = slices.next()) {
    text += slice.value;
    if (text.length > MAX_WHOLE) return partsOf(text, slices);
  }
  spendTimeSlice(text.length / MAX_WHOLE);
  return text;
};

async function* partsOf(start: string, rest: Iterator<string>): AsyncGenerator<string> {
  let part = start;
  for (let slice = rest.next(); !slice.done; slice = rest.next()) {
    part += slice.value;
    if (part.length < MIN_PART) continue;
    spendTimeSlice(part.length / MAX_WHOLE);
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
    if (item instanceof SerializedJson) {
      yield separator + item.text;
      i++;
      continue;
    }
    const items = data.slice(i, i + count);
    const large = items.findIndex((each) => each instanceof SerializedJson || isLarge(each));
    if (large === 0) {
      yield separator;
      yield* jsonParts(data[i++] as object, texts); // only objects can be large
      continue;
    }
    const slice = large < 0 ? items : items.slice(0, large);
    const text = JSON.stringify(slice).slice(1, -1);
    yield separator + text;
    i += slice.length;
    count = Math.max(1, Math.min(MAX_BATCH, Math.floor((PART * slice.length) / text.length)));
  }
  const pagination = `{"limit":${limit === Infinity ? NO_LIMIT : limit},"offset":${offset},"totalCount":${totalCount}}`;
  // A list without a filter does not report filterable fields.
  const fields = filterableFields.length === 0 ? '' : `"filterableFields":${JSON.stringify(filterableFields)},`;
  yield `],"meta":{${VERSIONS},${fields}"pagination":${pagination}}}`;
}

/** The reported limit of a list without one: the largest signed 64-bit integer, as text, because a number cannot represent it. */
const NO_LIMIT = '9223372036854775807';

/** The members of every `meta`. */
export const VERSIONS = JSON.stringify(META).slice(1, -1);
