import { abandon, BodyIncomplete, BodyTooLarge } from '../../src/adapter-kit.ts';
import { MAX_CHUNKS } from './collect.ts';

/**
 * The body of an answer as a stream. Chunks are read on demand, and never after the client has disconnected.
 * @param client aborted when the client disconnects
 * @param cutOff aborted when the controller cuts off the answer
 */
export const streamOf = (
  body: AsyncIterable<Uint8Array>,
  client: AbortSignal,
  cutOff: AbortSignal | undefined,
): ReadableStream<Uint8Array> => {
  const chunks = body[Symbol.asyncIterator]();
  const ended = new AbortController();
  const end = () => ended.abort();
  const cancelBody = () => {
    end();
    abandon(chunks);
  };
  // When a client disconnects, some runtimes abort the signal, some cancel the stream, and some do both.
  client.addEventListener('abort', cancelBody, { once: true, signal: ended.signal });
  return new ReadableStream(
    {
      start: (controller) => cutOff?.addEventListener('abort', () => controller.error(cutOff.reason), { once: true, signal: ended.signal }),
      pull: async (controller) => {
        const { done, value } = await chunks.next();
        if (!done) return controller.enqueue(value);
        end();
        controller.close();
      },
      cancel: cancelBody,
    },
    { highWaterMark: 0 },
  );
};

/**
 * Reads the body of a request into memory.
 * @throws BodyTooLarge beyond `limit` bytes or `MAX_CHUNKS` chunks, BodyIncomplete
 */
export const bytesIn = async (stream: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = stream?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new BodyIncomplete();
    });
    if (done) break;
    size += value.byteLength;
    if (size > limit || chunks.length === MAX_CHUNKS) {
      // Not awaited, because with some sources the promise never settles.
      reader.cancel().catch(() => undefined);
      throw new BodyTooLarge();
    }
    chunks.push(value);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return bytes;
};
