/**
 * Which lines of the sources each test file runs, by the coverage of V8. It is kept in `node_modules/.cache/coverage`, a file per test
 * file, and collected anew for test files that changed. Code at the top of a module runs in every process that loads it, so it does not
 * count.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isShared, root } from '../test-files.ts';
import { runTests, tagFilter } from './run-tests.ts';

interface Covered {
  /** Of the source file when its coverage was collected. */
  readonly digest: string;
  /** A bit for each line, in base64. */
  readonly lines: string;
}

interface TestCoverage {
  /** Of the test file. */
  readonly digest: string;
  readonly sources: Readonly<Record<string, Covered>>;
}

/** A file of `NODE_V8_COVERAGE`. */
interface V8Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly Range[] }[];
  }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

const CACHE = join(root, 'node_modules/.cache/coverage');
const SOURCES = /^(src|adapters|server)\//;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 12);
const sourceTexts = new Map<string, { readonly text: string; readonly digest: string }>();
const sourceOf = (file: string) => {
  let source = sourceTexts.get(file);
  if (!source) {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
    sourceTexts.set(file, (source = { text, digest: digestOf(text) }));
  }
  return source;
};

const cacheFile = (test: string): string => join(CACHE, `${test.replaceAll('/', '+')}.json`);

const kept = (test: string): TestCoverage | undefined => {
  if (!existsSync(cacheFile(test))) return undefined;
  // Written by `collect`.
  const coverage = JSON.parse(readFileSync(cacheFile(test), 'utf8')) as TestCoverage;
  return coverage.digest === sourceOf(test).digest ? coverage : undefined;
};

/** Runs test files, and keeps which lines each ran. Only files that may share a process are given together. */
export const collect = async (tests: readonly string[]): Promise<void> => {
  using folder = temporaryFolder();
  const [test = ''] = tests;
  const failure = isShared(test)
    ? await runTests(tests, {}, { script: ['scripts/mutate/profile-tests.ts', folder.path] })
    : await runTests(tests, { NODE_V8_COVERAGE: folder.path });
  if (failure) console.error(`without a mistake, '${failure.name}' fails: ${failure.reason.split('\n')[0]}`);
  const profiles = readdirSync(folder.path);
  mkdirSync(CACHE, { recursive: true });
  for (const [index, each] of tests.entries()) {
    const own = isShared(each) ? profiles.filter((name) => name === `${index}.json`) : profiles;
    const sources = Object.fromEntries(
      [...linesIn(own.map((name) => join(folder.path, name)))].map(([file, lines]) => [
        file,
        { digest: sourceOf(file).digest, lines: Buffer.from(lines).toString('base64') },
      ]),
    );
    writeFileSync(cacheFile(each), JSON.stringify({ digest: sourceOf(each).digest, sources } satisfies TestCoverage));
  }
};

/** The lines that the tests of a statement run, by file. */
export const linesOfStatement = async (statement: number, tests: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>> => {
  using folder = temporaryFolder();
  await runTests(tests, { NODE_V8_COVERAGE: folder.path }, { flags: [tagFilter(statement)] });
  const covered = linesIn(readdirSync(folder.path).map((name) => join(folder.path, name)));
  return new Map([...covered].map(([file, lines]) => [file, [...Array(lines.length * 8).keys()].filter((line) => isSet(lines, line))]));
};

const temporaryFolder = () => {
  const path = mkdtempSync(join(tmpdir(), 'coverage-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
};

const isSet = (lines: Uint8Array, line: number): boolean => ((lines[line >> 3] ?? 0) & (1 << (line & 7))) !== 0;

/** A bit for each line of a source that ran according to files of V8. */
const linesIn = (profiles: readonly string[]): ReadonlyMap<string, Uint8Array> => {
  const covered = new Map<string, Uint8Array>();
  for (const name of profiles) {
    // Written by V8.
    const { result } = JSON.parse(readFileSync(name, 'utf8')) as V8Coverage;
    for (const { url, functions } of result) {
      const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)).replaceAll('\\', '/') : '';
      if (!SOURCES.test(file)) continue;
      const ranges = functions.flatMap((each) => each.ranges);
      markLines(covered, file, ranges);
    }
  }
  return covered;
};

/** Sets the bits of the lines on which any function ran. */
const markLines = (covered: Map<string, Uint8Array>, file: string, ranges: readonly Range[]): void => {
  const { text } = sourceOf(file);
  const ran = new Uint8Array(text.length);
  // Inner ranges correct outer ones. The outermost is the module itself.
  for (const { startOffset, endOffset, count } of ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset))
    if (startOffset > 0 || endOffset < text.length) ran.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  if (!ran.includes(1)) return;
  const lines = covered.get(file) ?? new Uint8Array(Math.ceil((text.split('\n').length + 1) / 8));
  let line = 1;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\n') line++;
    else if (ran[at] === 1 && text[at] !== ' ') lines[line >> 3] = (lines[line >> 3] ?? 0) | (1 << (line & 7));
  }
  covered.set(file, lines);
};

export interface Coverage {
  /** The tests that run one of the lines of a source file; all that run any of them if the file has changed since. */
  testsOf(file: string, lines: readonly number[]): readonly string[];
  /** The number of source files of which a test runs something. */
  breadthOf(test: string): number;
}

/** @returns what is kept, and the test files of which nothing is */
export const readCoverage = (tests: readonly string[]): { readonly coverage: Coverage; readonly missing: readonly string[] } => {
  const byFile = new Map<string, { readonly test: string; readonly isOfToday: boolean; readonly lines: Uint8Array }[]>();
  const breadths = new Map<string, number>();
  for (const test of tests) {
    const found = kept(test);
    if (!found) continue;
    const entries = Object.entries(found.sources);
    breadths.set(test, entries.length);
    for (const [file, { digest, lines }] of entries) {
      const tested = byFile.get(file) ?? [];
      tested.push({ test, isOfToday: digest === sourceOf(file).digest, lines: Buffer.from(lines, 'base64') });
      byFile.set(file, tested);
    }
  }
  return {
    coverage: {
      testsOf: (file, lines) =>
        (byFile.get(file) ?? []).filter((each) => !each.isOfToday || lines.some((line) => isSet(each.lines, line))).map(({ test }) => test),
      breadthOf: (test) => breadths.get(test) ?? 0,
    },
    missing: tests.filter((test) => !breadths.has(test)),
  };
};
