/** A reporter of `node --test` that writes a line of JSON for every test that failed, as soon as it did. */
import type { TestEvent } from 'node:test/reporters';
import { statementsIn } from '../../test/specification.ts';

export interface Failure {
  readonly name: string;
  /** Numbers of the statements that the test says it proves: none where a file could not even be loaded. */
  readonly proves: readonly number[];
  readonly reason: string;
}

// biome-ignore lint/style/noDefaultExport: the form of a reporter
export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events)
    if (type === 'test:fail') {
      const { cause = data.details.error } = data.details.error;
      const reason = cause instanceof Error ? cause.message : String(cause);
      yield `${JSON.stringify({ name: data.name, proves: statementsIn(data.tags), reason } satisfies Failure)}\n`;
    }
}
