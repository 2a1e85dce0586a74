/** A field of the request, or of the entity that it writes, is at fault. */
export interface FieldCause {
  /** Its path: `name`, `0.configId`, `Content-Type`. */
  readonly field: string;
  readonly reason: string;
  /** As text, at most 256 characters; `***` for a value that may be a secret. */
  readonly value: string;
}

/** The reason, as a message. */
export interface MessageCause {
  /** A code of the catalogue, or one of the network (`ECONNREFUSED`) if a client got no answer. */
  readonly code: string;
  readonly message: string;
}

/** The posture checks that fail. */
export interface PostureCause {
  readonly message: string;
  /** By the id of the service policy. */
  readonly data: Readonly<Record<string, readonly FailingCheck[]>>;
}

/** A posture check that the endpoint does not pass. */
export interface FailingCheck {
  readonly id: string;
  readonly typeId: string;
  readonly isPassing: false;
}

/** The change log begins after the requested revision. */
export interface CursorCause {
  readonly message: string;
  /** The earliest revision after which no change is missing. */
  readonly earliest: number;
}

/** The kinds of causes by the names that rows of the catalogue give them. */
export interface Causes {
  readonly field: FieldCause;
  readonly message: MessageCause;
  readonly posture: PostureCause;
  readonly cursor: CursorCause;
  readonly none: undefined;
}

/** The value that an error is about. Never a secret. */
export type ErrorCause = NonNullable<Causes[keyof Causes]>;

/** Which kind of cause a value is, as JSON of an answer; undefined for none of them. */
export const causeKindOf = (value: unknown): keyof Causes | undefined => {
  if (value === undefined) return 'none';
  const { field, reason, value: given, code, message, data, earliest } = Object(value) as Readonly<Record<string, unknown>>; // any object has such members, or undefined
  if (typeof field === 'string') return typeof reason === 'string' && typeof given === 'string' ? 'field' : undefined;
  if (typeof message !== 'string') return undefined;
  if (typeof code === 'string') return 'message';
  if (typeof earliest === 'number') return 'cursor';
  return typeof data === 'object' && data !== null ? 'posture' : undefined;
};
