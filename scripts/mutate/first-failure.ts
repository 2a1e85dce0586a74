/** A reporter for `node --test` that writes a line of JSON for every failed test, as soon as it fails. */
import type { TestEvent } from 'node:test/reporters';

export interface Failure {
  readonly name: string;
  readonly reason: string;
}

// biome-ignore lint/style/noDefaultExport: the form of a reporter
export default async function* failures(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events)
    if (type === 'test:fail') {
      const { cause = data.details.error } = data.details.error;
      yield `${JSON.stringify({ name: data.name, reason: cause instanceof Error ? cause.message : String(cause) } satisfies Failure)}\n`;
    }
}
