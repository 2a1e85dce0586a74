import { type Release, tooManyRequests, WaitQueue } from '../concurrency/semaphore.ts';

/** Limits of answers that clients have not read yet: clients that do not read must not fill the memory. */
export interface AnswerLimits {
  /** Maximum number of bytes held for all of them. Beyond it, the session that holds most loses its longest stalled answer. Default 256 MiB. */
  readonly maxUnreadBytes?: number;
  /** Bytes held for one session, at which its next lists wait. Default 32 MiB. */
  readonly maxUnreadBytesPerSession?: number;
  /** Milliseconds without progress after which an answer is cut off if another list of its session waits for memory. Default 5,000. */
  readonly stalledAnswerMs?: number;
}

/** The names of `AnswerLimits`, for checking options. */
export const ANSWER_LIMITS = { maxUnreadBytes: true, maxUnreadBytesPerSession: true, stalledAnswerMs: true } as const;

/** The answers of a host that clients have not read yet. */
export interface UnreadAnswers {
  /**
   * Waits until another page may be produced for a client.
   * @param signal returns the signal of the request, called only if it has to wait
   * @returns a function to call once the page is complete
   * @throws ApiError `SERVER_TOO_MANY_REQUESTS` when too many of its requests wait for room; the reason of the signal
   */
  admit(client: string, signal: () => AbortSignal): Release | Promise<Release>;
  /** Registers an answer to a client. @param breakOff releases everything held of it */
  open(client: string, breakOff: () => void): UnreadAnswer;
}

/** The held part of one answer. */
export interface UnreadAnswer {
  /** Counts further held bytes. Answers, also this one, may be cut off for them. */
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
const MADE_AT_ONCE = 8;
/** Requests of one client that may wait for it to read. */
const MOST_WAITING = 16;

interface Held {
  readonly breakOff: () => void;
  bytes: number;
  /** The time at which the client last read a part, or at which the first was held. */
  since: number;
}

interface Client {
  readonly name: string;
  bytes: number;
  /** Pages in production. */
  writing: number;
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
    if (!client) clients.set(name, (client = { name, bytes: 0, writing: 0, answers: new Set(), waiting: new WaitQueue() }));
    return client;
  };
  const grow = (client: Client, answer: Held, by: number) => {
    answer.bytes += by;
    client.bytes += by;
    bytes += by;
  };
  /** Counts the first held bytes of an answer, which becomes the last among those of its client. */
  const hold = (client: Client, answer: Held, by: number) => {
    answer.since = performance.now();
    client.answers.add(answer);
    held++;
    grow(client, answer, by);
  };
  /** @returns true if anything was held of it */
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
  const hasRoom = ({ writing, bytes }: Client): boolean => writing < MADE_AT_ONCE && bytes < maxUnreadBytesPerSession;

  /** Admits waiting requests as far as memory allows, and cuts off stalled answers for them. */
  const advance = (client: Client) => {
    clearTimeout(client.timer);
    for (let [next] = client.waiting; next; [next] = client.waiting) {
      if (hasRoom(client)) {
        client.writing++;
        next.admit();
        continue;
      }
      const [stalest] = client.answers;
      if (!stalest || client.bytes < maxUnreadBytesPerSession) return;
      const rest = stalest.since + stalledAnswerMs - performance.now();
      if (rest > 0) {
        client.timer = setTimeout(advance, rest, client);
        return;
      }
      drop(client);
    }
    if (client.writing === 0 && client.answers.size === 0) clients.delete(client.name);
  };
  const permit = (client: Client): Release => {
    let isMade = false;
    return () => {
      if (isMade) return;
      isMade = true;
      client.writing--;
      advance(client);
    };
  };
  const makeRoom = () => {
    while (bytes > maxUnreadBytes && held > 1) {
      const largest = [...clients.values()].reduce((most, each) => (each.bytes > most.bytes ? each : most));
      drop(largest);
      advance(largest);
    }
  };

  return {
    admit: (name, signal) => {
      const client = clientOf(name);
      if (client.waiting.length === 0 && hasRoom(client)) {
        client.writing++;
        return permit(client);
      }
      if (client.bytes >= maxUnreadBytesPerSession && client.waiting.length >= MOST_WAITING) throw tooManyRequests();
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
        add: (more) => {
          const client = clientOf(name);
          if (answer.bytes === 0) hold(client, answer, more);
          else grow(client, answer, more);
          makeRoom();
        },
        take: (part) => {
          const client = clientOf(name);
          const { bytes: before } = answer;
          if (!remove(client, answer)) return;
          if (before > part) hold(client, answer, before - part);
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
