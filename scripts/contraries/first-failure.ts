/** A reporter for `node --test` that writes a line of JSON for every failed test, as soon as it fails. */
import type { TestEvent } from 'node:test/reporters';
import { statementsIn } from '../../test/specification.ts';

export interface Failure {
  readonly name: string;
  /** The numbers of the statements that the test claims to prove; empty if a file could not even be loaded. */
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
