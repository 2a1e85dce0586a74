import type { Answer } from '../api/kit/operation.ts';
import type { HttpOutput, ServerSentEvent } from '../api/surfaces/http-output.ts';
import type { Surface } from '../api/surfaces/surface.ts';
import { EVENTS_TYPE, JSON_TYPE } from '../wire/media-types.ts';
import { eventStream } from './event-stream.ts';

export type OutputBody = NonNullable<HttpOutput['body']>;

/** The output of an operation without an envelope. */
interface RawOutput {
  readonly contentType: string;
  readonly body: string | Uint8Array;
}

/** An output with its body as it is sent. */
type WrittenOutput = HttpOutput & { readonly body: OutputBody };

/** The output of an operation, in the form of its surface. @param wanted the media type that the client likes best */
export const bodyOf = ({ envelope }: Surface, answer: Answer, output: unknown, wanted: string | undefined): WrittenOutput => {
  // The handler returns the declared answer.
  switch (answer.is) {
    case 'raw': {
      const { contentType, body } = output as RawOutput;
      return { contentType: labelled(contentType, wanted), body };
    }
    case 'response':
      return { body: '', ...(output as HttpOutput) };
    case 'events':
      return { contentType: EVENTS_TYPE, headers: UNBUFFERED, body: eventStream(output as AsyncIterable<ServerSentEvent<unknown>>) };
    default:
      return { contentType: envelope.contentType, body: envelope.write(answer, output) };
  }
};

/** nginx holds back what proxied servers send, unless they say this. */
const UNBUFFERED = { 'x-accel-buffering': 'no' } as const;

/** Every JSON text is YAML, too. */
const labelled = (given: string, wanted: string | undefined): string => (given === JSON_TYPE && wanted === 'text/yaml' ? wanted : given);
