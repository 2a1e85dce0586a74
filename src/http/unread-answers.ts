import { type Release, tooManyRequests, WaitQueue } from '../runtime/concurrency/semaphore.ts';
import { clearTimeout, performanceNow, setTimeout } from '../runtime/platform/timers.ts';

/** Limits on answers that clients have not read yet, so that clients that do not read cannot exhaust the memory. */
export interface AnswerLimits {
  /**
   * Maximum number of bytes held for all clients. Above it, the session with the most bytes loses its longest stalled answer. Default 256
   * MiB.
   */
  readonly maxUnreadBytes?: number;
  /** Number of bytes held for one session above which its further list requests have to wait. Default 32 MiB. */
  readonly maxUnreadBytesPerSession?: number;
  /**
   * Milliseconds without progress after which an answer is cut off if another list request of its session waits for memory. Default 5,000.
   */
  readonly stalledAnswerMs?: number;
}

/** The names of `AnswerLimits`, for checking options. */
export const ANSWER_LIMITS = { maxUnreadBytes: true, maxUnreadBytesPerSession: true, stalledAnswerMs: true } as const;

/** The answers of a host that clients have not read yet. */
export interface UnreadAnswers {
  /**
   * Waits until another page may be produced for a client.
   * @param signal returns the signal of the request; called only if the request has to wait
   * @returns a function to call once the page is complete
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` if too many requests of the client are waiting; the reason of the signal if it is aborted
   */
  admit(client: string, signal: () => AbortSignal): Release | Promise<Release>;
  /**
   * Registers an answer to a client.
   * @param breakOff cuts the answer off and releases its held bytes
   */
  open(client: string, breakOff: () => void): UnreadAnswer;
}

/** The held part of one answer. */
export interface UnreadAnswer {
  /** Counts additional held bytes. Answers, including this one, may be cut off to make room for them. */
  add(bytes: number): void;
  /** Counts a part that the client has read. */
  take(bytes: number): void;
  /** Ends the answer and releases its bytes. */
  end(): void;
}

/** The reason why an answer is cut off. */
export class Unread extends Error {
  override readonly name = 'Unread';

  constructor() {
    super('the client does not read its answer, and others need the memory');
  }
}

/** Maximum number of pages produced concurrently for one client, since their rows take more memory than the pages themselves. */
const MAX_CONCURRENT_PAGES = 8;
/** Maximum number of requests of one client that wait until it reads. */
const MAX_WAITING = 16;

interface Held {
  readonly breakOff: () => void;
  bytes: number;
  /** When the client last read a part or, if it has read none, when the first part was held. */
  since: number;
}

interface Client {
  readonly name: string;
  bytes: number;
  /** Number of pages being produced. */
  pagesInProgress: number;
  /** Answers with held bytes, in order of their last progress. */
  readonly answers: Set<Held>;
  readonly waiting: WaitQueue;
  timer?: ReturnType<typeof setTimeout>;
}

/** Counts and bounds the bytes that clients have not read. */
export const createUnreadAnswers = ({
  maxUnreadBytes = 256 * 1024 * 1024,
  maxUnreadBytesPerSession = 32 * 1024 * 1024,
  stalledAnswerMs = 5000,
}: AnswerLimits = {}): UnreadAnswers => {
  const clients = new Map<string, Client>();
  let [bytes, held] = [0, 0];

  const clientOf = (name: string): Client => {
    let client = clients.get(name);
    if (!client) clients.set(name, (client = { name, bytes: 0, pagesInProgress: 0, answers: new Set(), waiting: new WaitQueue() }));
    return client;
  };
  const grow = (client: Client, answer: Held, delta: number) => {
    answer.bytes += delta;
    client.bytes += delta;
    bytes += delta;
  };
  /** Counts held bytes of an answer that had none, and moves it to the end of its client's answers. */
  const hold = (client: Client, answer: Held, byteCount: number) => {
    answer.since = performanceNow();
    client.answers.add(answer);
    held++;
    grow(client, answer, byteCount);
  };
  /** @returns true if the answer had held bytes */
  const remove = (client: Client, answer: Held): boolean => {
    if (!client.answers.delete(answer)) return false;
    held--;
    grow(client, answer, -answer.bytes);
    return true;
  };
  const drop = (client: Client) => {
    const [stalest] = client.answers;
    if (!stalest) return;
    remove(client, stalest);
    stalest.breakOff();
  };
  const hasRoom = ({ pagesInProgress, bytes }: Client): boolean =>
    pagesInProgress < MAX_CONCURRENT_PAGES && bytes < maxUnreadBytesPerSession;

  /** Admits waiting requests as far as memory allows, and cuts off stalled answers for them. */
  const advance = (client: Client) => {
    clearTimeout(client.timer);
    for (let [next] = client.waiting; next; [next] = client.waiting) {
      if (hasRoom(client)) {
        client.pagesInProgress++;
        next.admit();
        continue;
      }
      const [stalest] = client.answers;
      if (!stalest || client.bytes < maxUnreadBytesPerSession) return;
      const remainingMs = stalest.since + stalledAnswerMs - performanceNow();
      if (remainingMs > 0) {
        client.timer = setTimeout(advance, remainingMs, client);
        return;
      }
      drop(client);
    }
    if (client.pagesInProgress === 0 && client.answers.size === 0) clients.delete(client.name);
  };
  const permit = (client: Client): Release => {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      client.pagesInProgress--;
      advance(client);
    };
  };
  const makeRoom = () => {
    while (bytes > maxUnreadBytes && held > 1) {
      const largest = [...clients.values()].reduce((largestSoFar, each) => (each.bytes > largestSoFar.bytes ? each : largestSoFar));
      drop(largest);
      advance(largest);
    }
  };

  return {
    admit: (name, signal) => {
      const client = clientOf(name);
      if (client.waiting.length === 0 && hasRoom(client)) {
        client.pagesInProgress++;
        return permit(client);
      }
      if (client.bytes >= maxUnreadBytesPerSession && client.waiting.length >= MAX_WAITING) throw tooManyRequests();
      const admitted = client.waiting.wait(undefined, signal());
      advance(client);
      return admitted.then(
        () => permit(client),
        (reason: unknown) => {
          advance(client);
          throw reason;
        },
      );
    },
    open: (name, breakOff) => {
      const answer: Held = { breakOff, bytes: 0, since: 0 };
      return {
        add: (added) => {
          const client = clientOf(name);
          if (answer.bytes === 0) hold(client, answer, added);
          else grow(client, answer, added);
          makeRoom();
        },
        take: (read) => {
          const client = clientOf(name);
          const { bytes: heldBefore } = answer;
          if (!remove(client, answer)) return;
          if (heldBefore > read) hold(client, answer, heldBefore - read);
          advance(client);
        },
        end: () => {
          const client = clientOf(name);
          remove(client, answer);
          advance(client);
        },
      };
    },
  };
};
