/**
 * A reporter for `node --test` that writes a line of JSON for every finished test that proves statements of the specification.
 * `scripts/specification.ts` reads these lines.
 */
import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { statementsIn } from '../test/specification.ts';

export interface TestResult {
  readonly name: string;
  /** The path relative to the root of the project. */
  readonly file: string;
  /** The store that the test ran on, which the innermost suite with a store in its name determines. */
  readonly store?: string;
  /** The numbers of the statements that the test proves. */
  readonly proves: readonly number[];
  readonly passed: boolean;
}

const ROOT = resolve(import.meta.dirname, '..');
const STORE = /\((memory|sqlite|postgres)\)$/;

interface Started {
  readonly name: string;
  readonly tags: readonly string[];
}

// biome-ignore lint/style/noDefaultExport: the form of a reporter
export default async function* results(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The running tests, outermost first. Events arrive in the order of the sources, one file after another. */
  let open: readonly Started[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, tags, nesting, file = '' } = data;
    open = [...open.slice(0, nesting), { name, tags }];
    if (type === 'test:start' || data.skip !== undefined) continue;
    // A nested test inherits the tags of the outer one.
    const inherited = open.at(-2)?.tags ?? [];
    const proves = statementsIn(tags.filter((tag) => !inherited.includes(tag)));
    if (proves.length === 0) continue;
    const store = open.flatMap((each) => STORE.exec(each.name)?.[1] ?? []).at(-1);
    const result: TestResult = {
      name,
      file: relative(ROOT, file),
      ...(store === undefined ? {} : { store }),
      proves,
      passed: type === 'test:pass',
    };
    yield `${JSON.stringify(result)}\n`;
  }
}
