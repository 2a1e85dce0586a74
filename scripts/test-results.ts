/**
 * A reporter of `node --test` that writes a line of JSON for every test that ended: its name, the store that it ran on (the nearest suite above it
 * that names one), and whether it passed. `scripts/specification.ts` reads them.
 */
import type { TestEvent } from 'node:test/reporters';

export interface TestResult {
  readonly name: string;
  readonly store?: string;
  readonly passed: boolean;
}

const STORE = /\((memory|sqlite|postgres)\)$/;

// biome-ignore lint/style/noDefaultExport: the form of a reporter
export default async function* results(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** What is going on, outermost first: these events come in the order of the sources, one file after the other. */
  let names: readonly string[] = [];
  for await (const { type, data } of events) {
    if (type !== 'test:start' && type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting } = data;
    names = [...names.slice(0, nesting), name];
    if (type === 'test:start' || data.skip !== undefined) continue;
    const store = names
      .map((each) => STORE.exec(each)?.[1])
      .filter((each) => each !== undefined)
      .at(-1);
    const result: TestResult = { name, ...(store === undefined ? {} : { store }), passed: type === 'test:pass' };
    yield `${JSON.stringify(result)}\n`;
  }
}
