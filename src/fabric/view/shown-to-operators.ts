/**
 * Texts of routers as operators see them: without control characters, and without the secrets of clients. Routers know the tokens of
 * sessions, and show them in what they answer to operators, who could then act as these clients.
 */
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { withoutControls } from '../../runtime/platform/control-characters.ts';

/** A signed token (RFC 7519). It begins a word, so that the text is read once. In JSON, an escape such as `\n` may precede it. */
const SIGNED_TOKEN = /(?<!(?<!\\)[\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
/** A field of JSON with a text, with a name such as `sessionToken`. */
const SECRET_FIELD = /("\w{0,40}(?:token|secret|password)\w{0,40}"\s{0,4}:\s{0,4})"(?:[^"\\]|\\.)*"/gi;
const SECRET_NAME = /token|secret|password/i;

/** The field of a data model with the data of a config: administrators wrote it, and no router adds a token to it. */
const CONFIG_DATA = 'dataJson';

/** The text with empty texts instead of tokens and passwords. */
const withoutTokens = (text: string): string => text.replace(SIGNED_TOKEN, '').replace(SECRET_FIELD, '$1""');

const shownAtOnce = (text: string): string => withoutControls(withoutTokens(text));

/** Maximum length of a text that is read at once. UTF-16 units */
const SLICE = 65_536;
/** Length of the texts that are read in a few milliseconds. An entry of a list or a map takes as long as some of it. */
const UNITS_AT_ONCE = 131_072;
const UNITS_PER_ENTRY = 50;

type Pause = ReturnType<typeof createTimeSlice>;
const createPause = (): Pause => createTimeSlice(UNITS_AT_ONCE);

/** Cuts a text after line feeds and commas or, failing these, after another character that is in no token and begins no escape. */
function* slicesOf(text: string): Generator<string, void> {
  for (let start = 0; start < text.length; ) {
    const slice = text.slice(start, start + SLICE);
    const end = Math.max(slice.lastIndexOf('\n'), slice.lastIndexOf(',')) + 1 || slice.search(/[^\w.\\-][\w.\\-]*$/) + 1;
    const length = end === 0 || start + slice.length === text.length ? slice.length : end;
    yield slice.slice(0, length);
    start += length;
  }
}

const shownText = async (text: string, pause: Pause, show = shownAtOnce): Promise<string> => {
  let shown = '';
  for (const slice of slicesOf(text)) {
    shown += show(slice);
    await pause(slice.length);
  }
  return shown;
};

/** Texts as operators see them. A router may send megabytes of control characters: yields to the event loop. */
export const shownTexts = async (texts: readonly string[]): Promise<readonly string[]> => {
  const pause = createPause();
  const shown: string[] = [];
  for (const text of texts) shown.push(await shownText(text, pause));
  return shown;
};

const isLong = (text: string): boolean => text.length > SLICE;

/** A list or a map of JSON. */
type Container = unknown[] | Record<string, unknown>;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

function* entriesIn(container: Container): Generator<readonly [name: string | number, value: unknown], void> {
  if (Array.isArray(container)) yield* container.entries();
  else for (const name of Object.keys(container)) yield [name, container[name]];
}

/** Replaces what operators do not see in a value of JSON, in place. Very long names are cut. */
const shownValue = async (value: unknown): Promise<unknown> => {
  const pause = createPause();
  const root = [value];
  /** Containers with entries that have not been read. */
  const open: Container[] = [root];
  const seen = new WeakSet<Container>();
  for (let container = open.pop(); container; container = open.pop())
    for (const [name, entry] of entriesIn(container)) {
      // A name that is shown as another one of the same map has its entry read with that again.
      if (isContainer(entry) && !seen.has(entry)) {
        seen.add(entry);
        open.push(entry);
      }
      const isSecret = typeof name === 'string' && SECRET_NAME.test(name);
      const shownName = typeof name === 'string' ? shownAtOnce(name.slice(0, SLICE)) : name;
      const show = name === CONFIG_DATA ? withoutControls : shownAtOnce;
      const shownEntry =
        typeof entry !== 'string' ? entry : isSecret ? '' : isLong(entry) ? await shownText(entry, pause, show) : show(entry);
      if (shownName !== name) Reflect.deleteProperty(container, name);
      // Not by assignment: the name may be `__proto__`.
      if (shownName !== name || shownEntry !== entry)
        Object.defineProperty(container, shownName, { value: shownEntry, configurable: true, enumerable: true, writable: true });
      const turn = pause(UNITS_PER_ENTRY + (typeof entry === 'string' && !isLong(entry) ? entry.length : 0));
      if (turn) await turn;
    }
  return root[0];
};

/**
 * The value that a text contains as JSON, as operators see it; undefined if the text is not JSON, or empty. JSON may write any character as
 * an escape, so that only the parsed texts show what they contain. Yields to the event loop.
 */
export const shownJson = (text: string): Promise<unknown> => shownValue(jsonIn(text));

/** Maximum depth of nested lists and maps. Deeper values could not be serialized. */
const MAX_DEPTH = 100;

const jsonIn = (text: string): unknown => {
  if (isDeep(text)) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
};

const isDeep = (text: string): boolean => {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') isQuoted = !isQuoted;
    else if (isQuoted && character === '\\') i++;
    else if (!isQuoted && (character === '[' || character === '{')) depth++;
    else if (!isQuoted && (character === ']' || character === '}')) depth--;
    if (depth > MAX_DEPTH) return true;
  }
  return false;
};

/** Maximum length of a detail that is read. Longer ones are not shown. */
const MAX_DETAIL = 100_000;

/** The detail of a terminator: routers list the sessions that host by their tokens. */
export const terminatorDetail = async (text: string): Promise<string> => {
  if (text.length > MAX_DETAIL) return '';
  const detail = jsonIn(text);
  if (!isContainer(detail)) return shownText(text, createPause());
  if ('hosting' in detail) detail.hosting = isContainer(detail.hosting) ? Object.values(detail.hosting) : [];
  return JSON.stringify(await shownValue(detail));
};
