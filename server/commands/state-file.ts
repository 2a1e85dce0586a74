import { parse, stringify } from 'yaml';
import type { StateDocument, StatePlan } from '../../src/index.ts';
import { StartFailure, sentenceOf } from '../failure.ts';
import { readText } from '../files.ts';

/** Maximum number of aliases that a document may resolve. Without a limit, a short document could expand to any amount of data. */
const MAX_ALIASES = 100;

/** Maximum size of a file. The document of a network with 100,000 entities is smaller. */
const MAX_BYTES = 128 * 2 ** 20;

/**
 * Formats a document.
 * @throws StartFailure for an unknown format
 */
export const documentText = (document: StateDocument, format: string): string => {
  if (format === 'json') return JSON.stringify(document, undefined, 2);
  if (format === 'yaml') return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  throw new StartFailure(`--format must be yaml, json or lines, got '${format}'`);
};

/**
 * Reads a document from YAML or JSON files, each of which contains a part of it.
 * @param files names; `-` is standard input
 * @throws StartFailure that names the file
 */
export const readDocument = async (files: readonly string[]): Promise<StateDocument> => {
  if (files.length === 0) throw new StartFailure('give the document with --document FILE; see --help');
  const members: Record<string, unknown> = Object.create(null); // without a prototype, whose properties a document might name
  for (const file of files) {
    for (const [name, value] of Object.entries(await objectIn(file))) {
      const previous = members[name];
      if (previous === undefined || previous === null) members[name] = value;
      else if (Array.isArray(previous) && Array.isArray(value)) members[name] = [...previous, ...value];
      else if (value !== null && previous !== value) throw new StartFailure(`${file} has a different ${name} than the previous files`);
    }
  }
  // A section without entities is null in YAML. The controller validates the document.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null)) as StateDocument;
};

/**
 * Reads a document in lines. The controller validates it.
 * @param file name; `-` is standard input
 */
export const readLines = async (file: string): Promise<string> => (file === '-' ? standardInput() : readText(file, MAX_BYTES));

/**
 * Reads the output file of the command plan.
 * @throws StartFailure that names the file
 */
export const readPlan = async (file: string): Promise<StatePlan> => {
  const plan = await objectIn(file);
  if (!('revision' in plan && 'operations' in plan)) throw new StartFailure(`${file} is not a plan: write one with plan --out FILE`);
  return plan as StatePlan; // the controller validates it
};

const standardInput = async (): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new StartFailure(`standard input has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

const objectIn = async (file: string): Promise<object> => {
  const text = await readLines(file);
  let value: unknown;
  try {
    // JSON is YAML, too.
    value = parse(text, { schema: 'core', maxAliasCount: MAX_ALIASES, prettyErrors: true, logLevel: 'error' });
  } catch (error) {
    throw new StartFailure(`${file} is not valid YAML: ${sentenceOf(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new StartFailure(`${file} must contain a map of sections, such as services, with lists of entities`);
};
