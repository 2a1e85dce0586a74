/** Bounds of a backlog. */
export interface BacklogLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Messages that have not been delivered yet, in order. */
export interface Backlog<M extends { readonly size: number }> {
  /** Adds a message. If the backlog is full, it and all others until half of it is free are only counted. */
  add(message: M): void;
  /** Takes the oldest message that is not on its way. */
  take(): M | undefined;
  /** Removes a message that was delivered. */
  delivered(message: M): void;
  /** Takes back all messages on their way, which are then the oldest ones again. */
  takeBack(): void;
  /** Number of messages on their way. */
  readonly onTheWay: number;
  /** Number of messages, also of those on their way. */
  readonly length: number;
}

/**
 * @param gapOf makes the message that reports a number of missed messages. It follows those that were kept
 * @param onFull called with the first message that is missed
 */
export const createBacklog = <M extends { readonly size: number }>(
  limits: BacklogLimits,
  gapOf: (missed: number) => M,
  onFull: () => void,
): Backlog<M> => {
  let waiting: M[] = [];
  /** Index of the oldest message in `waiting`: the array is shortened only from time to time. */
  let first = 0;
  const onTheWay = new Set<M>();
  let bytes = 0;
  let missed = 0;
  const length = () => waiting.length - first + onTheWay.size;
  const push = (message: M) => {
    waiting.push(message);
    bytes += message.size;
  };
  const reportGap = () => {
    if (missed === 0 || length() > limits.events / 2 || bytes > limits.bytes / 2) return;
    push(gapOf(missed));
    missed = 0;
  };
  return {
    add: (message) => {
      const isFull = length() >= limits.events || bytes + message.size > limits.bytes;
      if (missed === 0 && isFull) onFull();
      if (missed > 0 || isFull) missed++;
      else push(message);
      // A message that is too large for the backlog is missed while others are not.
      reportGap();
    },
    take: () => {
      const message = waiting[first];
      if (!message) return undefined;
      first++;
      if (first === waiting.length || first > limits.events) {
        waiting = waiting.slice(first);
        first = 0;
      }
      onTheWay.add(message);
      return message;
    },
    delivered: (message) => {
      if (onTheWay.delete(message)) bytes -= message.size;
      reportGap();
    },
    takeBack: () => {
      waiting = [...onTheWay, ...waiting.slice(first)];
      first = 0;
      onTheWay.clear();
    },
    get onTheWay() {
      return onTheWay.size;
    },
    get length() {
      return length();
    },
  };
};
