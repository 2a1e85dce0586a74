import { parse, stringify } from 'yaml';
import type { StateDocument, StatePlan } from '../../src/index.ts';
import { StartFailure, sentenceOf } from '../failure.ts';
import { readText } from '../files.ts';

/** Maximum number of aliases that a document may resolve: without one, a short text could stand for any amount of data. */
const MAX_ALIASES = 100;

/** The document of a network with 100,000 entities is smaller. */
const MAX_BYTES = 128 * 2 ** 20;

/** A document as text. */
export const documentText = (document: StateDocument, format: string): string => {
  if (format === 'json') return JSON.stringify(document, undefined, 2);
  if (format === 'yaml') return stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }).trimEnd();
  throw new StartFailure(`--format must be yaml or json, got '${format}'`);
};

/**
 * Reads a document from files, in YAML or JSON, each with a part of it.
 * @param files names; `-` is standard input
 * @throws StartFailure that names the file
 */
export const readDocument = async (files: readonly string[]): Promise<StateDocument> => {
  if (files.length === 0) throw new StartFailure('give the document with --document FILE; see --help');
  const whole: Record<string, unknown> = Object.create(null); // no key of a document is a property of its prototype
  for (const file of files) {
    for (const [name, value] of Object.entries(await objectIn(file))) {
      const before = whole[name];
      if (before === undefined || before === null) whole[name] = value;
      else if (Array.isArray(before) && Array.isArray(value)) whole[name] = [...before, ...value];
      else if (value !== null && before !== value) throw new StartFailure(`${file} has another ${name} than the files before it`);
    }
  }
  // The controller checks it. A section without entities is null in YAML.
  return Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== null)) as StateDocument;
};

/** Reads a plan that the command plan wrote. @throws StartFailure that names the file */
export const readPlan = async (file: string): Promise<StatePlan> => {
  const plan = await objectIn(file);
  if (!('revision' in plan && 'operations' in plan)) throw new StartFailure(`${file} is not a plan: write one by plan --out FILE`);
  return plan as StatePlan; // the controller checks it
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
  const text = file === '-' ? await standardInput() : readText(file, MAX_BYTES);
  let value: unknown;
  try {
    // JSON is YAML, too.
    value = parse(text, { schema: 'core', maxAliasCount: MAX_ALIASES, prettyErrors: true, logLevel: 'error' });
  } catch (error) {
    throw new StartFailure(`${file} is not valid YAML: ${sentenceOf(error)}`);
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new StartFailure(`${file} must hold a map of sections, such as services, with lists of entities`);
};
