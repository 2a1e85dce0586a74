import { JSON_LIMITS } from '../../call/json.ts';
import { type SectionName, sectionNames } from '../../contract/api/declared-kinds.ts';
import { MAX_DECLARED_FIELDS } from '../../contract/api/state.ts';
import { type ApiError, invalidField } from '../../contract/errors/index.ts';
import { parseJson } from '../../http/body.ts';
import { createTimeSlice } from '../../runtime/concurrency/event-loop.ts';
import { type Declaration, type Declared, declaredTwice, readDeclaration } from './entries.ts';
import { isDocument, type Values } from './values.ts';

/** Maximum number of entities, because their names stay in memory. */
const MAX_ENTITIES = 1_000_000;
/** Maximum number of characters of a line: those of any other body, by default. */
const MAX_LINE_CHARACTERS = 2 ** 20;

/** Number of lines, and of characters in them, that take as long as one step of a time slice. */
const STEP = { lines: 1, characters: 500 } as const;
/** Number of steps to read before yielding to the event loop. */
const STEPS_PER_SLICE = 300;

/**
 * Reads a document in lines. Only places and positions are kept: a line is parsed again when its entity is needed, so that the memory does
 * not grow with what the lines contain.
 * @param now ISO text
 * @param signal stops the reading
 * @throws ApiError `COULD_NOT_PARSE_BODY` or `COULD_NOT_VALIDATE` with the number of the line
 */
export const declaredInLines = async (text: string, now: string, signal: AbortSignal): Promise<Declared> => {
  const positions = new Map<string, number>();
  const sections = new Map<SectionName, number[]>(sectionNames.map((section) => [section, []]));
  const yieldIfDue = createTimeSlice(STEPS_PER_SLICE);
  for (const { line, position, number } of linesIn(text)) {
    const pause = yieldIfDue(STEP.lines + line.length / STEP.characters);
    if (pause) await pause;
    signal.throwIfAborted();
    if (isBlank(line)) continue;
    const entry = parseLine(line, `line ${number}`, now);
    if (positions.has(entry.place)) throw declaredTwice(`line ${number}`, entry);
    if (positions.size === MAX_ENTITIES) throw tooManyEntities();
    positions.set(entry.place, position);
    sections.get(entry.section)?.push(position);
  }
  const entryAt = (position: number): Declaration => parseLine(lineAt(text, position), 'line', now);
  return {
    has: (place) => positions.has(place),
    at: (place) => {
      const position = positions.get(place);
      return position === undefined ? undefined : entryAt(position);
    },
    *[Symbol.iterator]() {
      for (const section of sections.values()) for (const position of section) yield entryAt(position);
    },
  };
};

interface Line {
  readonly line: string;
  /** Its index in the text. */
  readonly position: number;
  /** From 1. */
  readonly number: number;
}

function* linesIn(text: string): Generator<Line> {
  for (let position = 0, number = 1; position < text.length; number++) {
    const line = lineAt(text, position);
    yield { line, position, number };
    position += line.length + 1;
  }
}

const lineAt = (text: string, position: number): string => {
  const end = text.indexOf('\n', position);
  return text.slice(position, end < 0 ? text.length : end);
};

/** True for a line that is skipped. Long ones are not searched. */
const isBlank = (line: string): boolean => line.length <= MAX_LINE_CHARACTERS && line.trim() === '';

const utf8 = new TextEncoder();

/** @param where the position, for errors: `line 12` */
const parseLine = (line: string, where: string, now: string): Declaration => {
  if (line.length > MAX_LINE_CHARACTERS)
    throw invalidField(
      where,
      `${where} has ${line.length} characters, and may have ${MAX_LINE_CHARACTERS}: write one entity per line`,
      undefined,
    );
  const value = parseJson(utf8.encode(line), { ...JSON_LIMITS, name: where });
  const [[section, entity] = [], ...others] = isDocument(value) ? Object.entries(value) : [];
  if (!isSection(section) || others.length > 0 || !isDocument(entity) || Object.keys(entity).length > MAX_DECLARED_FIELDS)
    throw notAnEntity(where);
  return { ...readDeclaration(section, entity as Values, where, now), characters: line.length };
};

const isSection = (name: string | undefined): name is SectionName => (sectionNames as readonly unknown[]).includes(name);

const notAnEntity = (where: string): ApiError =>
  invalidField(
    where,
    `${where} must be an object with one key, the section of an entity, and its fields as the value: {"services":{"name":"wiki"}}. The sections are ${sectionNames.join(', ')}`,
    undefined,
  );

const tooManyEntities = (): ApiError =>
  invalidField(
    'document',
    `a document in lines may have at most ${MAX_ENTITIES} entities: divide it by sections, those that others refer to first`,
    undefined,
  );
