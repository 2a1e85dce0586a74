import { type FileHandle, open, rename } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, ManagementController } from '../src/index.ts';

/** A file for events, and when it is rotated. */
export interface EventsFileOptions {
  readonly file: string;
  /** Size at which a new file begins. */
  readonly maxBytes: number;
  /** Number of former files that are kept, as `FILE.1` (the latest), `FILE.2`, ... */
  readonly backups: number;
}

/** Delay before the file is opened again after an error. ms */
const RETRY_MS = 5000;

/**
 * Writes the events of the network to a file, one JSON object per line. While it cannot be written, events are missed, and the next line
 * that is written after a gap has their number.
 * @returns a function that ends it
 */
export const writeEventsFile = (
  controller: Pick<ManagementController, 'api'>,
  options: EventsFileOptions,
  messages: Pick<Logger, 'warn'>,
): (() => Promise<void>) => {
  const ending = new AbortController();
  const { signal } = ending;
  const follow = async () => {
    const file = createRotatedFile(options);
    try {
      for await (const event of controller.api.networkEvents.follow({ signal }))
        if (event['event_type'] !== 'opened') await file.write(`${JSON.stringify(event)}\n`);
    } finally {
      await file.close();
    }
  };
  const run = async () => {
    while (!signal.aborted) {
      await follow().catch((error: unknown) => {
        if (!signal.aborted) messages.warn('events cannot be written to the file; this is tried again', { file: options.file, error });
      });
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const done = run();
  return () => {
    ending.abort();
    return done;
  };
};

const createRotatedFile = ({ file, maxBytes, backups }: EventsFileOptions) => {
  let handle: FileHandle | undefined;
  let size = 0;
  const close = async () => {
    await handle?.close();
    handle = undefined;
  };
  const rotate = async () => {
    await close();
    for (let number = backups; number > 0; number--)
      await rename(number === 1 ? file : `${file}.${number - 1}`, `${file}.${number}`).catch(unlessMissing);
  };
  return {
    close,
    write: async (line: string) => {
      const bytes = Buffer.from(line);
      if (handle && size + bytes.length > maxBytes) await rotate();
      if (!handle) {
        // Events have no secrets, but show who uses what.
        handle = await open(file, 'a', 0o600);
        size = (await handle.stat()).size;
        if (size > 0 && size + bytes.length > maxBytes) {
          await rotate();
          // Without former files, the file begins again.
          handle = await open(file, 'w', 0o600);
          size = 0;
        }
      }
      await handle.appendFile(bytes);
      size += bytes.length;
    },
  };
};

const unlessMissing = (error: unknown): void => {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
};
