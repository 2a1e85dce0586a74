/** A field of the request, or of the entity to be written, is invalid. */
export interface FieldCause {
  /** Path of the field: `name`, `0.configId`, `Content-Type`. */
  readonly field: string;
  readonly reason: string;
  /** The value as text, at most 256 characters; `***` if it may be a secret. */
  readonly value: string;
}

/** A message that tells the reason. */
export interface MessageCause {
  /** A code in the catalogue, or a network error code such as `ECONNREFUSED` if a client got no answer. */
  readonly code: string;
  readonly message: string;
}

/** Posture checks fail. */
export interface PostureCause {
  readonly message: string;
  /** The failing checks, by id of the service policy. */
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

/** An access that an identity would lose. */
export interface LostAccess {
  readonly identityId: string;
  /** Name of the identity. */
  readonly identity: string;
  readonly serviceId: string;
  /** Name of the service. */
  readonly service: string;
  /** `Dial` or `Bind`. */
  readonly type: string;
}

/** A write would take access away. */
export interface LostAccessCause {
  readonly message: string;
  /** How many there are. */
  readonly lostCount: number;
  /** The first of them, in order of names, at most 100; none for a caller with limited rights. */
  readonly lost: readonly LostAccess[];
}

/** Policy tests would fail. */
export interface BrokenTestsCause {
  readonly message: string;
  /** How many there are. */
  readonly brokenCount: number;
  /** The first of them, at most 100; none for a caller with limited rights. */
  readonly brokenTests: readonly { readonly id: string; readonly name: string }[];
}

/** The types of causes, by their name in the catalogue. */
export interface Causes {
  readonly field: FieldCause;
  readonly message: MessageCause;
  readonly posture: PostureCause;
  readonly cursor: CursorCause;
  readonly lostAccess: LostAccessCause;
  readonly brokenTests: BrokenTestsCause;
  readonly none: undefined;
}

/** Details of an error. They never contain a secret. */
export type ErrorCause = NonNullable<Causes[keyof Causes]>;

/** The type of cause that a value from the JSON of an answer is; undefined if it is none. */
export const causeKindOf = (value: unknown): keyof Causes | undefined => {
  if (value === undefined) return 'none';
  const {
    field,
    reason,
    value: given,
    code,
    message,
    data,
    earliest,
    lostCount,
    brokenCount,
  } = Object(value) as Readonly<Record<string, unknown>>; // missing members are undefined
  if (typeof field === 'string') return typeof reason === 'string' && typeof given === 'string' ? 'field' : undefined;
  if (typeof message !== 'string') return undefined;
  if (typeof code === 'string') return 'message';
  if (typeof earliest === 'number') return 'cursor';
  if (typeof lostCount === 'number') return 'lostAccess';
  if (typeof brokenCount === 'number') return 'brokenTests';
  return typeof data === 'object' && data !== null ? 'posture' : undefined;
};
