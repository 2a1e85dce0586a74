/** One connection to the change log, with a check that the controller still answers. */
import { createParser } from '../../client/events.ts';
import type { Change } from '../../client/index.ts';
import { remoteOperations } from '../../client/operations.ts';
import type { RemoteOperation } from '../../client/remote-operation.ts';
import { createRequest } from '../../client/request.ts';
import { requestInSession } from './session.ts';
import { controllerAddress } from './settings.ts';

/** Times in ms. */
const CHECK_EVERY = 1000;
/** After this silence of the stream, the controller is asked whether it is there. */
const SILENCE = 4000;
const ANSWER_WITHIN = 4000;
/** A controller sends a comment every 15 seconds, so two of them are missing. */
const DEAD_AFTER = 35_000;
/** A page that nobody sees gives its connection up: browsers limit their number for all tabs together. */
const HIDDEN_FOR = 30_000;

const operationOf = (group: string, verb: string): RemoteOperation => remoteOperations[group]?.[verb] as RemoteOperation; // the table has it

export interface ChangeStream {
  /** The revision after which to begin. Default: from now on. */
  readonly after: number | undefined;
  readonly signal: AbortSignal;
  readonly onOpen: () => void;
  /** @param change undefined if only the revision has advanced */
  readonly onRevision: (revision: number, change: Change | undefined) => void;
}

/** The status of a refused stream. */
export class StreamRefused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`the stream of changes was refused with ${status}`);
    this.status = status;
  }
}

/**
 * Reads changes until the connection is lost.
 * @throws StreamRefused, or the reason of the loss
 */
export const readChanges = async ({ after, signal, onOpen, onRevision }: ChangeStream): Promise<void> => {
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  try {
    const { target, headers } = createRequest(operationOf('changes', 'follow'), after === undefined ? {} : { after }, 'management');
    const watch = watchSilence(() => lost.abort(new Error('the controller does not answer')), ending);
    const response = await requestInSession(target, { headers, signal: ending, cache: 'no-store' });
    if (!response.ok || !response.body) throw new StreamRefused(response.status);
    onOpen();
    await readEvents(response.body, watch.heard, onRevision);
  } finally {
    lost.abort();
  }
};

const readEvents = async (
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  heard: () => void,
  onRevision: ChangeStream['onRevision'],
): Promise<void> => {
  const parse = createParser();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    heard();
    for (const { id, data } of parse(part.value))
      if (id !== undefined) onRevision(Number(id), data === undefined ? undefined : (JSON.parse(data) as Change)); // the declared item of the operation
  }
};

/** Calls `onLoss` when neither the stream nor the controller answers. Before the first byte, only the controller is asked. */
const watchSilence = (onLoss: () => void, ending: AbortSignal): { readonly heard: () => void } => {
  let heardAt = Date.now();
  let answeredAt = heardAt;
  let seenAt = heardAt;
  let isAsking = false;
  const check = async (): Promise<void> => {
    const now = Date.now();
    if (!document.hidden) seenAt = now;
    if (now - heardAt > DEAD_AFTER || now - seenAt > HIDDEN_FOR) return onLoss();
    if (isAsking || now - Math.max(heardAt, answeredAt) < SILENCE) return;
    isAsking = true;
    if (await answers()) answeredAt = Date.now();
    else onLoss();
    isAsking = false;
  };
  const timer = setInterval(() => void check(), CHECK_EVERY);
  addEventListener('offline', onLoss, { signal: ending });
  ending.addEventListener('abort', () => clearInterval(timer), { once: true });
  return { heard: () => void (heardAt = Date.now()) };
};

/** True if the controller answers an operation that needs no session. */
const answers = async (): Promise<boolean> => {
  const { target } = createRequest(operationOf('informational', 'version'), {}, 'management');
  try {
    const { status } = await fetch(`${controllerAddress}${target}`, { signal: AbortSignal.timeout(ANSWER_WITHIN), cache: 'no-store' });
    return status < 500;
  } catch {
    return false;
  }
};
